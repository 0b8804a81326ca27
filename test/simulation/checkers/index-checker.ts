// SPDX-License-Identifier: Apache-2.0
import { hasPrefix, keyString } from '../../../storage/cells/row-key.ts'
import { CATALOG_TABLE_PREFIX } from '../../../storage/tables/bytes/catalog-codec.ts'
import { decodeEntry } from '../../../storage/tables/bytes/index-entry.ts'
import { decodeEntryKey, indexIdOf } from '../../../storage/tables/bytes/index-key.ts'
import { familyIds } from '../../../storage/tables/bytes/row-codec.ts'
import { decodeTable } from '../../../storage/tables/bytes/table-codec.ts'
import { storedRow } from '../../../storage/tables/rows/table-rows.ts'
import {
  familyColumn,
  indexSpace,
  ROW_COLUMN,
  type SqlRow,
  type TableDefinition,
  tableSpace,
} from '../../../storage/tables/tables.ts'
import type { Counters } from '../sometimes.ts'
import { keyOfRow } from '../workloads/client-transaction.ts'
import {
  differenceFromRows,
  ITEM,
  isClaim,
  saidByIndex,
  sharedClaim,
  withPaths,
} from '../workloads/item-table.ts'
import type { CommitLog, LoggedCommit } from './commit-log.ts'
import type { OwnWrites, RecordedTransaction, RefusedStatement } from './history.ts'
import { newestUpTo } from './snapshot-checker.ts'
import type { Violations } from './violations.ts'

/**
 * The table with indexes at the moment of every commit, by the log of what the store took: not only at
 * the snapshots that somebody happened to read.
 *
 * A ready index has one entry for each row and no two rows with one unique value; the entries of one
 * that is being built are right as far as they are there; one that failed had a reason; nobody writes
 * entries of an index that is gone; and a statement that was refused for a unique value met one.
 */
export function checkIndexes(
  transactions: readonly RecordedTransaction[],
  log: CommitLog,
  { violations, counters }: { readonly violations: Violations; readonly counters: Counters },
): void {
  const report = (where: string, what: string) => violations.add('index', `${where}: ${what}`)
  const replay = new IndexReplay(log)
  let before: TableDefinition | undefined
  for (const { commitTs, startTs, putIndexes } of replay.commits()) {
    reportDamage(`at ${commitTs}`, report, () => {
      const table = replay.tableAt(commitTs)
      if (table === undefined) return
      const problems = [
        ...[...putIndexes]
          .filter((id) => table.indexes.every((index) => index.id !== id))
          .map((id) => `an entry of index ${id} is put, which is gone`),
        ...disagreements(replay, table, commitTs),
        ...endsWithoutReason(replay, { before, table, startTs }, counters),
      ]
      for (const problem of problems) report(`at ${commitTs}`, problem)
      before = table
    })
  }
  for (const transaction of transactions) {
    for (const refusal of transaction.refusals) {
      reportDamage(String(transaction), report, () => {
        const problem = unfounded(replay, transaction, refusal)
        if (problem !== undefined) report(String(transaction), problem)
      })
    }
  }
}

/** What cannot even be read is damaged by what went wrong before. */
function reportDamage(
  where: string,
  report: (where: string, what: string) => void,
  check: () => void,
): void {
  try {
    check()
  } catch (error) {
    report(where, String(error))
  }
}

/** The names of indexes that the newest definition has as being built. */
export function indexesBeingBuilt(log: CommitLog): string[] {
  const newest = [...log.columns]
    .filter(([name]) => hasPrefix(keyOfRow(name), CATALOG_TABLE_PREFIX))
    .flatMap(
      ([, commits]) => commits.reduce((a, b) => (a.commitTs > b.commitTs ? a : b)).value ?? [],
    )
  const building = newest.flatMap((value) =>
    decodeTable(value).indexes.filter(({ state }) => state === 'building'),
  )
  return building.map(({ name }) => name)
}

function disagreements(replay: IndexReplay, table: TableDefinition, ts: number): string[] {
  const rows = replay.rowsAt(table, ts)
  return table.indexes.flatMap((index) => {
    if (index.state === 'failed') return []
    const entries = replay.entriesAt(table, index.id, ts)
    const shared = index.state === 'ready' ? sharedClaim(table, index, rows) : undefined
    return (
      shared ??
      differenceFromRows(table, index, rows, entries) ??
      sharedClaim(table, index, entries) ??
      []
    )
  })
}

/** An index fails for nothing but rows that share a value at the snapshot of who says so. */
function endsWithoutReason(
  replay: IndexReplay,
  now: {
    readonly before: TableDefinition | undefined
    readonly table: TableDefinition
    readonly startTs: number
  },
  counters: Counters,
): string[] {
  const { before, table, startTs } = now
  for (const { id, state } of before?.indexes ?? []) {
    const isGone = table.indexes.every((index) => index.id !== id)
    if (isGone && state === 'building') counters.count('index dropped while it was built')
  }
  return table.indexes.flatMap((index) => {
    const was = before?.indexes.find(({ id }) => id === index.id)?.state
    if (index.state === 'building' || index.state === was) return []
    counters.count(`index built: ${index.state}`)
    const hasReason =
      index.state === 'ready' ||
      sharedClaim(table, index, replay.rowsAt(table, startTs)) !== undefined
    return hasReason ? [] : `${index.name} has failed, and no rows shared a value`
  })
}

/** Another row has the value: in the snapshot, by an own write, or in the same statement. */
function unfounded(
  replay: IndexReplay,
  { startTs = 0 }: RecordedTransaction,
  { index: name, rows: asked, own }: RefusedStatement,
): string | undefined {
  const table = replay.tableAt(startTs)
  const index = table?.indexes.find((one) => one.name === name)
  if (table === undefined || index === undefined) return `refused for ${name}, which is not there`
  const rows = replay.rowsAt(table, startTs, own)
  for (const row of asked) {
    if (!isClaim(table, index, row)) continue
    const claim = saidByIndex(table, index, row)
    for (const other of [...rows, ...asked]) {
      const said = saidByIndex(table, index, other)
      if (said.parts === claim.parts && said.owner !== claim.owner) return undefined
    }
  }
  return `refused for ${name}, and no other row has the value`
}

type Replayed = { readonly key: Uint8Array; readonly columns: Map<string, readonly LoggedCommit[]> }

class IndexReplay {
  readonly #rows: readonly Replayed[]
  /** The versions of the definition, by their commit. */
  readonly #tables: ReadonlyArray<{
    readonly commitTs: number
    readonly startTs: number
    readonly table: TableDefinition
  }>

  constructor(log: CommitLog) {
    const rows = new Map<string, Replayed>()
    for (const [name, commits] of log.columns) {
      const at = name.lastIndexOf('#')
      const [text, column] = [name.slice(0, at), name.slice(at + 1)]
      const row = rows.get(text) ?? { key: keyOfRow(text), columns: new Map() }
      rows.set(text, row)
      row.columns.set(column, commits)
    }
    const definitions = [...rows.values()]
      .filter(({ key }) => hasPrefix(key, CATALOG_TABLE_PREFIX))
      .flatMap(({ columns }) => columns.get(ROW_COLUMN) ?? [])
      .flatMap(({ commitTs, startTs, value }) =>
        value === undefined ? [] : [{ commitTs, startTs, table: decodeTable(value) }],
      )
      .sort((a, b) => a.commitTs - b.commitTs)
    this.#tables = definitions.filter(({ table }) => table.name === ITEM)
    const ofOthers = new Set(
      definitions.flatMap(({ table }) =>
        table.name === ITEM ? [] : table.indexes.map(({ id }) => id),
      ),
    )
    const [first] = this.#tables
    const space = first === undefined ? undefined : tableSpace(first.table.id)
    this.#rows = [...rows.values()].filter(({ key }) => {
      const index = indexIdOf(key)
      const isEntry = index !== undefined && !ofOthers.has(index)
      return (space !== undefined && hasPrefix(key, space)) || isEntry
    })
  }

  /** Every commit that changed rows, entries or the definition, with the indexes it put entries of. */
  commits() {
    const found = new Map<number, { commitTs: number; startTs: number; putIndexes: Set<number> }>()
    const at = (commitTs: number, startTs: number) => {
      const commit = found.get(commitTs) ?? { commitTs, startTs, putIndexes: new Set<number>() }
      found.set(commitTs, commit)
      return commit
    }
    for (const { commitTs, startTs } of this.#tables) at(commitTs, startTs)
    for (const { key, columns } of this.#rows) {
      const index = indexIdOf(key)
      for (const { commitTs, startTs, kind } of [...columns.values()].flat()) {
        const commit = at(commitTs, startTs)
        if (index !== undefined && kind === 'put') commit.putIndexes.add(index)
      }
    }
    return [...found.values()].sort((a, b) => a.commitTs - b.commitTs)
  }

  tableAt(ts: number): TableDefinition | undefined {
    return this.#tables.findLast(({ commitTs }) => commitTs <= ts)?.table
  }

  rowsAt(table: TableDefinition, ts: number, own?: OwnWrites): SqlRow[] {
    const families = familyIds(table)
    const space = tableSpace(table.id)
    const rows: SqlRow[] = []
    for (const row of this.#withOwn(own)) {
      if (!hasPrefix(row.key, space)) continue
      const columns = valuesAt(row, families.map(familyColumn), ts, own)
      if (columns.size > 0) rows.push(storedRow(table, families, { key: row.key, columns }).row)
    }
    return rows
  }

  entriesAt(table: TableDefinition, indexId: number, ts: number): SqlRow[] {
    const space = indexSpace(indexId)
    const index = table.indexes.find(({ id }) => id === indexId)
    if (index === undefined) return []
    return this.#rows.flatMap((row) => {
      const cell = hasPrefix(row.key, space)
        ? valuesAt(row, [ROW_COLUMN], ts).get(ROW_COLUMN)
        : undefined
      if (cell === undefined) return []
      const { row: said } = decodeEntry(table, index, { key: row.key, ...cell })
      const { values } = decodeEntryKey(table, index, row.key)
      return [withPaths(table, index, { row: said, values })]
    })
  }

  /** An own write may be of a row that nobody committed. */
  #withOwn(own: OwnWrites = new Map()): readonly Replayed[] {
    const known = new Set(this.#rows.map(({ key }) => keyString(key)))
    const others = [...own.keys()].filter((text) => !known.has(text))
    return [...this.#rows, ...others.map((text) => ({ key: keyOfRow(text), columns: new Map() }))]
  }
}

function valuesAt(
  { key, columns }: Replayed,
  wanted: readonly string[],
  ts: number,
  own?: OwnWrites,
): Map<
  string,
  { readonly value: Uint8Array; readonly startTs: number; readonly commitTs: number }
> {
  const values = new Map()
  const ownColumns = own?.get(keyString(key))
  for (const column of wanted) {
    const write = ownColumns?.get(column)
    const version = newestUpTo(columns.get(column), ts)
    if (write?.kind === 'put') values.set(column, { value: write.value, startTs: ts, commitTs: ts })
    else if (write?.kind !== 'delete' && version?.value !== undefined) {
      values.set(column, {
        value: version.value,
        startTs: version.startTs,
        commitTs: version.commitTs,
      })
    }
  }
  return values
}
