// SPDX-License-Identifier: Apache-2.0

import { keyString } from '../../../storage/cells/row-key.ts'
import { CellStoreError, type Notification, StorageError } from '../../../storage/storage.ts'
import type { Gateway } from '../simulated/gateway.ts'
import { ProcessCrashed } from '../simulated/simulated-process.ts'
import { type ClientWorld, runTransaction } from './client.ts'
import { OBSERVED_CELL, seenRowName, WATCHERS } from './watched-table.ts'
import type { Work } from './work.ts'

/**
 * Runs one observer, a notification after the other, on whatever process there is, until the run is
 * over. Each run copies what it reads of the row.
 */
export async function runObserver(
  world: ClientWorld,
  observer: string,
  stopping: AbortSignal,
): Promise<void> {
  const { scheduler, random, gateways } = world
  while (!stopping.aborted) {
    const serving = gateways.filter((gateway) => gateway.isServing)
    const gateway = serving[random.below(serving.length)]
    if (gateway === undefined) await scheduler.sleep(100)
    else await observeNext(world, gateway, { observer, signal: stopping })
  }
}

async function observeNext(
  world: ClientWorld,
  gateway: Gateway,
  { observer, signal }: { readonly observer: string; readonly signal: AbortSignal },
): Promise<void> {
  const { scheduler, random, counters } = world
  let notification: Notification
  const leaseMs = random.fraction() < 0.3 ? random.fraction() * 200 : undefined
  try {
    const options = leaseMs === undefined ? { signal } : { signal, leaseMs }
    notification = await gateway.request((storage) => storage.observers.lease(observer, options))
  } catch (error) {
    if (signal.aborted) return
    if (!isExpected(error)) world.violations.add('unexpected error', `lease: ${String(error)}`)
    await scheduler.sleep(50 + random.fraction() * 200)
    return
  }
  const { process } = gateway
  const fails = random.fraction() < 0.04
  const recorded = await runTransaction(world, {
    client: 0,
    gateway,
    workload: 'observers',
    isSetup: true,
    run: (work) => observe(work, notification, fails),
  })
  if (recorded.outcome === 'committed') counters.count(`run of an observer: ${recorded.observed}`)
  // A worker that dies here leaves the notification to the next, when its lease is over.
  if (leaseMs !== undefined && random.fraction() < 0.2) return
  if (gateway.process !== process) return
  await gateway
    .request(async () => {
      if (recorded.outcome === 'committed') await notification.committed()
      else await notification.failed(failureOf(recorded.outcome))
    })
    .catch((error: unknown) => {
      if (!isExpected(error)) world.violations.add('unexpected error', `end: ${String(error)}`)
    })
}

async function observe(
  { transaction, think }: Work,
  notification: Notification,
  fails: boolean,
): Promise<void> {
  const { observer, key } = notification
  const { recorded } = transaction
  recorded.observed = await transaction.acknowledge(notification)
  if (recorded.observed === 'alreadyObserved') return
  await think()
  if (fails) throw new CellStoreError('notApplied', 'The observer fails.')
  const row = keyString(key)
  const column = WATCHERS.find(({ name }) => name === observer.name)?.columns[0] ?? ''
  const value = await transaction.readValue(row, OBSERVED_CELL[column] ?? '')
  transaction.put(seenRowName(observer.name, row), '0', `${recorded.startTs} ${value ?? 'gone'}`)
}

function failureOf(outcome: string): Error {
  return outcome === 'rolledBack'
    ? new StorageError('write_conflict', 'The run was rolled back.')
    : new StorageError('commit_outcome_unknown', 'Nobody knows.')
}

function isExpected(error: unknown): boolean {
  if (error instanceof ProcessCrashed || error instanceof CellStoreError) return true
  if (!(error instanceof StorageError)) return false
  return ['unknown_observer', 'closed', 'locked', 'snapshot_too_old'].includes(error.code)
}
