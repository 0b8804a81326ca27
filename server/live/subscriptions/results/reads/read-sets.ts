// SPDX-License-Identifier: Apache-2.0
import { type ReadRange, type ReadSet, spaceOf } from '../../../../../storage/storage.ts'
import { RangeIndex } from '../../matching/range-index.ts'
import { sharesColumn, type TouchedKeys } from './touched-keys.ts'

/** Ranges of one reader of which the same columns were read. */
type Part<Reader> = { readonly reader: Reader; readonly columns: readonly string[] }

type Held<Reader> = {
  readonly parts: ReadonlyArray<Part<Reader>>
  readonly spaces: ReadonlySet<string>
}

/** The read sets of many, and whose of them a commit has touched. */
export class ReadSets<Reader> {
  readonly #ranges = new RangeIndex<Part<Reader>>()
  readonly #held = new Map<Reader, Held<Reader>>()
  /** The readers of each table and index. */
  readonly #bySpace = new Map<string, Set<Reader>>()

  /** Whether any range of this table or index has been read. */
  holdsOf(space: string): boolean {
    return this.#bySpace.has(space)
  }

  /** In place of what the reader had before. */
  set(reader: Reader, reads: ReadSet): void {
    this.delete(reader)
    const parts: Array<Part<Reader>> = []
    const spaces = new Set<string>()
    for (const ranges of Map.groupBy(reads.ranges, byColumns).values()) {
      const part = { reader, columns: (ranges[0] as ReadRange).columns }
      parts.push(part)
      this.#ranges.add(part, ranges)
      for (const { start } of ranges) spaces.add(spaceOf(start))
    }
    this.#held.set(reader, { parts, spaces })
    for (const space of spaces) {
      const readers = this.#bySpace.get(space) ?? new Set()
      this.#bySpace.set(space, readers.add(reader))
    }
  }

  delete(reader: Reader): void {
    const held = this.#held.get(reader)
    if (held === undefined) return
    this.#held.delete(reader)
    for (const part of held.parts) this.#ranges.delete(part)
    for (const space of held.spaces) {
      const readers = this.#bySpace.get(space)
      readers?.delete(reader)
      if (readers?.size === 0) this.#bySpace.delete(space)
    }
  }

  /** Those whose answers the commit may have changed. */
  touchedBy({ keys, unknownSpaces, changesCatalog }: TouchedKeys): ReadonlySet<Reader> {
    if (changesCatalog) return new Set(this.#held.keys())
    const found = new Set<Reader>()
    for (const space of unknownSpaces) {
      for (const reader of this.#bySpace.get(space) ?? []) found.add(reader)
    }
    for (const { key, columns } of keys) {
      this.#ranges.find(key, (part) => {
        if (sharesColumn(part.columns, columns)) found.add(part.reader)
      })
    }
    return found
  }
}

function byColumns({ columns }: ReadRange): string {
  return columns.join()
}
