// SPDX-License-Identifier: Apache-2.0
import type { Row, Timestamp } from '../../cell-store/cell.ts'
import type { RowStep } from '../../cell-store/embedded-cell-store.ts'
import { rowKeyText } from '../../cell-store/row-key.ts'
import { rowPages } from '../../cell-store/row-pages.ts'
import { InvariantViolation } from '../../invariant.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import type { Resolution } from '../percolator/lock-resolver.ts'
import {
  rollBackOwnPrimary,
  rollBackSecondary,
  rollBackUnseenPrimary,
} from '../percolator/rollback.ts'
import { readTransactionStatus } from '../percolator/transaction-status.ts'
import { commitRow } from '../records/commit-row.ts'
import { type ColumnAddress, type Lock, type RowGroup, rowGroupOfCells } from '../records/lock.ts'
import type { EmbeddedContext } from './embedded-context.ts'
import type { LatchOwner, LatchRequest } from './latches/latch-table.ts'
import { placedRow } from './latches/latched-rows.ts'
import { applyUntilTaken } from './step-batch.ts'

/**
 * Takes over the locks that processes before this one left on disk: they can only be of two-phase
 * commits, and their owners are dead. Each is latched, with the commit timestamp where the primary has
 * a write record, and its roll-forward or rollback is queued; the store can be used at once.
 */
export async function takeOverLocks(context: EmbeddedContext): Promise<void> {
  const { latches, background, log } = context
  let rows = 0
  let clearing: Promise<void> = Promise.resolve()
  for (const leftOver of await findLeftOvers(context)) {
    // Two transactions of several gateways may have locked different columns of one row.
    if (leftOver.groups.some(({ text }) => latches.ownerOf(text) !== undefined)) await clearing
    const { startTs, groups, primary } = leftOver
    const status = await readTransactionStatus(context.cellStore, { primary, startTs })
    const commitTs = status.kind === 'committed' ? status.commitTs : undefined
    const owner = latches.latch(startTs, 'leftOver', groups)
    if (commitTs !== undefined) latches.stampCommitted(owner, commitTs)
    const cleared = clear(context, leftOver, owner)
    background.start('clear left-over locks', () => cleared)
    clearing = Promise.all([clearing, cleared]).then(() => undefined)
    clearing.catch(() => undefined)
    rows += groups.length
  }
  if (rows > 0) log.info({ rows }, 'took over locks that ended processes left behind')
}

/**
 * What became of the transaction that holds this lock of a primary. One that is left over is waited
 * for; one of this process is under way.
 */
export async function settleLeftOver(
  { latches }: EmbeddedContext,
  lock: Lock,
): Promise<Resolution> {
  const owner = latches.ownerOf(rowKeyText(lock.primary.row))
  if (owner === undefined) return { kind: 'rolledBack' }
  if (owner.kind !== 'leftOver') return { kind: 'alive' }
  await latches.nextRelease(owner)
  return { kind: 'rolledBack' }
}

type LatchedGroup = RowGroup & LatchRequest

type LeftOver = {
  readonly startTs: Timestamp
  readonly primary: ColumnAddress
  readonly groups: readonly LatchedGroup[]
}

async function clear(
  context: EmbeddedContext,
  leftOver: LeftOver,
  owner: LatchOwner,
): Promise<void> {
  const { commitTs } = owner
  const steps =
    commitTs === undefined ? rollBackSteps(context, leftOver) : forwardSteps(leftOver, commitTs)
  await applyUntilTaken(context, steps)
  context.latches.release(owner, leftOver.groups)
}

function forwardSteps({ startTs, groups }: LeftOver, commitTs: Timestamp): RowStep[] {
  return groups.map((group) => ({
    row: group.row,
    ...commitRow(group, { conditionColumn: group.columns[0].column, startTs, commitTs }),
  }))
}

/** The primary gets its rollback record whether or not its lock is there. */
function rollBackSteps(
  context: EmbeddedContext,
  { startTs, primary, groups }: LeftOver,
): RowStep[] {
  const owner = { primary, startTs, by: Buffer.from(context.liveness.incarnation, 'hex') }
  const primaryText = rowKeyText(primary.row)
  const steps: RowStep[] = []
  if (!groups.some(({ text }) => text === primaryText)) {
    steps.push({ row: primary.row, ...rollBackUnseenPrimary(owner) })
  }
  for (const group of groups) {
    const step =
      group.text === primaryText
        ? rollBackOwnPrimary(group, owner)
        : rollBackSecondary(group, startTs)
    steps.push({ row: group.row, ...step })
  }
  return steps
}

/** By transaction, the oldest first. A damaged lock is reported and left as it is. */
async function findLeftOvers(context: EmbeddedContext): Promise<LeftOver[]> {
  const found = new Map<Timestamp, { primary: ColumnAddress; groups: LatchedGroup[] }>()
  const pages = rowPages(context.cellStore, {
    filter: [{ family: 'lock' }],
    pageRows: STORAGE_LIMITS.scanPageRows,
  })
  for await (const page of pages) {
    for (const row of page) {
      for (const group of groupsOf(context, row)) {
        const { startTs, primary } = group.columns[0].lock
        const transaction = found.get(startTs)
        if (transaction === undefined) found.set(startTs, { primary, groups: [group] })
        else transaction.groups.push(group)
      }
    }
  }
  return [...found]
    .sort(([a], [b]) => a - b)
    .map(([startTs, { primary, groups }]) => ({ startTs, primary, groups }))
}

function groupsOf({ log }: EmbeddedContext, { key, cells }: Row): LatchedGroup[] {
  const groups: LatchedGroup[] = []
  const placed = placedRow(rowKeyText(key))
  for (const startTs of new Set(cells.map(({ timestamp }) => timestamp))) {
    try {
      const ofOne = cells.filter(({ timestamp }) => timestamp === startTs)
      const group = rowGroupOfCells(key, ofOne)
      if (group === undefined) continue
      const isGuard = group.columns.every(({ lock }) => lock.content.kind === 'guard')
      groups.push({ ...group, ...placed, kind: isGuard ? 'guard' : 'write' })
    } catch (error) {
      if (!(error instanceof InvariantViolation)) throw error
      const row = Buffer.from(key).toString('hex')
      log.error({ row, error: error.message }, 'a lock cannot be read')
    }
  }
  return groups
}
