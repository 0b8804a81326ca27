// SPDX-License-Identifier: Apache-2.0
import { FAMILIES, type Family, type Timestamp } from '../../cells/cell.ts'
import type { Catalog } from '../../tables/catalog/catalog.ts'
import type { IndexDefinition } from '../../tables/table-definition.ts'

/** A cell, a row or the store that is not as a rule of `storage/DESIGN.md` says. */
export type ConsistencyProblem = {
  /** Such as `I5`; `file` is what SQLite itself says of its file. */
  readonly rule: string
  /** Absent where it is about the store as a whole. */
  readonly row?: Uint8Array
  readonly cell?: {
    readonly family: Family
    readonly column: string
    readonly timestamp: Timestamp
  }
  /** A sentence. */
  readonly message: string
}

export type ConsistencyReport = {
  /** The first problems found; `problemCount` are all. */
  readonly problems: readonly ConsistencyProblem[]
  readonly problemCount: number
  readonly rows: number
  readonly cells: Readonly<Record<Family, number>>
  /** By name. */
  readonly tables: ReadonlyArray<
    TableCount & { readonly name: string; readonly indexes: readonly IndexCount[] }
  >
  /** Rows of dropped tables, which garbage collection has not erased yet. */
  readonly droppedTables: TableCount
  /** Long values below the safe point that nothing names: they take space and are never shown. */
  readonly orphanedValues: number
  /** The tables as the check found them, to name rows by. */
  readonly catalog: Catalog
}

export type TableCount = {
  readonly rows: number
  /** Committed versions of these rows, deletes included. */
  readonly versions: number
}

/** An index of a table; one that failed is not looked at, and has no entries here. */
export type IndexCount = {
  readonly name: string
  readonly state: IndexDefinition['state']
  /** At the snapshot of the check. */
  readonly entries: number
}

const PROBLEMS_LISTED_MAX = 1_000

/** Gathers what a check finds. It holds a bounded number of problems, however many there are. */
export class ConsistencyFindings {
  readonly #problems: ConsistencyProblem[] = []
  #problemCount = 0
  rows = 0
  orphanedValues = 0
  readonly #cells = Object.fromEntries(FAMILIES.map((family) => [family, 0])) as Record<
    Family,
    number
  >
  readonly #tables = new Map<number, { rows: number; versions: number }>()
  /** By index id. */
  readonly #entries = new Map<number, number>()

  add(...problems: readonly ConsistencyProblem[]): void {
    for (const problem of problems) {
      this.#problemCount += 1
      if (this.#problems.length < PROBLEMS_LISTED_MAX) this.#problems.push(problem)
    }
  }

  countCells(family: Family, count: number): void {
    this.#cells[family] += count
  }

  countRow(tableId: number, versions: number): void {
    const count = this.#tables.get(tableId) ?? { rows: 0, versions: 0 }
    count.rows += 1
    count.versions += versions
    this.#tables.set(tableId, count)
  }

  countEntries(indexId: number, count: number): void {
    this.#entries.set(indexId, (this.#entries.get(indexId) ?? 0) + count)
  }

  report(catalog: Catalog): ConsistencyReport {
    const tables = catalog.tables().map(({ id, name, indexes }) => {
      const counts = this.#tables.get(id) ?? { rows: 0, versions: 0 }
      return { name, ...counts, indexes: indexes.map((index) => this.#countOf(index)) }
    })
    const droppedTables = { rows: 0, versions: 0 }
    const known = new Set(catalog.tables().map(({ id }) => id))
    for (const [id, { rows, versions }] of this.#tables) {
      if (known.has(id)) continue
      droppedTables.rows += rows
      droppedTables.versions += versions
    }
    return {
      problems: this.#problems,
      problemCount: this.#problemCount,
      rows: this.rows,
      cells: this.#cells,
      tables,
      droppedTables,
      orphanedValues: this.orphanedValues,
      catalog,
    }
  }

  #countOf({ id, name, state }: IndexDefinition): IndexCount {
    return { name, state, entries: this.#entries.get(id) ?? 0 }
  }
}
