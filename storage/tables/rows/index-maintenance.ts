// SPDX-License-Identifier: Apache-2.0

import { compareRowKeys, keyString } from '../../cells/row-key.ts'
import { andThen, type MaybePromise } from '../../maybe-promise.ts'
import type { Transaction } from '../../transactions/transaction.ts'
import { belongsTo, type EncodedEntry, encodeEntries } from '../bytes/index-entry.ts'
import { ROW_COLUMN } from '../bytes/row-codec.ts'
import { dueIndexes } from '../due-index.ts'
import {
  columnPosition,
  type IndexDefinition,
  type SqlRow,
  type TableDefinition,
} from '../table-definition.ts'
import type { TakenEntries } from './taken-entries.ts'
import type { UniqueConflict } from './unique-conflict.ts'

/**
 * The entries of a row change with it, in the same transaction:
 *
 *     byCustomer (customer), the row (1, 'bob', 10) becomes     (1, 'bob', 11)   nothing
 *                                                               (1, 'joe', 10)   delete 'bob' 1, put 'joe' 1
 *                                                               gone             delete 'bob' 1
 *
 *     byTag (EACH tags), the row (1, ["a","b"]) becomes         (1, ["b","c"])   delete "a" 1, put "c" 1
 *
 * A change of an entry's content writes the entry's own row, so two transactions that change the parts of one entry
 * conflict even where they write different families.
 */

/**
 * A change of one row. `before` is what this transaction reads there, with at least the columns that
 * `columnsForSet` or `columnsForDelete` names; `columns` are the positions that a SET assigns, absent
 * when the whole row is written.
 */
export type RowChange =
  | {
      readonly before: null
      readonly after: SqlRow
      readonly columns?: undefined
      readonly key?: undefined
    }
  | {
      readonly before: SqlRow
      readonly after: SqlRow
      readonly columns?: readonly number[]
      /** The row key, where it is known already. */
      readonly key?: Uint8Array
    }
  | {
      readonly before: SqlRow
      readonly after: null
      readonly columns?: undefined
      readonly key?: undefined
    }

/** What becomes of one entry by one change: it goes, it comes, or another one has its key. */
export type EntryEdit = {
  readonly index: IndexDefinition
  readonly deleted?: EncodedEntry
  readonly put?: EncodedEntry
  /** Both have the same key: the new one replaces the other. */
  readonly inPlace: boolean
  /** An entry of another row that stays; see `withoutForeignEntry`. */
  readonly guarded?: Uint8Array
}

export type UniquenessReads = Pick<Transaction, 'getRows' | 'statementWrite'>

/**
 * The indexes whose entries writers keep, and that have one of these columns; all when none are given. With those of
 * observers DUE that watch one.
 */
export function indexesWritten(
  table: TableDefinition,
  columns?: readonly number[],
): readonly IndexDefinition[] {
  const kept = table.indexes.filter(({ state }) => state !== 'failed')
  const written =
    columns === undefined
      ? kept
      : kept.filter((index) => indexColumns(table, index).some((at) => columns.includes(at)))
  return table.observers.length === 0 ? written : [...written, ...dueIndexes(table, columns)]
}

/** Positions of the columns that the entries of an index are made of, without those of the primary key. */
export function indexColumns(table: TableDefinition, index: IndexDefinition): readonly number[] {
  const ids = [...index.parts.map(({ columnId }) => columnId), ...index.storing]
  return ids.map((id) => columnPosition(table, id))
}

/** Pure. `areLocked` and errors: those of `encodeEntries`. */
export function entryEdits(
  table: TableDefinition,
  change: RowChange,
  areLocked: boolean,
): EntryEdit[] {
  const edits: EntryEdit[] = []
  for (const index of indexesWritten(table, change.columns)) {
    const before = change.before === null ? NO_ENTRIES : encodeEntries(table, index, change.before)
    const after =
      change.after === null ? NO_ENTRIES : encodeEntries(table, index, change.after, { areLocked })
    // Both are in the order of their keys.
    for (let i = 0, j = 0; i < before.length || j < after.length; ) {
      const [deleted, put] = [before[i], after[j]]
      const order =
        deleted === undefined ? 1 : put === undefined ? -1 : compareRowKeys(deleted.key, put.key)
      if (order <= 0) i += 1
      if (order >= 0) j += 1
      if (deleted !== undefined && put !== undefined && order === 0) {
        // Where a row is due by the same time as before, it is due once more.
        if (index.isDue || !isSame(deleted.value, put.value))
          edits.push({ index, inPlace: true, deleted, put })
      } else if (order < 0 && deleted !== undefined) edits.push({ index, inPlace: false, deleted })
      else if (put !== undefined) edits.push({ index, inPlace: false, put })
    }
  }
  return edits
}

const NO_ENTRIES: readonly EncodedEntry[] = []

/**
 * Looks up, in one round trip, who owns the unique entries of these edits, and decides change by change as if each had
 * been made before the next; with `taken`, an entry may be taken from a row that will give it up later on. Resolves to
 * the edits of each change, or the conflict that forbids it.
 */
export function settleUniqueness(
  transaction: UniquenessReads,
  changes: ReadonlyArray<readonly EntryEdit[]>,
  taken?: TakenEntries,
): MaybePromise<ReadonlyArray<readonly EntryEdit[] | UniqueConflict>> {
  // Most changes touch no index, and nothing has to be put together for them.
  if (changes.every((edits) => edits.length === 0)) return changes
  return andThen(readOwners(transaction, changes.flat(), taken), (owners) =>
    settledWith(owners, changes, taken),
  )
}

function settledWith(
  owners: EntryOwners | undefined,
  changes: ReadonlyArray<readonly EntryEdit[]>,
  taken: TakenEntries | undefined,
): ReadonlyArray<readonly EntryEdit[] | UniqueConflict> {
  if (owners === undefined) return changes
  return changes.map((edits, change) => {
    const conflict = findConflict(owners, edits, taken && { taken, change })
    if (conflict !== undefined) return conflict
    const settled = edits.map((edit) =>
      taken === undefined
        ? withoutForeignEntry(owners, edit)
        : withoutTakenEntry(taken, owners, edit),
    )
    for (const { deleted } of settled) if (deleted?.isUnique) owners.set(deleted.key, null)
    for (const { put } of settled) if (put?.isUnique) owners.set(put.key, put.value)
    return settled
  })
}

function findConflict(
  owners: EntryOwners,
  edits: readonly EntryEdit[],
  later: { readonly taken: TakenEntries; readonly change: number } | undefined,
): UniqueConflict | undefined {
  for (const { index, put, inPlace } of edits) {
    if (put === undefined || !put.isUnique || inPlace) continue
    const owner = owners.get(put.key)
    if (owner == null || belongsTo(put, owner)) continue
    const conflict = { index, entry: put.key }
    if (later === undefined) return conflict
    later.taken.take(conflict, owner, later.change)
  }
  return undefined
}

/** The entry that another row of the statement has taken is its already, and must not go with this row. */
function withoutTakenEntry(taken: TakenEntries, owners: EntryOwners, edit: EntryEdit): EntryEdit {
  const { index, deleted, put, inPlace } = edit
  const isGivenUp = deleted?.isUnique && !inPlace && taken.giveUp(deleted)
  return isGivenUp ? { index, inPlace, ...(put && { put }) } : withoutForeignEntry(owners, edit)
}

/**
 * While a unique index is being built, rows of before may share their values: only one of them has the
 * entry, and another one that goes away must leave it. It guards it instead: if the entry goes at the
 * same time, the build may be about to give it to the row that is going away.
 */
function withoutForeignEntry(owners: EntryOwners, edit: EntryEdit): EntryEdit {
  const { index, deleted, put, inPlace } = edit
  if (index.state === 'ready' || deleted === undefined || !deleted.isUnique) return edit
  const owner = owners.get(deleted.key)
  if (owner == null || belongsTo(deleted, owner)) return edit
  if (inPlace) return { index, inPlace }
  return { index, inPlace, guarded: deleted.key, ...(put && { put }) }
}

/** Undefined when nothing has to be known. */
function readOwners(
  transaction: UniquenessReads,
  edits: readonly EntryEdit[],
  taken: TakenEntries | undefined,
): MaybePromise<EntryOwners | undefined> {
  const keys = new Map<string, Uint8Array>()
  for (const { index, deleted, put, inPlace } of edits) {
    if (put?.isUnique && !inPlace) keys.set(keyString(put.key), put.key)
    if (deleted?.isUnique && index.state === 'building') {
      keys.set(keyString(deleted.key), deleted.key)
    }
  }
  if (keys.size === 0 && taken?.isEmpty !== false) return undefined
  const requested = [...keys.values()]
  return andThen(transaction.getRows(requested, [ROW_COLUMN]), (rows) => {
    const owners = new EntryOwners()
    requested.forEach((key, at) => {
      // The running statement does not read what it wrote itself, and here it has to.
      const own = transaction.statementWrite(key, ROW_COLUMN)
      if (own === undefined) owners.set(key, rows[at]?.columns.get(ROW_COLUMN)?.value ?? null)
      else owners.set(key, own.kind === 'put' ? own.value : null)
    })
    return owners
  })
}

/** The values of unique entries by their keys; null where there is no entry. */
class EntryOwners {
  readonly #values = new Map<string, Uint8Array | null>()

  get(key: Uint8Array): Uint8Array | null | undefined {
    return this.#values.get(keyString(key))
  }

  set(key: Uint8Array, value: Uint8Array | null): void {
    this.#values.set(keyString(key), value)
  }
}

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return compareRowKeys(a, b) === 0
}
