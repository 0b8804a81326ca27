// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { StorageError } from '../../errors.ts'
import { invalidDefinition, requireFreeName } from '../definition-name.ts'
import { defineObserver, type NewObserver } from '../new-observer.ts'
import type { ObserverDefinition } from '../table-definition.ts'
import { type Catalog, requireObserver, requireTable, type TableObserver } from './catalog.ts'
import { requireCatalogCounts } from './catalog-counts.ts'
import { type CatalogWrites, changeTable, takeId } from './catalog-writes.ts'

/**
 * Creates an observer: from this transaction's commit on, every transaction that can still commit notifies it (the
 * schema fence of the table sees to that). The rows that are there already are changes too, and an observer that is not
 * weak is notified of them later. Returns the table with the observer, and whether it is new: with `ifNotExists` an
 * existing observer of that name is returned as it is.
 *
 * Errors: those of `defineObserver`; `unknown_table`; `already_exists` with the field `existing`, also
 * for a name that differs from that of another observer by case only.
 */
export async function createObserver(
  transaction: CatalogWrites,
  catalog: Catalog,
  newObserver: NewObserver,
  options: { readonly ifNotExists: boolean },
): Promise<TableObserver & { readonly created: boolean }> {
  const { name, table: tableName } = newObserver
  const existing = catalog.observer(name)
  if (existing !== undefined && options.ifNotExists) return { ...existing, created: false }
  const known = catalog.observers().map(({ observer }) => observer)
  requireFreeName('an observer', name, known, { table: tableName, observer: name })
  const before = requireTable(catalog, tableName)
  requireCatalogCounts(catalog, { parts: 1 })
  const observer = await takeId(transaction, (id) => defineObserver(before, newObserver, id))
  const changed = { ...before, observers: [...before.observers, observer] }
  const table = await changeTable(transaction, changed)
  return { table, observer, created: true }
}

/**
 * Drops an observer; its outstanding notifications are dropped. Returns its definition, or null when there was none and
 * `ifExists` allows that; otherwise that is `unknown_observer`. One that a schedule runs is `invalid_definition`.
 */
export async function dropObserver(
  transaction: CatalogWrites,
  catalog: Catalog,
  name: string,
  options: { readonly ifExists: boolean },
): Promise<ObserverDefinition | null> {
  if (options.ifExists && catalog.observer(name) === undefined) return null
  const { table, observer } = requireObserver(catalog, name)
  const running = table.schedules.find((schedule) => schedule.observer === observer.id)
  if (running !== undefined) {
    const message = `The schedule "${running.name}" runs the observer "${name}", and has to be dropped first.`
    throw invalidDefinition(message, { table: table.name, observer: name, schedule: running.name })
  }
  const observers = table.observers.filter(({ id }) => id !== observer.id)
  // The fence: older transactions that still notify it would leave notify cells for ever.
  await changeTable(transaction, { ...table, observers })
  return observer
}

/** Nothing runs for the observer until it is resumed; of one that is paused this asks nothing. */
export async function pauseObserver(
  transaction: CatalogWrites,
  catalog: Catalog,
  name: string,
): Promise<TableObserver> {
  return await changeObserver(transaction, requireObserver(catalog, name), { state: 'paused' })
}

/** What came in while the observer was paused is run now, and what had failed too often tried again. */
export async function resumeObserver(
  transaction: CatalogWrites,
  catalog: Catalog,
  name: string,
): Promise<TableObserver> {
  const resumed = { state: 'active', resumedAt: transaction.startTs } as const
  return await changeObserver(transaction, requireObserver(catalog, name), resumed)
}

/**
 * Notifies the observer again of every row that has changed at or after `from`, those that are deleted by now as well,
 * whatever it had acknowledged. The rows are notified later. While an earlier notifying of rows is under way, this one
 * goes back as far as that does; after CREATE OBSERVER that is to all rows.
 *
 * Errors: `unknown_observer`; `invalid_definition` for a weak observer, of which nothing tells what it
 * has seen; `timestamp_in_future`.
 */
export async function replayObserver(
  transaction: CatalogWrites,
  catalog: Catalog,
  name: string,
  from: Timestamp,
): Promise<TableObserver> {
  const found = requireObserver(catalog, name)
  const fields = { table: found.table.name, observer: name }
  if (found.observer.isWeak) {
    const message = `The observer "${name}" is weak and cannot be replayed; NOTIFY tells it of a row.`
    throw invalidDefinition(message, fields)
  }
  const { startTs } = transaction
  if (from > startTs) {
    const message = `Timestamp ${from} has not been reached yet.`
    throw new StorageError('timestamp_in_future', message, { ...fields, timestamp: from })
  }
  const { isBackfilled, replayFrom: before = 1 } = found.observer
  // What an unfinished backfill has still to tell would be forgotten otherwise.
  const replayFrom = Math.max(1, isBackfilled ? from : Math.min(from, before))
  return await changeObserver(transaction, found, {
    isBackfilled: false,
    epoch: startTs,
    replayFrom,
  })
}

/** All rows that CREATE OBSERVER or a REPLAY asked for have been notified. */
export async function endBackfill(
  transaction: CatalogWrites,
  found: TableObserver,
): Promise<TableObserver> {
  return await changeObserver(transaction, found, { isBackfilled: true })
}

/**
 * Writers with the previous definition also notified the observer, so no transaction has to fail for these changes and
 * the fence stays.
 */
async function changeObserver(
  transaction: CatalogWrites,
  { table, observer }: TableObserver,
  change: Partial<ObserverDefinition>,
): Promise<TableObserver> {
  const changed = { ...observer, ...change }
  const observers = table.observers.map((other) => (other.id === observer.id ? changed : other))
  const changedTable = await changeTable(transaction, { ...table, observers }, { isFenced: false })
  return { table: changedTable, observer: changed }
}
