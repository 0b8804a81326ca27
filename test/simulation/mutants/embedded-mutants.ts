// SPDX-License-Identifier: Apache-2.0
import { type Mutant, mutant } from './mutant.ts'

const ONE_PHASE = 'storage/transactions/one-process/one-phase-commit.ts'
const IN_TURNS = 'storage/transactions/one-process/latch-in-turns.ts'
const VIEW_SCAN = 'storage/transactions/one-process/view/view-scan.ts'
const VIEW_SNAPSHOT = 'storage/transactions/one-process/view/view-snapshot.ts'
const LATCHES = 'storage/transactions/one-process/latches/latch-table.ts'
const NEWEST = 'storage/transactions/one-process/latches/newest-records.ts'
const FENCES = 'storage/transactions/one-process/commit-fences.ts'
const ORACLE = 'storage/transactions/oracle/embedded-oracle.ts'
const OUTCOME = 'storage/transactions/transaction-outcome.ts'
const PARTS = 'storage/protocol-parts.ts'
const COLLECTOR = 'storage/operations/garbage-collection/garbage-collector.ts'
const WRITER = 'test/simulation/simulated/simulated-writer.ts'
const STORE = 'test/simulation/simulated/simulated-embedded-store.ts'

const REST = 'context.clock.sleep(context.randomness.fraction() * 5)'
const PAUSE = `await ${REST}\n`

/** The turn that checks, stamps, latches and queues is torn apart. */
const TORN_TURN = [
  {
    file: ONE_PHASE,
    find: ': latchAndQueue(context, commit)',
    replace: ': await latchAndQueue(context, commit)',
  },
  {
    file: ONE_PHASE,
    find: 'function latchAndQueue(context: EmbeddedContext, commit: OnePhaseCommit): Queued | Obstacle {',
    replace:
      'async function latchAndQueue(context: EmbeddedContext, commit: OnePhaseCommit): Promise<Queued | Obstacle> {',
  },
]

/** The turns of a large commit take as long as those of hundreds of rows do. */
const LONG_TURNS = {
  file: IN_TURNS,
  find: '      rows.push(...encoded)\n      await nextTurn()\n',
  replace: `      rows.push(...encoded)\n      ${PAUSE}`,
}

/** Of one-phase commit, and of the process that owns its store alone. */
export const EMBEDDED_MUTANTS: readonly Mutant[] = [
  {
    name: 'stampAwaitLatch',
    what: 'a turn passes between the commit timestamp and the latch',
    edits: [
      ...TORN_TURN,
      {
        file: ONE_PHASE,
        find: '  const owner = latches.latch(',
        replace: `  ${PAUSE}  const owner = latches.latch(`,
      },
    ],
    caughtBy: { seedsMax: 20, topology: 'embedded', commit: 'one-phase' },
  },
  {
    name: 'checkAwaitLatch',
    what: 'a turn passes between the look for conflicts and the latch',
    edits: [
      ...TORN_TURN,
      {
        file: ONE_PHASE,
        find: '  const commitTs = oracle.take() // C3\n',
        replace: `  ${PAUSE}  const commitTs = oracle.take()\n`,
      },
    ],
    caughtBy: { seedsMax: 20, topology: 'embedded', commit: 'one-phase' },
  },
  mutant({
    name: 'latchWithoutStamp',
    what: 'the latch is not told the commit timestamp, so readers do not wait for it',
    file: ONE_PHASE,
    find: '  latches.stamp(owner, commitTs)\n',
    replace: '',
    caughtBy: { seedsMax: 20, topology: 'embedded', commit: 'one-phase' },
  }),
  mutant({
    name: 'conflictsOnlyInView',
    what: 'a commit looks for versions in the view and not for latches',
    file: ONE_PHASE,
    find: 'findForeignLatch(latches, rows, startTs) ?? ',
    replace: '',
    caughtBy: { seedsMax: 20, topology: 'embedded', commit: 'one-phase' },
  }),
  mutant({
    name: 'conflictsOnlyInLatches',
    what: 'a commit looks for latches and not for versions in the view',
    file: ONE_PHASE,
    find: ' ?? findVersion(context, rows, startTs)',
    replace: '',
    caughtBy: { seedsMax: 60, topology: 'embedded', commit: 'one-phase' },
  }),
  mutant({
    name: 'releasedWritesForgotten',
    what: 'a row whose latch has gone is taken for one that was not written since the snapshot',
    file: LATCHES,
    find: '      if (commitTs !== undefined) this.#recentWrites.committed(hash, commitTs)\n',
    replace: '      void commitTs\n',
    caughtBy: { seedsMax: 20, topology: 'embedded' },
  }),
  mutant({
    name: 'releasedRecordsKept',
    what: 'a record in memory is not forgotten when the row gets a newer one',
    file: LATCHES,
    find: '      this.newest.forget(text, hash)\n',
    replace: '',
    caughtBy: { seedsMax: 100, topology: 'embedded', commit: 'one-phase' },
  }),
  mutant({
    name: 'olderRecordsKept',
    what: 'a record that an old snapshot has read is kept although there is a newer one',
    file: NEWEST,
    find: '    if (this.#recentWrites.mayBeSince(hash, readTs)) return\n',
    replace: '',
    caughtBy: { seedsMax: 20, topology: 'embedded' },
  }),
  mutant({
    name: 'readersIgnoreLatches',
    what: 'a read of rows does not wait for the latches on them',
    file: LATCHES,
    find: '    return isVisibleAt(latch.owner, readTs) ? latch.owner : undefined\n',
    replace: '    return undefined\n',
    caughtBy: { seedsMax: 20, topology: 'embedded' },
  }),
  mutant({
    name: 'scansIgnoreLatches',
    what: 'a scan waits for latches on rows that the view has, and not on new ones',
    file: VIEW_SCAN,
    find: 'const owner = hidingIn(context, snapshot, { range, from: rest, to: chunk.rest })',
    replace: [
      'void hidingIn',
      'const owner = chunk.rows',
      '  .map(({ key }) => context.latches.hiding(key, snapshot.readTs))',
      '  .find((one) => one !== undefined)',
    ].join('\n'),
    caughtBy: { seedsMax: 50, topology: 'embedded' },
  }),
  mutant({
    name: 'chunkOlderThanItsLatches',
    what: 'a turn passes between a chunk of a scan and the look at the latches of its range',
    file: VIEW_SCAN,
    find: '    const owner = hidingIn(',
    replace: `    yield* waitedFor(${REST})\n    const owner = hidingIn(`,
    caughtBy: { seedsMax: 50, topology: 'embedded' },
  }),
  {
    name: 'releaseWhenQueued',
    what: 'the latches are released as soon as the batch is queued',
    edits: [
      {
        file: ONE_PHASE,
        find: '    await applied\n',
        replace: '    latches.settle(owner)\n    latches.release(owner, rows)\n    await applied\n',
      },
      {
        file: ONE_PHASE,
        find: '  const released = releaseRows(',
        replace: '  const released = (() => {})(',
      },
    ],
    caughtBy: { seedsMax: 20, topology: 'embedded', commit: 'one-phase' },
  },
  mutant({
    name: 'answerOnOldView',
    what: 'the engine answers while a read transaction from before is still open',
    file: STORE,
    find: 'answering: () => this.#endReadTransaction(),',
    replace: 'answering: () => {},',
    caughtBy: { seedsMax: 20, topology: 'embedded' },
  }),
  {
    name: 'answerBeforeDurable',
    what: 'the engine answers what is visible and not yet durable',
    edits: [
      {
        file: WRITER,
        find: '      shown(group.changes)\n',
        replace: '      shown(group.changes)\n      this.#answer(answer)\n',
      },
      {
        file: WRITER,
        find: 'if (left === 0) this.#end(answer)',
        replace: 'if (left === 0) this.#end(() => {})',
      },
    ],
    caughtBy: { seedsMax: 50, topology: 'embedded' },
  },
  {
    name: 'guardsNotLatched',
    what: 'the latch of a guard does not stand in the way of a commit',
    edits: [
      {
        file: LATCHES,
        find: '    return this.#latches.get(text, hash)?.owner\n',
        replace:
          "    const latch = this.#latches.get(text, hash)\n    return latch?.kind === 'guard' ? undefined : latch?.owner\n",
      },
      {
        file: LATCHES,
        find: "      if (isLatched) throw new InvariantViolation('J2', { startTs, row: hexOf(text) })\n",
        replace: '',
      },
    ],
    caughtBy: { seedsMax: 600, topology: 'embedded', commit: 'one-phase' },
  },
  {
    name: 'noCheckAfterWaiting',
    what: 'a commit that has waited for a latch does not look again',
    edits: [
      {
        file: ONE_PHASE,
        find: '      await untilGone(context, step)\n',
        replace:
          '      await untilGone(context, step)\n      commit = commit && { ...commit, ...{ waited: true } }\n',
      },
      {
        file: ONE_PHASE,
        find: 'const commit = isLarge',
        replace: 'let commit = isLarge',
      },
      {
        file: ONE_PHASE,
        find: 'const obstacle = ',
        replace: "const obstacle = 'waited' in commit ? undefined : ",
      },
    ],
    caughtBy: { seedsMax: 150, topology: 'embedded', commit: 'one-phase' },
  },
  mutant({
    name: 'queuedAgain',
    what: 'a batch that was not applied is queued again under its old commit timestamp',
    file: ONE_PHASE,
    find: '  const isCommitted = refusal === undefined\n  latches.settle(owner)\n',
    replace: [
      '  const isCommitted = refusal === undefined',
      '  latches.settle(owner)',
      '  if (!isCommitted) {',
      '    latches.release(owner, rows)',
      '    const stamps = { startTs: owner.startTs, commitTs }',
      '    await context.cellStore.applyAtomically(rows.map((row) => commitStep(row, stamps)))',
      "    return { kind: 'committed', commitTs }",
      '  }\n',
    ].join('\n'),
    caughtBy: { seedsMax: 50, topology: 'embedded', commit: 'one-phase', bias: 'failing' },
  }),
  mutant({
    name: 'commitErrorIsAbort',
    what: 'an error from COMMIT is taken for a rollback',
    file: ONE_PHASE,
    find: 'if (!isNotApplied(error)) return inDoubt(context, owner.startTs, error)\n',
    replace: 'void [isNotApplied, inDoubt]\n',
    caughtBy: { seedsMax: 100, topology: 'embedded', commit: 'one-phase', bias: 'failing' },
  }),
  mutant({
    name: 'stampsAboveTheMark',
    what: 'timestamps above the mark are given out before it has been raised on disk',
    file: ORACLE,
    find: '    if (timestamp > this.#mark) return undefined\n',
    replace: '    if (timestamp > this.#mark) this.#renewMarkInBackground()\n',
    caughtBy: { seedsMax: 50, topology: 'embedded' },
  }),
  mutant({
    name: 'noReadFenceOnView',
    what: 'what was read below the safe point is shown',
    file: VIEW_SNAPSHOT,
    find: '    if (safePoint > this.readTs) throw snapshotTooOld(this.readTs, safePoint)\n',
    replace: '    void safePoint\n    void snapshotTooOld\n',
    caughtBy: { seedsMax: 100, topology: 'embedded', bias: 'collecting' },
  }),
  mutant({
    name: 'noFenceAtC1',
    what: 'a transaction from before the safe point may commit',
    file: FENCES,
    find: '  if (oracle.safePoint > startTs) return snapshotTooOld(startTs, oracle.safePoint)\n',
    replace: '  void snapshotTooOld\n',
    caughtBy: { seedsMax: 200, topology: 'embedded', bias: 'interactive' },
  }),
  mutant({
    name: 'noSchemaFenceAtC1',
    what: 'a commit does not look whether a definition has changed',
    file: FENCES,
    find: 'return schemaFence > startTs ? schemaChanged(startTs, schemaFence) : undefined',
    replace: 'return schemaFence < 0 ? schemaChanged(startTs, schemaFence) : undefined',
    caughtBy: { seedsMax: 100, topology: 'embedded' },
  }),
  mutant({
    name: 'largeCheckAwaitLatch',
    what: 'a turn passes between the look at some rows of a large commit and their latches',
    file: IN_TURNS,
    find: '      latches.add(owner, encoded)\n',
    replace: `      ${PAUSE}      latches.add(owner, encoded)\n`,
    caughtBy: { seedsMax: 50, topology: 'embedded', commit: 'one-phase' },
  }),
  {
    name: 'largeLatchedAtTheEnd',
    what: 'a large commit latches all its rows after it has looked at the last of them',
    edits: [
      LONG_TURNS,
      { file: IN_TURNS, find: '      latches.add(owner, encoded)\n', replace: '' },
      {
        file: IN_TURNS,
        find: '  } catch (error) {\n    latches.release(owner, rows)\n    throw error\n  }\n  return',
        replace: '    latches.add(owner, rows)\n  } finally {}\n  return',
      },
      {
        file: IN_TURNS,
        find: '        latches.release(owner, rows)\n        return obstacle\n',
        replace: '        return obstacle\n',
      },
    ],
    caughtBy: { seedsMax: 50, topology: 'embedded', commit: 'one-phase' },
  },
  {
    name: 'largeStampedEarly',
    what: 'a large commit takes its timestamp before it latches its rows',
    edits: [
      LONG_TURNS,
      {
        file: ONE_PHASE,
        find: '  const latched = await latchInTurns(context, request)\n',
        replace:
          '  const early = oracle.take()\n  const latched = await latchInTurns(context, request)\n',
      },
      {
        file: ONE_PHASE,
        find: '      const commitTs = oracle.take()\n      if',
        replace: '      const commitTs = early ?? oracle.take()\n      if',
      },
    ],
    caughtBy: { seedsMax: 50, topology: 'embedded', commit: 'one-phase' },
  },
  mutant({
    name: 'largeLatchesKept',
    what: 'a large commit that is refused keeps the latches of the rows it has looked at',
    file: IN_TURNS,
    find: '        latches.release(owner, rows)\n        return obstacle\n',
    replace: '        return obstacle\n',
    caughtBy: { seedsMax: 50, topology: 'embedded', commit: 'one-phase' },
  }),
  mutant({
    name: 'largeVersionsIgnored',
    what: 'a commit of several turns does not look for versions since its snapshot',
    file: IN_TURNS,
    find: 'findVersion(context, encoded, startTs)',
    replace: '(void findVersion, undefined)',
    caughtBy: { seedsMax: 20, topology: 'embedded', commit: 'one-phase' },
  }),
  {
    name: 'locksNotLoaded',
    what: 'a start in one phase does not settle the locks that processes before it left',
    edits: [
      {
        file: PARTS,
        find: 'await new LockSweeper(context, resolver).sweep()',
        replace: '{ resolved: 0 }',
      },
    ],
    caughtBy: { seedsMax: 50, topology: 'embedded', commit: 'changing', bias: 'crashing' },
  },
  {
    name: 'fenceAfterTruncation',
    what: 'the safe point is raised after the versions below it have been deleted',
    edits: [
      {
        file: COLLECTOR,
        find: 'const raising = this.#context.oracle.raiseSafePoint(safePoint, signal)',
        replace: 'const raising = Promise.resolve()',
      },
      {
        file: COLLECTOR,
        find: '    const bytesReclaimed = ',
        replace:
          '    await this.#context.oracle.raiseSafePoint(safePoint)\n    const bytesReclaimed = ',
      },
    ],
    caughtBy: { seedsMax: 150, topology: 'embedded', bias: 'collecting' },
  },
  mutant({
    name: 'statusWithoutFence',
    what: 'after a restart, an outcome whose record was collected is said to be rolled back',
    file: OUTCOME,
    find: "    if (safePoint > startTs) return { kind: 'unknown' }\n",
    replace: '',
    caughtBy: { seedsMax: 100, topology: 'embedded', bias: 'collecting' },
  }),
]
