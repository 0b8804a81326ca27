// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { GarbageCollector } from '../../../storage/operations/garbage-collection/garbage-collector.ts'
import { commitPrimary } from '../../../storage/transactions/percolator/commit.ts'
import { LockSweeper } from '../../../storage/transactions/percolator/lock-sweeper.ts'
import { prewriteRow, prewriteStep } from '../../../storage/transactions/percolator/prewrite.ts'
import { decodeLock } from '../../../storage/transactions/records/lock.ts'
import { liveResultsAreAnswers } from '../../live/live-script.ts'
import {
  scheduleIsPausedBesideARun,
  schedulesInsertEachTimeOnce,
} from '../../schedules/schedule-scripts.ts'
import { standbyShowsItsPrimary } from '../../standby/standby-script.ts'
import {
  lotIsMovedWhenItWasHandedOut,
  lotsAreClosedAtTheirTimes,
  lotWaitsBesideACollection,
} from '../../storage/auction/scripts.ts'
import { OWNER_A, rowKey } from '../../storage/cell-notation.ts'
import type { Fault } from '../../storage/faulty-cell-store.ts'
import { COLUMN, type Gateway, ProtocolWorld } from '../../storage/protocol-world.ts'
import { gatewaysLiveWithClocksApart } from '../gateways/liveness-script.ts'
import { writerCommitsBetweenTheFences } from './catalog-scripts.ts'
import { snapshotOnAFullDisk } from './full-disk-scripts.ts'
import { valueLeftWhileItsIndexIsBuilt, valueSharedWhileItsIndexIsBuilt } from './index-scripts.ts'
import {
  backfillComesAfterTheLook,
  replayWhileOlderRowsAreBeingTold,
  rowsNotInViewWhenTheirObserverIsCreated,
  runBeginsWithinAWeakNotifier,
  runMeetsALockThatIsCommitted,
  weakNotifierDiesAtItsCommitPoint,
} from './observer-scripts.ts'

/**
 * Interleavings that random runs meet too seldom, written down step by step. Each passes with the code
 * as it is and fails with the bug that it is for.
 */
export const SCRIPTS = {
  latePrimaryAfterItsSecondaryWasErased,
  primaryLandsBetweenLookAndRollback,
  recordCollectedBeforeTheLostAnswerIsLookedUp,
  lateRollbackRecordAfterTheCommitWasCollected,
  lockOutlivesItsPrimaryRecord,
  latePrewriteAfterTheTombstoneWasCollected,
  scanBelowTheSafePointFindsNothing,
  commitBelowTheSafePointMeetsNoTombstone,
  valueLeftWhileItsIndexIsBuilt,
  valueSharedWhileItsIndexIsBuilt,
  runMeetsALockThatIsCommitted,
  lotIsMovedWhenItWasHandedOut,
  lotsAreClosedAtTheirTimes,
  lotWaitsBesideACollection,
  weakNotifierDiesAtItsCommitPoint,
  runBeginsWithinAWeakNotifier,
  rowsNotInViewWhenTheirObserverIsCreated,
  backfillComesAfterTheLook,
  replayWhileOlderRowsAreBeingTold,
  snapshotOnAFullDisk,
  writerCommitsBetweenTheFences,
  gatewaysLiveWithClocksApart,
  liveResultsAreAnswers,
  standbyShowsItsPrimary,
  scheduleIsPausedBesideARun,
  schedulesInsertEachTimeOnce,
} as const

export type ScriptName = keyof typeof SCRIPTS

async function lockOn(world: ProtocolWorld, row: string) {
  const [image] = await world.cellStore.readRows([rowKey(row)], [{ family: 'lock' }])
  const cell = image?.cells[0]
  assert.ok(cell !== undefined, `${row} is locked`)
  return decodeLock(cell.timestamp, cell.value)
}

/** A prewrites Joe; its request for the primary, Bob, is late. B takes A for dead and clears Joe. */
async function latePrimaryAfterItsSecondaryWasErased(): Promise<void> {
  const world = new ProtocolWorld(10)
  await world.given('joe lock@7 primary=bob put 9')
  const writeSet = world.a.writeSet(7, { bob: '3', joe: '9' })
  world.b.liveness.dead.add(OWNER_A)
  await world.b.resolver.resolve(rowKey('joe'), await lockOn(world, 'joe'))
  await assert.rejects(prewriteRow(world.a.context, world.a.resolver, writeSet.primary, 7), {
    code: 'transaction_rolled_back',
  })
}

/** B sees no primary lock; it lands just before B writes the rollback record; then A commits. */
async function primaryLandsBetweenLookAndRollback(): Promise<void> {
  const world = new ProtocolWorld(10)
  await world.given('joe lock@7 primary=bob put 9')
  const writeSet = world.a.writeSet(7, { bob: '3', joe: '9' })
  world.b.liveness.dead.add(OWNER_A)
  world.b.store.fault = async (call): Promise<Fault> => {
    if (call === 1) await prewriteRow(world.a.context, world.a.resolver, writeSet.primary, 7)
    return 'none'
  }
  await world.b.resolver.resolve(rowKey('joe'), await lockOn(world, 'joe'))
  await assert.rejects(commitPrimary(world.a.context, writeSet, 12), {
    code: 'transaction_rolled_back',
  })
  assert.deepEqual(await world.cells(), ['bob rollback@7'])
}

/** A's commit is applied and its answer lost; before A asks again, its record is collected. */
async function commitCollectedMeanwhile(...left: string[]): Promise<void> {
  const world = new ProtocolWorld(10)
  const writeSet = world.a.writeSet(7, { bob: '3' })
  await prewriteRow(world.a.context, world.a.resolver, writeSet.primary, 7)
  const first = world.a.store.calls + 1
  world.a.store.fault = async (call): Promise<Fault> => {
    if (call === first) return 'answerLost'
    if (call === first + 1) await collectBelow(world, 30, left)
    return 'none'
  }
  assert.equal(await commitPrimary(world.a.context, writeSet, 8), 'unknown')
}

async function collectBelow(world: ProtocolWorld, safePoint: number, left: readonly string[]) {
  world.oracle.safePoint = safePoint
  const gone = { family: 'write', qualifier: COLUMN, timestamps: { until: safePoint } } as const
  await world.cellStore.mutateRows([
    { row: rowKey('bob'), mutations: [{ kind: 'deleteFromColumn', ...gone }] },
  ])
  await world.given('bob write@29 -> 28 put 5', ...left)
}

async function recordCollectedBeforeTheLostAnswerIsLookedUp(): Promise<void> {
  await commitCollectedMeanwhile()
}

/** As before, and a resolver that had slept since before the commit writes its rollback record now. */
async function lateRollbackRecordAfterTheCommitWasCollected(): Promise<void> {
  await commitCollectedMeanwhile('bob rollback@7')
}

async function collect(gateway: Gateway, safePoint: number, requestLifeMs = 0): Promise<void> {
  const sweeper = new LockSweeper(gateway.context, gateway.resolver)
  const collector = new GarbageCollector(
    gateway.context,
    async (safePoint) => (await sweeper.sweep(safePoint)).resolved,
    requestLifeMs,
  )
  await collector.collect(safePoint, async () => ({ row: () => false, observer: () => false }))
}

/** Joe's lock is committed by Bob's record of 7, which a newer version of Bob makes collectable. */
async function lockOutlivesItsPrimaryRecord(): Promise<void> {
  const world = new ProtocolWorld(40)
  await world.given(
    'bob write@8 -> 7 put 3',
    'bob write@20 -> 15 put 5',
    'joe lock@7 primary=bob put 9',
  )
  world.b.liveness.dead.add(OWNER_A)
  await collect(world.b, 30)
  assert.equal(await world.b.read('joe', 40), '9')
}

/**
 * Joe was written by 7 and deleted by 15. A second copy of the prewrite of 7 arrives within the life
 * of a request: it must find the tombstone, which may go only afterwards.
 */
async function latePrewriteAfterTheTombstoneWasCollected(): Promise<void> {
  const world = new ProtocolWorld(40)
  await world.given('bob write@8 -> 7 put 3', 'joe write@8 -> 7 put 9', 'joe write@20 -> 15 delete')
  const [joe] = world.a.writeSet(7, { bob: '3', joe: '9' }).secondaries
  assert.ok(joe !== undefined)
  let isLate = true
  const arrives = async () => {
    if (isLate) await world.cellStore.checkAndMutateRow(joe.row, prewriteStep(joe, 7))
    isLate = false
  }
  const { clock } = world.b.context
  const sleep = clock.sleep.bind(clock)
  clock.sleep = async (ms, signal) => {
    await arrives()
    await sleep(ms, signal)
  }
  world.b.liveness.dead.add(OWNER_A)
  await collect(world.b, 30, 1_000)
  await arrives()
  assert.equal(await world.b.read('joe', 40), null)
}

/** What a snapshot at 10 saw of Bob was collected; his younger version is none of its business. */
async function scanBelowTheSafePointFindsNothing(): Promise<void> {
  const world = new ProtocolWorld(100)
  await world.given('bob write@60 -> 55 put 5')
  const transaction = world.a.beginAt(10)
  world.oracle.safePoint = 50
  const scan = transaction.scanRows({ start: rowKey('a'), end: rowKey('z'), columns: [COLUMN] })
  await assert.rejects(Array.fromAsync(scan), { code: 'snapshot_too_old' })
}

/**
 * Bob is read at 7 and deleted at 20; his tombstone is collected. The commit of what was read finds
 * nothing in its way, and would undo the deletion.
 */
async function commitBelowTheSafePointMeetsNoTombstone(): Promise<void> {
  const world = new ProtocolWorld(40)
  await world.given('bob write@5 -> 4 put 3')
  const transaction = world.a.beginAt(7)
  await transaction.getRow(rowKey('bob'), [COLUMN])
  await world.given('bob write@20 -> 15 delete')
  world.oracle.safePoint = 30
  await collect(world.b, 30)
  assert.deepEqual(await world.cells(), [], 'the tombstone is collected')
  transaction.put(rowKey('bob'), COLUMN, Buffer.from('9'))
  await assert.rejects(transaction.commit(), { code: 'snapshot_too_old' })
  assert.equal(await world.b.read('bob', 40), null)
}
