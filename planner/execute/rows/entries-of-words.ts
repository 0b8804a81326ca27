// SPDX-License-Identifier: Apache-2.0
import { compareRowKeys, type MaybePromise, waitedFor } from '../../../storage/storage.ts'
import type { IndexDefinition, IndexEntry } from '../../../storage/tables/tables.ts'
import type { MatchPattern } from '../../expressions/match-pattern.ts'
import type { RangeOfValues } from '../../keys/key-range.ts'
import { TurnTaking } from './execution-context.ts'
import type { PassedEntry, Walking } from './walk-step.ts'
import { ENTRIES_AT_ONCE, seekAmong, WordEntries, wordsFrom } from './word-entries.ts'

/** Entries that store columns, which may be long: so many of all words are held, and one of each at least. */
const STORING_HELD = 200

/**
 * The entries of the rows that have all words of a pattern, each row once, under the keys of its first word. What
 * stands behind a word in a key is the same for all words of a row, so the entries of each word come in one order, by
 * which they are merged; what lacks another word is passed.
 *
 *     'percolator obs*'    percolator  3  4  9
 *                          observer    3  5        3 is found, 4 and 5 are passed, 9 is found
 *                          observes    9
 */
export function* entriesOfWords(
  walking: Walking,
  index: IndexDefinition,
  range: RangeOfValues,
  { words, prefix: begin }: MatchPattern,
): Generator<MaybePromise<ReadonlyArray<IndexEntry | PassedEntry>>, void, undefined> {
  const prefix = walking.plan.path.bounds.key.encode(range.values)
  const walk = { walking, index, range, prefix }
  const turns = new TurnTaking(walking.context)
  const begun = begin === undefined ? [] : yield* wordsFrom(walk, begin, turns)
  const share = Math.ceil(STORING_HELD / (1 + words.size + begun.length))
  const entriesMax = index.storing.length === 0 ? ENTRIES_AT_ONCE : Math.min(share, ENTRIES_AT_ONCE)
  const entriesOf = (word: string) => new WordEntries(walk, word, entriesMax)
  const requested = [...words].map((word) => [entriesOf(word)])
  if (begin !== undefined) requested.push(begun.map(entriesOf))
  const keyOf = (behind: Uint8Array) => Buffer.concat([prefix, behind])
  let batch: Array<IndexEntry | PassedEntry> = []
  let sought: Uint8Array | undefined
  // Words that stand at what is sought, the one of this turn the last of them.
  let agreeing = 0
  for (let turn = 0; ; turn = (turn + 1) % requested.length) {
    if (turns.isDue()) yield* waitedFor(turns.pause())
    const isFound = agreeing === requested.length
    const behind = yield* seekAmong(walk, requested[turn] ?? [], sought, isFound)
    if (behind === undefined) break
    if (sought !== undefined && !isFound && compareRowKeys(behind, sought) === 0) agreeing += 1
    else {
      if (sought !== undefined && !isFound) batch.push({ key: keyOf(sought) })
      sought = behind
      agreeing = 1
    }
    const entry = agreeing === requested.length ? requested[0]?.[0]?.entry : undefined
    if (entry !== undefined) batch.push({ ...entry, key: keyOf(sought) })
    if (batch.length < ENTRIES_AT_ONCE) continue
    yield batch
    batch = []
  }
  yield batch
}
