// SPDX-License-Identifier: Apache-2.0

import { LIVE_MUTANTS } from '../../live/live-mutants.ts'
import { RELAY_MUTANTS } from '../../relays/relay-mutants.ts'
import { SCHEDULE_MUTANTS } from '../../schedules/schedule-mutants.ts'
import { STANDBY_MUTANTS } from '../../standby/standby-mutants.ts'
import { SHARED_WORK_MUTANTS } from '../gateways/gateway-mutants.ts'
import { EMBEDDED_MUTANTS } from './embedded-mutants.ts'
import { FEED_MUTANTS } from './feed-mutants.ts'
import { FULL_DISK_MUTANTS } from './full-disk-mutants.ts'
import { IDENTITY_MUTANTS } from './identity-mutants.ts'
import { INDEX_MUTANTS } from './index-mutants.ts'
import { type Mutant, mutant } from './mutant.ts'
import { OBSERVER_MUTANTS } from './observer-mutants.ts'
import { REDO_MUTANTS } from './redo-mutants.ts'
import { STATEMENT_MUTANTS } from './statement-mutants.ts'

const TRANSACTION = 'storage/transactions'
const PREWRITE = 'storage/transactions/percolator/prewrite.ts'
const COMMIT = 'storage/transactions/percolator/commit.ts'
const TWO_PHASE = 'storage/transactions/percolator/two-phase-commit.ts'
const ROLLBACK = 'storage/transactions/percolator/rollback.ts'
const COLLECTOR = 'storage/operations/garbage-collection/garbage-collector.ts'
const ORACLE = 'storage/transactions/oracle/shared-oracle.ts'

/** Of the protocol over a store that several gateways share. */
const GATEWAY_MUTANTS: readonly Mutant[] = [
  mutant({
    name: 'noWriteConflictCheck',
    what: 'a prewrite does not look for versions that were written since the snapshot',
    file: PREWRITE,
    find: '      writesFrom(column, startTs),\n',
    replace: '',
    caughtBy: { seedsMax: 20 },
  }),
  mutant({
    name: 'guardsNotChecked',
    what: 'a prewrite does not look for guards since the snapshot',
    file: PREWRITE,
    find: '      guardsFrom(column, startTs),\n',
    replace: '',
    caughtBy: { seedsMax: 100 },
  }),
  {
    name: 'eraseOnly',
    what: 'rolling back erases the locks and leaves no rollback record',
    edits: [
      {
        file: ROLLBACK,
        find: 'setRollback(owner.primary.column, owner.startTs, owner.by)',
        replace: '...[]',
        times: 3,
      },
      {
        file: 'storage/transactions/percolator/lock-resolver.ts',
        find: "      if (!isDead) return { kind: 'alive' }\n",
        replace:
          "      if (!isDead) return { kind: 'alive' }\n      if (status.kind === 'missing') return { kind: 'rolledBack' }\n",
      },
    ],
    caughtBy: { seedsMax: 100 },
  },
  mutant({
    name: 'noRollbackRecord',
    what: 'a primary that was seen without a lock counts as rolled back, and no record says so',
    file: 'storage/transactions/percolator/lock-resolver.ts',
    find: "      if (!isDead) return { kind: 'alive' }\n",
    replace:
      "      if (!isDead) return { kind: 'alive' }\n      if (status.kind === 'missing') return { kind: 'rolledBack' }\n",
    caughtBy: { script: 'latePrimaryAfterItsSecondaryWasErased' },
  }),
  mutant({
    name: 'rollbackRecordNotChecked',
    what: 'a late prewrite ignores the rollback record of its transaction',
    file: PREWRITE,
    find: '      rollbackOf(column, startTs),\n',
    replace: '',
    caughtBy: { seedsMax: 200 },
  }),
  mutant({
    name: 'readAheadPastLock',
    what: 'a row that is read ahead is held though a lock may hide a version of it',
    file: 'storage/transactions/percolator/snapshot.ts',
    find: 'if (hiding.length > 0 || bytes',
    replace: 'if (bytes',
    caughtBy: { workload: 'bank', seedsMax: 100 },
  }),
  mutant({
    name: 'readPastLock',
    what: 'a snapshot reads past locks instead of settling them',
    file: 'storage/transactions/percolator/snapshot.ts',
    find: 'hiding.length === 0',
    replace: 'hiding.length >= 0',
    caughtBy: { seedsMax: 20 },
  }),
  {
    name: 'abortOnCommitTimeout',
    what: 'a commit whose answer was lost is reported as rolled back',
    edits: [
      {
        file: COMMIT,
        find: '      if (mayBeSentAgain(error) && (await backoff.wait())) continue\n',
        replace: '',
      },
      {
        file: COMMIT,
        find: "      if (anAnswerWasLost) return 'unknown'\n      throw error",
        replace: '      throw error',
      },
    ],
    caughtBy: { seedsMax: 30 },
  },
  {
    name: 'commitTsBeforePrewrite',
    what: 'the commit timestamp is taken before the locks are held',
    edits: [
      {
        file: TWO_PHASE,
        find: '    const stamp = await takeCommitStamp(context, writeSet)\n',
        replace: '',
      },
      {
        file: TWO_PHASE,
        find: '    await prewriteRows(context, resolver, [primary, ...secondaries], startTs)',
        replace:
          '    const stamp = await takeCommitStamp(context, writeSet)\n    await prewriteRows(context, resolver, [primary, ...secondaries], startTs)',
      },
    ],
    caughtBy: { seedsMax: 50 },
  },
  mutant({
    name: 'secondariesCommittedFirst',
    what: 'the secondaries are committed before the primary',
    file: TWO_PHASE,
    find: '    const decided = await commitPrimary(',
    replace:
      '    await commitSecondaries(context, writeSet, stamp.timestamp)\n    const decided = await commitPrimary(',
    caughtBy: { seedsMax: 50 },
  }),
  mutant({
    name: 'uncondSecondary',
    what: 'secondaries are committed without the condition on their lock',
    file: COMMIT,
    find: '...commitRow(group, { conditionColumn: group.columns[0].column, ...stamps }),',
    replace:
      '...((step) => ({ when: [], ifMatched: [], otherwise: step.ifMatched }))(commitRow(group, { conditionColumn: group.columns[0].column, ...stamps })),',
    caughtBy: { seedsMax: 50 },
  }),
  mutant({
    name: 'halfRowGroup',
    what: 'only the first column of a row group is committed',
    file: 'storage/transactions/records/commit-row.ts',
    find: 'group.columns.flatMap(',
    replace: 'group.columns.slice(0, 1).flatMap(',
    caughtBy: { seedsMax: 20 },
  }),
  mutant({
    name: 'lockOnlyPrimary',
    what: 'a guard may be the primary',
    file: 'storage/transactions/percolator/write-set.ts',
    find: "      if (write.kind !== 'guard') return { row: key, column }",
    replace: '      if (write) return { row: key, column }',
    caughtBy: { seedsMax: 100 },
  }),
  mutant({
    name: 'scanSkipsLockOnlyRows',
    what: 'a scan does not look at rows that have only a lock so far',
    file: 'storage/transactions/percolator/snapshot-scan.ts',
    find: 'snapshot.settle(images, range',
    replace:
      "snapshot.settle(images.filter(({ cells }) => cells.some((one) => one.family === 'write')), range",
    caughtBy: { seedsMax: 100 },
  }),
  {
    name: 'uncondHeartbeat',
    what: 'a heartbeat sets the lock whether it stands or not',
    edits: [
      {
        file: 'storage/transactions/percolator/two-phase-commit.ts',
        find: 'when: [lockOf(primaryColumn, startTs)],',
        replace: 'when: [],',
      },
      {
        file: 'storage/transactions/percolator/two-phase-commit.ts',
        find: 'ifMatched: [setLock(primaryColumn, lock)],\n      otherwise: [],',
        replace: 'ifMatched: [],\n      otherwise: [setLock(primaryColumn, lock)],',
      },
    ],
    caughtBy: { seedsMax: 100 },
  },
  mutant({
    name: 'partialGroupRollback',
    what: 'rolling back a primary that was seen unlocked does not look whether its lock has come',
    file: ROLLBACK,
    find: '      lockOf(owner.primary.column, owner.startTs),\n    ],',
    replace: '    ],',
    caughtBy: { script: 'primaryLandsBetweenLookAndRollback' },
  }),
  mutant({
    name: 'noUnknownRule',
    what: 'a lost commit without a record is called rolled back, though history was collected',
    file: COMMIT,
    find: "  if (safePoint > startTs) return 'unknown'\n",
    replace: '  if (safePoint > startTs) throw rolledBack(startTs)\n',
    caughtBy: { script: 'recordCollectedBeforeTheLostAnswerIsLookedUp' },
  }),
  mutant({
    name: 'rIsProof',
    what: 'a rollback record proves a rollback even when history was collected',
    file: COMMIT,
    find: "  const { safePoint } = await context.oracle.next()\n  if (safePoint > startTs) return 'unknown'\n",
    replace:
      "  if (status.kind === 'rolledBack') throw rolledBack(startTs)\n  const { safePoint } = await context.oracle.next()\n  if (safePoint > startTs) return 'unknown'\n",
    caughtBy: { script: 'lateRollbackRecordAfterTheCommitWasCollected' },
  }),
  mutant({
    name: 'outcomeWithoutRecord',
    what: 'a transaction is said to be rolled back by age, and nothing keeps it from committing',
    file: `${TRANSACTION}/transaction-outcome.ts`,
    find: '    if (timestamp - startTs < openMsMax * 1000) return',
    replace:
      "    if (timestamp - startTs >= openMsMax * 1000) return { kind: 'rolledBack', reason: 'old' }\n    if (timestamp - startTs < openMsMax * 1000) return",
    caughtBy: { seedsMax: 200 },
  }),
  mutant({
    name: 'outcomeTrustsCollected',
    what: 'an outcome whose record was collected is said to be rolled back',
    file: `${TRANSACTION}/transaction-outcome.ts`,
    find: "    if (safePoint > startTs) return { kind: 'unknown' }\n",
    replace: '',
    caughtBy: { seedsMax: 100, bias: 'collecting' },
  }),
  mutant({
    name: 'blockOracle',
    what: 'each gateway takes a range of timestamps and hands it out by and by',
    file: ORACLE,
    find: '      const taken = await takeTimestamps(cellStore, wanted, served.schemaFences)\n',
    replace: [
      '      const block = this as unknown as { spare?: number; last?: OracleBlock }',
      '      type OracleBlock = Awaited<ReturnType<typeof takeTimestamps>>',
      '      if (block.last === undefined || (block.spare ?? 0) < served.count) {',
      '        block.last = await takeTimestamps(cellStore, { ...wanted, count: 100 }, served.schemaFences)',
      '        block.spare = 100',
      '      }',
      '      block.spare = (block.spare ?? 0) - served.count',
      '      const taken = { ...block.last, timestamp: block.last.timestamp - block.spare }\n',
    ].join('\n'),
    caughtBy: { seedsMax: 10 },
  }),
  mutant({
    name: 'timestampTwice',
    what: 'those who ask for a timestamp together are given the same one',
    file: ORACLE,
    find: 'timestamp: first + at }',
    replace: 'timestamp: first }',
    caughtBy: { seedsMax: 10 },
  }),
  mutant({
    name: 'longValueNotWritten',
    what: 'a prewrite forgets the value that is too long for the lock',
    file: PREWRITE,
    find: '[setData(column, startTs, value), setLock(column, lock)]',
    replace: '[setLock(column, lock)]',
    caughtBy: { seedsMax: 20 },
  }),
  mutant({
    name: 'noReadFence',
    what: 'what was read below the safe point is shown',
    file: 'storage/transactions/protocol/snapshot-age.ts',
    find: '  if (safePoint > readTs) throw snapshotTooOld(readTs, safePoint)\n',
    replace: '  void safePoint\n',
    caughtBy: { seedsMax: 300, bias: 'collecting' },
  }),
  mutant({
    name: 'emptyScanNotFenced',
    what: 'a scan below the safe point that finds nothing is shown as empty',
    file: 'storage/transactions/percolator/snapshot-scan.ts',
    find: '    if (settled.length === 0) await snapshot.checkReadable()\n',
    replace: '',
    caughtBy: { script: 'scanBelowTheSafePointFindsNothing' },
  }),
  mutant({
    name: 'noCommitFence',
    what: 'a transaction from before the safe point may commit',
    file: TWO_PHASE,
    find: '  if (stamp.safePoint > startTs) throw snapshotTooOld(startTs, stamp.safePoint)\n',
    replace: '',
    caughtBy: { script: 'commitBelowTheSafePointMeetsNoTombstone' },
  }),
  mutant({
    name: 'noSchemaFence',
    what: 'a commit does not look whether a definition has changed',
    file: TWO_PHASE,
    find: '&& stamp.schemaFence > startTs) {',
    replace: '&& stamp.schemaFence < 0) {',
    caughtBy: { seedsMax: 100 },
  }),
  mutant({
    name: 'schemaFenceRaisedOnce',
    what: 'a change of a definition raises the fence before its commit timestamp only',
    file: TWO_PHASE,
    find: '  if (raised.length > 0) await oracle.raiseSchemaFence(raised, stamp.timestamp)\n',
    replace: '',
    caughtBy: { seedsMax: 400 },
  }),
  mutant({
    name: 'fencesRaisedSideBySide',
    what: "the table's fence is not raised to a timestamp from after the raise of the catalog's (F4)",
    file: TWO_PHASE,
    find: `    const seen = await oracle.next()
    invariant((seen.catalogFence ?? catalogFence) >= catalogFence, 'F4', { catalogFence, seen })
    await oracle.raiseSchemaFence(changedSchemas, seen.timestamp)
`,
    replace: `    await oracle.raiseSchemaFence(changedSchemas, catalogFence)
`,
    caughtBy: { script: 'writerCommitsBetweenTheFences' },
  }),
  mutant({
    name: 'gcNoResolve',
    what: 'garbage is collected without settling the locks below the safe point',
    file: COLLECTOR,
    find: "const { collected: locksResolved } = await this.#inRanges('locks', bounds, signal)",
    replace: 'const locksResolved = 0',
    caughtBy: { script: 'lockOutlivesItsPrimaryRecord' },
  }),
  mutant({
    name: 'gcNoWait',
    what: 'garbage is collected while requests from before the safe point may still arrive',
    file: COLLECTOR,
    find: '    if (this.#requestLifeMs > 0) await clock.sleep(this.#requestLifeMs, signal)\n',
    replace: '',
    caughtBy: { script: 'latePrewriteAfterTheTombstoneWasCollected' },
  }),
  mutant({
    name: 'gcAboveTheSafePoint',
    what: 'versions are collected that living snapshots need',
    file: COLLECTOR,
    find: 'this.#deleteGarbage(range, bounds, signal, reached)',
    replace:
      'this.#deleteGarbage(range, { ...bounds, safePoint: this.#context.oracle.lastSeen() }, signal, reached)',
    caughtBy: { seedsMax: 100, bias: 'collecting' },
  }),
  mutant({
    name: 'gcTombstoneAlone',
    what: 'a delete is collected and the version that it hid is not',
    file: 'storage/operations/garbage-collection/row-garbage.ts',
    find: '{ until: timestamp + past }',
    replace: '{ from: goesItself ? timestamp : 0, until: timestamp + past }',
    caughtBy: { seedsMax: 100, bias: 'collecting' },
  }),
]

export const MUTANTS: readonly Mutant[] = [
  ...GATEWAY_MUTANTS,
  ...SHARED_WORK_MUTANTS,
  ...EMBEDDED_MUTANTS,
  ...FEED_MUTANTS,
  ...FULL_DISK_MUTANTS,
  ...IDENTITY_MUTANTS,
  ...INDEX_MUTANTS,
  ...LIVE_MUTANTS,
  ...STANDBY_MUTANTS,
  ...SCHEDULE_MUTANTS,
  ...RELAY_MUTANTS,
  ...OBSERVER_MUTANTS,
  ...REDO_MUTANTS,
  ...STATEMENT_MUTANTS,
]
