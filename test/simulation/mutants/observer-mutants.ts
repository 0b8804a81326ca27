// SPDX-License-Identifier: Apache-2.0
import { type Mutant, mutant } from './mutant.ts'

const OBSERVERS = 'storage/observers'
const DUE_ROWS = `${OBSERVERS}/due-rows.ts`
const CLEAR = 'storage/observers/notifications/clear-notification.ts'
const LEASED = `${OBSERVERS}/leased-notification.ts`
const PENDING = 'storage/observers/notifications/pending-change.ts'
const BACKFILL = `${OBSERVERS}/observer-backfill.ts`
const ACKNOWLEDGMENT = 'storage/observers/notifications/acknowledgment.ts'
const TWO_PHASE = 'storage/transactions/percolator/two-phase-commit.ts'
const PREWRITE = 'storage/transactions/percolator/prewrite.ts'
const CHANGES = 'storage/tables/catalog/observer-changes.ts'

const GATEWAYS = { workload: 'observers', topology: 'gateways' } as const
const EMBEDDED = { workload: 'observers', topology: 'embedded' } as const

/** How notify cells come into rows. */
const OF_WRITERS: readonly Mutant[] = [
  mutant({
    name: 'notifyAtCoordCommit',
    what: 'who commits sets the notify cells after the commit point, and not with the locks',
    file: PREWRITE,
    find: '[...locks, ...(group.notified ?? []).map((observerId) => setNotify(observerId, startTs))]',
    replace: 'locks',
    more: [
      {
        file: TWO_PHASE,
        find: '    isBeingFinished = true\n',
        replace: `    isBeingFinished = true
    context.background.start('notify', () =>
      context.cellStore.mutateRows(
        [primary, ...secondaries].map(({ row, notified = [] }) => ({
          row,
          mutations: notified.map((id) => ({
            kind: 'setCell', family: 'notify', qualifier: String(id), timestamp: startTs, value: Buffer.of(),
          })),
        })),
      ),
    )
`,
      },
    ],
    caughtBy: { seedsMax: 100, ...GATEWAYS },
  }),
  mutant({
    name: 'notifyOnlyPrimary',
    what: 'a write whose row is not the first of its transaction notifies nobody',
    file: 'storage/transactions/one-process/encoded-row.ts',
    find: '  if (notified !== undefined) {\n',
    replace: '  if (notified !== undefined && columns.length > 1) {\n',
    caughtBy: { seedsMax: 10, ...EMBEDDED, commit: 'one-phase' },
  }),
  mutant({
    name: 'weakAtStart',
    what: 'a weak notification stands at the start of its notifier',
    file: TWO_PHASE,
    find: 'hintsAtCommit(hints, stamp.timestamp)',
    replace: 'hintsAtCommit(hints, startTs)',
    caughtBy: { script: 'runBeginsWithinAWeakNotifier' },
  }),
  mutant({
    name: 'weakAfterCommit',
    what: 'a weak notification is written when its notifier has committed',
    file: TWO_PHASE,
    find: '    await setHints(context, hintsAtCommit(hints, stamp.timestamp))\n',
    replace: '',
    more: [
      {
        file: TWO_PHASE,
        find: '    isBeingFinished = true\n',
        replace: `    isBeingFinished = true
    context.background.start('notify', () => setHints(context, hintsAtCommit(hints, stamp.timestamp)))
`,
      },
    ],
    caughtBy: { script: 'weakNotifierDiesAtItsCommitPoint' },
  }),
]

/** What a run acknowledges, and what it looks at before. */
const OF_RUNS: readonly Mutant[] = [
  mutant({
    name: 'ackNow',
    what: 'a run acknowledges what was committed until its end, which it has not seen',
    file: LEASED,
    find: 'const acknowledged = encodeAck(transaction.startTs)',
    replace: 'const acknowledged = encodeAck(this.#deps.oracle.lastSeen() + 1)',
    caughtBy: { seedsMax: 10, ...EMBEDDED },
  }),
  mutant({
    name: 'ackBySeparateTransaction',
    what: 'the acknowledgment is written beside the run, which may commit without it',
    file: LEASED,
    find: '      transaction.put(this.key, ackColumn(this.observer.id), acknowledged)\n',
    replace: `      const own = await this.#deps.begin()
      own.put(this.key, ackColumn(this.observer.id), acknowledged)
      await own.commit()
`,
    caughtBy: { seedsMax: 10, ...EMBEDDED },
  }),
  mutant({
    name: 'runUnlooked',
    what: 'a run does not look whether there is still something to see',
    file: LEASED,
    find: 'const isPending = pending !== undefined\n',
    replace: 'const isPending = pending !== undefined || deadLetter.length > 0\n',
    caughtBy: { seedsMax: 10, ...EMBEDDED },
  }),
  mutant({
    name: 'newestWriteDecides',
    what: 'a change of a column that is not observed is taken for one that is',
    file: PENDING,
    find: 'return starts.has(decodeStartTs(cell.value)) ? cell.timestamp : undefined',
    replace: 'return starts.size > 0 ? cell.timestamp : undefined',
    more: [
      {
        file: PENDING,
        find: '    values: end === undefined ? { start } : { start, end },\n',
        replace: '',
      },
    ],
    caughtBy: { seedsMax: 40, ...EMBEDDED },
  }),
  mutant({
    name: 'settledLockOverlooked',
    what: 'a committed lock that has not become a write record yet is no change',
    file: PENDING,
    find: "return resolution.kind === 'committed' ? resolution.commitTs : undefined",
    replace: "return resolution.kind === 'committed' ? undefined : undefined",
    caughtBy: { script: 'runMeetsALockThatIsCommitted' },
  }),
]

/** What takes notify cells away. */
const OF_CLEARING: readonly Mutant[] = [
  mutant({
    name: 'notifyRangeOnly',
    what: 'notify cells up to the start of a run go, whoever is about to commit',
    file: CLEAR,
    find: '    when: unseenBefore(seen, until),\n',
    replace: '    when: [],\n',
    caughtBy: { seedsMax: 40, ...GATEWAYS },
  }),
  mutant({
    name: 'clearIgnoresLocks',
    what: 'notify cells are cleared beside the lock of a writer that was not seen',
    file: CLEAR,
    find: "    { family: 'lock', qualifier, timestamps: { until } },\n",
    replace: '',
    caughtBy: { seedsMax: 300, ...GATEWAYS },
  }),
  mutant({
    name: 'clearIgnoresWrites',
    what: 'notify cells are cleared beside the write record of a writer that was not seen',
    file: CLEAR,
    find: 'timestamps: { from: seenAt + 1 },',
    replace: 'timestamps: { from: seenAt + 1e12 },',
    caughtBy: { seedsMax: 60, ...EMBEDDED },
  }),
  mutant({
    name: 'clearWhileBackfilling',
    what: 'who finds nothing to see clears all cells, though those of older rows are just coming',
    file: LEASED,
    find: 'isAll: isPending || found.observer.isBackfilled',
    replace: 'isAll: isPending || found.observer.columns.length > 0',
    caughtBy: { script: 'backfillComesAfterTheLook' },
  }),
  mutant({
    name: 'clearAll',
    what: 'notify cells that came after the start of a run go with those it has seen',
    file: CLEAR,
    find: '    otherwise: [eraseNotify(seen.observerId, until)],\n',
    replace: '    otherwise: [eraseNotify(seen.observerId, until + 1e12)],\n',
    caughtBy: { seedsMax: 40, ...EMBEDDED },
  }),
  mutant({
    name: 'weakDelAll',
    what: 'weak notifications that came after the start of a run go with those it has seen',
    file: CLEAR,
    find: '    otherwise: [eraseNotify(observerId, seenAt + 1)],\n',
    replace: '    otherwise: [eraseNotify(observerId, seenAt + 1e12)],\n',
    caughtBy: { seedsMax: 200, ...EMBEDDED },
  }),
  mutant({
    name: 'gcDropsPending',
    what: 'garbage collection takes away what a notify cell names',
    file: 'storage/operations/garbage-collection/row-garbage.ts',
    find: 'counts = Math.min(counts, changedBy)',
    replace: 'counts = Math.min(counts, changedBy + 1e12)',
    caughtBy: { seedsMax: 200, ...EMBEDDED, bias: 'collecting' },
  }),
]

/** What waits for its time. */
const OF_DUE_ROWS: readonly Mutant[] = [
  mutant({
    name: 'dueEntryStays',
    what: 'what waited for its time waits on when it was handed out',
    file: DUE_ROWS,
    find: '      transaction.delete(entry.key, ROW_COLUMN)\n',
    replace: '',
    caughtBy: { script: 'lotsAreClosedAtTheirTimes' },
  }),
  mutant({
    name: 'dueBeforeItsTime',
    what: 'a row is handed out an hour before its time',
    file: DUE_ROWS,
    find: 'if (time > today)',
    replace: 'if (time > today + 3_600_000_000n)',
    caughtBy: { script: 'lotsAreClosedAtTheirTimes' },
  }),
  mutant({
    name: 'dueNeverFromTheBeginning',
    what: 'a time of before the last look is not looked for',
    file: `${OBSERVERS}/due-looks.ts`,
    find: 'return this.#deps.clock.monotonicMs() >= this.#wholeMs',
    replace: 'return this.#wholeMs === 0',
    caughtBy: {
      file: `${OBSERVERS}/due-looks.test.ts`,
      test: 'go on from what was handed out, and find what was written with a time of before',
    },
  }),
  mutant({
    name: 'dueOfTheDropped',
    what: 'rows are handed out of an observer that is dropped while they are looked for',
    file: DUE_ROWS,
    find: '  transaction.dependOnSchema(table.id)\n',
    replace: '',
    caughtBy: {
      file: `${OBSERVERS}/due-rows.test.ts`,
      test: 'gets nothing when it is dropped while a look is under way (T1)',
    },
  }),
  mutant({
    name: 'dueOnceForEver',
    what: 'a change that leaves the time as it was makes no row due',
    file: 'storage/tables/rows/index-maintenance.ts',
    find: 'if (index.isDue || !isSame(',
    replace: 'if (!isSame(',
    caughtBy: { script: 'lotsAreClosedAtTheirTimes' },
  }),
  mutant({
    name: 'noTimeIsDue',
    what: 'a row without a time waits for one',
    file: 'storage/tables/bytes/index-entry.ts',
    find: '  if (index.isDue && values[0] === null) return []\n',
    replace: '',
    caughtBy: { script: 'lotsAreClosedAtTheirTimes' },
  }),
  mutant({
    name: 'dueRowsOfBeforeForgotten',
    what: 'rows that were there before their observer wait for nothing',
    file: BACKFILL,
    find: '      transaction.put(key, ROW_COLUMN, value)\n',
    replace: '      void [key, value]\n',
    caughtBy: { script: 'lotsAreClosedAtTheirTimes' },
  }),
  mutant({
    name: 'movedRowRuns',
    what: 'a row that was moved after it had been handed out runs at the time of before',
    file: LEASED,
    find: 'if (isDue(found.observer) && !isHandedOut(',
    replace: 'if (false && isDue(found.observer) && !isHandedOut(',
    caughtBy: { script: 'lotIsMovedWhenItWasHandedOut' },
  }),
  mutant({
    name: 'dueEntriesCollected',
    what: 'garbage collection takes what waits for its time for entries of a dropped index',
    file: 'storage/tables/rows/abandoned-rows.ts',
    find: 'catalog.entryIndexes()',
    replace: 'catalog.indexes()',
    caughtBy: { script: 'lotWaitsBesideACollection' },
  }),
]

/** The rows of before. */
const OF_BACKFILL: readonly Mutant[] = [
  mutant({
    name: 'backfillUnsettled',
    what: 'rows are notified as the store shows them, without waiting for commits under way',
    file: BACKFILL,
    find: 'const lastSeen = await settleRows(transaction, { start, end: tableEnd, columns }, bounds)',
    replace: 'const lastSeen = undefined; void settleRows',
    caughtBy: { script: 'rowsNotInViewWhenTheirObserverIsCreated' },
  }),
  mutant({
    name: 'replayAtOldTimestamp',
    what: 'a replay notifies at the start of the change, where a late run clears it',
    file: 'storage/transactions/records/notify-cell.ts',
    find: '[setNotify(observerId, startTs, changedBy)]',
    replace: '[setNotify(observerId, changedBy)]',
    more: [
      {
        file: 'storage/transactions/records/notify-cell.ts',
        find: '[setNotify(observerId, timestamp, changedBy)]',
        replace: '[setNotify(observerId, changedBy ?? timestamp)]',
      },
    ],
    caughtBy: { seedsMax: 300, ...EMBEDDED },
  }),
  mutant({
    name: 'noFenceAtCreateObserver',
    what: 'CREATE OBSERVER lets those who write by the definition of before commit',
    file: CHANGES,
    find: 'changeTable(transaction, changed)',
    replace: 'changeTable(transaction, changed, { isFenced: false })',
    caughtBy: { seedsMax: 200, ...GATEWAYS },
  }),
  mutant({
    name: 'replayForgetsOlder',
    what: 'what an acknowledgment older than a replay had not seen counts as seen',
    file: ACKNOWLEDGMENT,
    find: 'return Math.min(known, replayFrom - 1)',
    replace: 'return replayFrom - 1',
    caughtBy: { seedsMax: 100, ...EMBEDDED },
  }),
  mutant({
    name: 'replayEndsBackfill',
    what: 'a replay forgets the rows of which CREATE OBSERVER had still to tell',
    file: CHANGES,
    find: 'isBackfilled ? from : Math.min(from, before)',
    replace: 'isBackfilled ? from : from',
    caughtBy: { script: 'replayWhileOlderRowsAreBeingTold' },
  }),
  mutant({
    name: 'positionOfAnOlderReplay',
    what: 'a replay goes on where the one before it was',
    file: `${OBSERVERS}/backfill-position.ts`,
    find: 'return epoch === (observer.epoch ?? 0) ? last : undefined',
    replace: 'return epoch === (observer.epoch ?? 0) ? last : last',
    caughtBy: { seedsMax: 600, ...EMBEDDED },
  }),
]

export const OBSERVER_MUTANTS: readonly Mutant[] = [
  ...OF_WRITERS,
  ...OF_RUNS,
  ...OF_CLEARING,
  ...OF_DUE_ROWS,
  ...OF_BACKFILL,
]
