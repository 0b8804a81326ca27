// SPDX-License-Identifier: Apache-2.0

import { keyString } from '../../../storage/cells/row-key.ts'
import {
  changeRows,
  columnsForSet,
  createObserver,
  createTable,
  encodePrimaryKey,
  getRows,
  type ObserverDefinition,
  pauseObserver,
  replayObserver,
  requireTable,
  resumeObserver,
} from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { positionOf } from './item-table.ts'
import { WATCHED, WATCHED_TABLE, WATCHERS } from './watched-table.ts'
import type { Work } from './work.ts'

/**
 * A table whose rows come, change and go while observers are created, replayed, paused and resumed; others
 * run them meanwhile, see `observer-worker.ts`.
 */
export async function observerSetup({ transaction }: Work): Promise<void> {
  await transaction.onTables((writes, catalog) =>
    createTable(writes, catalog, WATCHED_TABLE, { ifNotExists: false }),
  )
}

export async function observersTransaction(work: Work): Promise<void> {
  const { transaction, random, think, counters } = work
  if (transaction.recorded.readOnly) return
  if (random.fraction() < 0.16) {
    counters.count(await define(work))
    return
  }
  for (let left = 1 + random.below(2); left > 0; left -= 1) {
    await think()
    if (random.fraction() < 0.2) await notifyWeakly(work)
    else await writeRow(work)
  }
}

async function define({ transaction, random }: Work): Promise<string> {
  return await transaction.onTables(async (writes, catalog) => {
    const defined = WATCHERS.filter(({ name }) => catalog.observer(name) !== undefined)
    const missing = WATCHERS.find((watcher) => !defined.includes(watcher))
    // Runs are short: those that exist are paused and resumed also while others are still to be created.
    if (missing !== undefined && (defined.length === 0 || random.fraction() < 0.5)) {
      await createObserver(writes, catalog, missing, { ifNotExists: false })
      return 'observer created'
    }
    const paused = defined.find(({ name }) => catalog.observer(name)?.observer.state === 'paused')
    if (paused !== undefined && random.fraction() < 0.7) {
      await resumeObserver(writes, catalog, paused.name)
      return 'observer resumed'
    }
    const { name, isWeak } = defined[random.below(defined.length)] as (typeof WATCHERS)[number]
    if (random.fraction() < 0.4) {
      if (catalog.observer(name)?.observer.state === 'paused') return 'nothing to define'
      await pauseObserver(writes, catalog, name)
      return 'observer paused'
    }
    if (isWeak) return 'nothing to define'
    const since = Math.floor(random.fraction() * 2_000_000)
    await replayObserver(writes, catalog, name, writes.startTs - since)
    return 'observer replayed'
  })
}

/** Resumes an observer, if it is in one of these states. */
export async function resume(
  { transaction }: Work,
  observer: string,
  states: readonly ObserverDefinition['state'][],
): Promise<void> {
  await transaction.onTables(async (writes, catalog) => {
    const state = catalog.observer(observer)?.observer.state
    if (state !== undefined && states.includes(state)) {
      await resumeObserver(writes, catalog, observer)
    }
  })
}

async function notifyWeakly({ transaction, random, swarm }: Work): Promise<void> {
  const id = BigInt(random.below(swarm.keys))
  await transaction.onTables(async (writes, catalog) => {
    const found = WATCHERS.flatMap(({ name }) => catalog.observer(name) ?? [])
    const weak = found.find(({ observer }) => observer.isWeak)
    if (weak === undefined) return
    const key = encodePrimaryKey(weak.table, [id])
    writes.dependOnSchema(weak.table.id)
    writes.notify(key, weak.observer.id, 'weak')
    transaction.recorded.hinted.add(keyString(key))
  })
}

/** One statement that inserts, changes or deletes one row. */
async function writeRow({ transaction, random, swarm }: Work): Promise<void> {
  const id = BigInt(random.below(swarm.keys))
  const isDelete = random.fraction() < swarm.deleteRate * 0.5
  const isOfText = random.fraction() < 0.5
  const text = `${transaction.recorded.number}.${random.below(1e6)}`
  const long = random.fraction() < swarm.longValueRate ? text.padEnd(300, '-') : text
  await transaction.onTables(async (writes, catalog) => {
    const table = requireTable(catalog, WATCHED)
    const assigned = [positionOf(table, isOfText ? 'text' : 'visits')]
    const columns = columnsForSet(table, assigned)
    const [found] = await getRows(writes, table, [[id]], columns)
    if (found == null) {
      if (isDelete) return
      const after: SqlValue[] = [id, long, 0n]
      await changeRows(writes, table, [{ before: null, after }])
      return
    }
    if (isDelete) {
      await changeRows(writes, table, [{ before: found.row, after: null }])
      return
    }
    const value = isOfText ? long : BigInt(random.below(1e6))
    const after = found.row.map((old, position) => (position === assigned[0] ? value : old))
    await changeRows(writes, table, [{ before: found.row, after, columns: assigned }])
  })
}
