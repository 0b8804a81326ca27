// SPDX-License-Identifier: Apache-2.0
import { type Mutant, mutant } from './mutant.ts'

const FEED = 'storage/transactions/feed/embedded-feed.ts'
const FOLLOWER = 'storage/transactions/feed/follower.ts'
const SHARED = 'storage/transactions/feed/shared-feed.ts'
const TAIL = 'storage/transactions/feed/log-tail.ts'
const LOG_ENTRY = 'storage/transactions/feed/log-entry.ts'
const TRIM = 'storage/transactions/feed/trim-log.ts'
const ONE_PHASE = 'storage/transactions/one-process/one-phase-commit.ts'

const EMBEDDED = { topology: 'embedded', isFollowed: true } as const
const GATEWAYS = { topology: 'gateways', isFollowed: true } as const

/** Of the feed, with one owner of the store and with several. */
export const FEED_MUTANTS: readonly Mutant[] = [
  mutant({
    name: 'resolvedIgnoresPending',
    what: 'the feed goes up to the last timestamp, whatever is still under way',
    file: FEED,
    find: 'return latches.resolvedTimestamp(oracle.lastSeen())',
    replace: 'return latches.size < 0 ? 0 : oracle.lastSeen()',
    caughtBy: { seedsMax: 20, ...EMBEDDED },
  }),
  mutant({
    name: 'toldWhenQueued',
    what: 'a commit is told before it is on the disk',
    file: FEED,
    find: '    if (noted !== NOTHING_NOTED) this.#untold.push({ commitTs, rows })\n',
    replace: '    if (noted !== NOTHING_NOTED) this.#tell({ commitTs, rows })\n',
    caughtBy: { seedsMax: 20, ...EMBEDDED },
  }),
  mutant({
    name: 'rolledBackIsTold',
    what: 'a commit that was not applied is told',
    file: FEED,
    find: "    if (outcome === 'rolledBack') this.#forget(commitTs)\n",
    replace: '',
    caughtBy: { seedsMax: 50, ...EMBEDDED, bias: 'failing' },
  }),
  mutant({
    name: 'entryInItsOwnBatch',
    what: 'the entry of the log is not in the batch of the rows',
    file: ONE_PHASE,
    find: 'applied: cellStore.applyAtomically(batch, note) } // C5',
    replace:
      'applied: cellStore.applyAtomically(batch).finally(() => note && cellStore.applyAtomically([], note).catch(() => {})) }',
    caughtBy: { seedsMax: 50, ...EMBEDDED, commit: 'one-phase', bias: 'crashing' },
  }),
  mutant({
    name: 'turnBeforeGoingLive',
    what: 'a turn passes between the last page and going live',
    file: FEED,
    find: '        follower.goLive()\n',
    replace:
      '        for (let turn = 0; turn < 3; turn += 1) await nextTurn()\n        follower.goLive()\n',
    caughtBy: { seedsMax: 50, ...EMBEDDED },
  }),
  mutant({
    name: 'positionInclusive',
    what: 'commits up to the position that stand in a row with later ones are told again',
    file: FEED,
    find: '      if (commit.commitTs <= position) continue\n',
    replace: '',
    caughtBy: { seedsMax: 20, ...EMBEDDED },
  }),
  mutant({
    name: 'snapshotToldAgain',
    what: 'who began with a snapshot is told of commits that were pending then',
    file: FOLLOWER,
    find: ' || commit.commitTs <= this.#position',
    replace: '',
    caughtBy: { seedsMax: 50, ...EMBEDDED },
  }),
  mutant({
    name: 'feedWithoutFence',
    what: 'the log is read on from a position that collection has passed',
    file: FEED,
    find: 'const oldest = Math.max(oracle.safePoint, beginsAt)',
    replace: 'const oldest = beginsAt',
    caughtBy: { seedsMax: 50, ...EMBEDDED, bias: 'collecting' },
  }),
  mutant({
    name: 'logTailUnresolved',
    what: 'a page goes up to the end of the log',
    file: FEED,
    find: 'const end = Math.max(position, this.#resolvedNow())',
    replace: 'const end = oracle.lastSeen()',
    caughtBy: { seedsMax: 50, ...EMBEDDED },
  }),
  mutant({
    name: 'logRowToldWhole',
    what: 'of a row of the log all commits are told, also those above what is resolved',
    file: FEED,
    find: '      if (commit.commitTs > end) return { commits, position: end, isCaughtUp: true }\n',
    replace: '',
    caughtBy: { seedsMax: 50, ...EMBEDDED },
  }),
  {
    name: 'logTrimmedTooFar',
    what: 'a collection deletes entries above the safe point',
    edits: [
      {
        file: TRIM,
        find: 'noteRowKey(safePoint + 1)',
        replace: 'noteRowKey(safePoint + 1_000_000)',
      },
    ],
    caughtBy: { seedsMax: 20, ...EMBEDDED, bias: 'collecting' },
  },
  mutant({
    name: 'deletesNotLogged',
    what: 'a row that is deleted is not in the log',
    file: LOG_ENTRY,
    find: 'if (columns.length > 0) changed.push',
    replace: 'if (columns.length > 0 && !isDelete) changed.push',
    caughtBy: { seedsMax: 20, ...EMBEDDED },
  }),
  mutant({
    name: 'sharedLogWithoutLocks',
    what: 'rows of the shared log that are still locked are passed over',
    file: SHARED,
    find: "      { family: 'lock', timestamps: { until: until + 1 } },\n",
    replace: '',
    caughtBy: { seedsMax: 50, ...GATEWAYS },
  }),
  {
    name: 'sharedLogNotedAtStart',
    what: 'a commit is noted at its start, however long before it was',
    edits: [
      {
        file: SHARED,
        find: 'const notedAt = isYoung ? startTs : (await oracle.next()).timestamp',
        replace: 'const notedAt = isYoung || oracle ? startTs : 0',
      },
      { file: SHARED, find: 'notedAt + NOTED_BEFORE_MAX }', replace: 'Infinity }' },
    ],
    caughtBy: { seedsMax: 100, ...GATEWAYS, bias: 'collecting' },
  },
  mutant({
    name: 'sharedLogFromPosition',
    what: 'the shared log is read from the position on, though commits are noted before they are',
    file: SHARED,
    find: 'after - NOTED_BEFORE_MAX',
    replace: 'after',
    caughtBy: { seedsMax: 50, ...GATEWAYS },
  }),
  mutant({
    name: 'sharedFeedWithoutFence',
    what: 'what was read of the shared log is told though collection has passed the position',
    file: SHARED,
    find: '      await this.#checkKept(position)\n      return page\n',
    replace: '      return page\n',
    caughtBy: { seedsMax: 300, ...GATEWAYS, bias: 'collecting' },
  }),
  mutant({
    name: 'tailPassesOpenRows',
    what: 'commits are told though one that may be earlier is still locked',
    file: TAIL,
    find: 'Math.min(least, floor), known)',
    replace: 'Math.min(least, floor + 1e9), known)',
    caughtBy: { seedsMax: 400, ...GATEWAYS },
  }),
  mutant({
    name: 'tailKnownTooLate',
    what: 'a read resolves timestamps that were issued while it ran',
    file: TAIL,
    find: '(least, floor) => Math.min(least, floor), known)',
    replace:
      '(least, floor) => Math.min(least, floor), Math.max(known, this.#context.oracle.lastSeen()))',
    caughtBy: { seedsMax: 100, ...GATEWAYS },
  }),
  mutant({
    name: 'tailFromPosition',
    what: 'the end of the log is read from the position on, though commits are noted before they are',
    file: TAIL,
    find: 'this.#position - NOTED_BEFORE_MAX',
    replace: 'this.#position',
    caughtBy: { seedsMax: 50, ...GATEWAYS },
  }),
]
