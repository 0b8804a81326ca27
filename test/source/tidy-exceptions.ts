// SPDX-License-Identifier: Apache-2.0
import type { Name, Word } from './tidy-rules.ts'

// What does not keep the rules of `tidy.test.ts` yet. These lists only shrink: who mends a place takes it out, and
// an entry that is no longer needed fails the test. The number is what the place may have at most.

export const LONG_FUNCTIONS: Readonly<Record<string, number>> = {
  // A transaction of the brokerage, frame by frame as its specification has it.
  'bench/brokerage/transactions/security-detail.ts securityDetail': 63,
  // One run under faults, told from its start to its end.
  'bench/brokerage/transactions/transactions.system.test.ts play': 86,
  'client-sdk/socket/flapping-server.system.test.ts (no name)': 88,
  'test/crash/full-disk-followers.system.test.ts followThroughAFullDisk': 73,
  'test/kill/kill-nine.system.test.ts killOverAndOver': 78,
  // Tables of cases.
  'storage/operations/garbage-collection/garbage-collector.test.ts a collection at 10 leaves': 107,
  'storage/observers/notifications/pending-change.test.ts the change that an observer has still to see': 85,
}

/** Exports that nothing imports, and packages that nothing uses. */
export const UNUSED_EXPORTS: Readonly<Record<string, number>> = {}

/** Words that were given up, each with what is said instead. The list grows as they go from the tree. */
export const WORDS: readonly Word[] = [
  { word: 'arrange', instead: 'name what is done, as absorbAppended does' },
  { word: 'heed', instead: 'say "react", or "ignore" for its contrary' },
  { word: 'TOO_MUCH', instead: 'say too much of what, as DEBT_OFF does' },
  { word: 'so many at a time', instead: 'name the number' },
  { word: 'mutex', instead: 'it is a latch in memory, and a lock in a cell' },
  { word: 'watermark', instead: 'it is the safe point' },
  { word: 'altogether', instead: 'say "in total", or "as a whole"' },
  { word: 'begins? anew', instead: 'say "restart"' },
  { word: 'begun anew', instead: 'say "restarted"' },
  { word: 'by half', instead: 'say "partially"' },
  { word: 'by turns', instead: 'say "alternately", or "in alternation"' },
  { word: 'dearer', instead: 'say "more expensive"' },
  { word: 'for want of', instead: 'say what there is not: "because there was no room"' },
  { word: 'told from chance', instead: 'say "distinguished from chance"' },
]

/** Words that pages do without, and comments not yet. */
export const PAGE_WORDS: readonly Word[] = [
  { word: 'everybody', instead: 'say who: "all clients", "every transaction"' },
  { word: 'somebody', instead: 'say who: "another client", "a reader"' },
  { word: 'under way', instead: 'say "in progress", or "running"' },
  { word: 'whoever', instead: 'say who: "clients that", "a transaction that"' },
]

/** Names of the code that say little, how often each stands there at most, and what is said instead. Only shrinks. */
export const NAMES: readonly Name[] = [
  { name: '\\w+Parts', max: 62, instead: 'a type of what is handed in ends in Dependencies' },
  { name: '\\w*Asked\\w*', max: 30, instead: 'it is a Request, or a Statement' },
  { name: 'asked', max: 35, instead: 'say "request", or "requested"' },
  { name: '\\w*Told', max: 30, instead: 'it is a Listener, or say what was sent' },
  { name: 'told', max: 82, instead: 'say "listener", "sent" or "reported"' },
  { name: '\\w*[oO]utside', max: 14, instead: 'what is handed in is deps' },
  { name: '\\w*[aA]round', max: 8, instead: 'say "options"' },
  { name: 'ways|[gG]round|\\w*[dD]oers\\w*|Hold|Payer', max: 13, instead: 'say what they are' },
]
