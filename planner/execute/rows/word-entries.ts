// SPDX-License-Identifier: Apache-2.0
import {
  compareRowKeys,
  endOfPrefix,
  hasPrefix,
  keyAfter,
  waitedFor,
} from '../../../storage/storage.ts'
import {
  decodeEntryKey,
  type IndexDefinition,
  type IndexEntry,
  scanIndexEntries,
} from '../../../storage/tables/tables.ts'
import { NODE_UNITS } from '../../expressions/work-meter.ts'
import type { BoundingMatch, KeyRange, RangeOfValues } from '../../keys/key-range.ts'
import { limitExceeded } from '../../plan-error.ts'
import { PLANNER_LIMITS } from '../../planner-limits.ts'
import type { TurnTaking } from './execution-context.ts'
import type { Walking } from './walk-step.ts'

/** Entries that are read together. */
export const ENTRIES_AT_ONCE = 20

/** What a source of batches waits for on its way to a value. */
type WaitedFor<T> = Generator<Promise<readonly never[]>, T, undefined>

/** The walk through an index of words, within the range of the first word of a pattern. */
export type WordWalk = {
  readonly walking: Walking
  readonly index: IndexDefinition
  readonly range: RangeOfValues
  /** What the keys of the first word begin with. */
  readonly prefix: Uint8Array
}

/** The entries of one word, read a few at a time: what lies between them and what is sought is not read. */
export class WordEntries {
  readonly #walk: WordWalk
  readonly #prefix: Uint8Array
  readonly #entriesMax: number
  #ahead: KeyRange
  #held: readonly IndexEntry[] = []
  #at = 0

  constructor(walk: WordWalk, word: string, entriesMax: number) {
    const { walking, range, prefix } = walk
    const { key, match } = walking.plan.path.bounds
    this.#walk = walk
    this.#prefix = key.encode(range.values.with((match as BoundingMatch).at, word))
    this.#entriesMax = entriesMax
    const moved = (bound: Uint8Array, otherwise: Uint8Array): Uint8Array =>
      hasPrefix(bound, prefix) ? this.#keyOf(bound.subarray(prefix.length)) : otherwise
    const start = moved(range.start, this.#prefix)
    this.#ahead = { start, end: moved(range.end, endOf(this.#prefix)) }
  }

  get entry(): IndexEntry | undefined {
    return this.#held[this.#at]
  }

  /** What stands behind the word in the key of the entry. */
  get behind(): Uint8Array | undefined {
    return this.entry?.key.subarray(this.#prefix.length)
  }

  /** Goes on along the walk to the first entry that is not before what is sought, or with `isAfter` is after it. */
  *seek(sought: Uint8Array | undefined, isAfter: boolean): WaitedFor<void> {
    for (;;) {
      while (this.behind !== undefined && isPassed(this.#walk, this.behind, sought, isAfter))
        this.#at += 1
      const { start, end } = this.#ahead
      if (this.behind !== undefined || compareRowKeys(start, end) >= 0) return
      yield* this.#read(sought === undefined ? undefined : this.#keyOf(sought))
    }
  }

  *#read(sought: Uint8Array | undefined): WaitedFor<void> {
    const { reverse } = this.#walk.walking.plan.path
    let { start, end } = this.#ahead
    if (sought !== undefined && !reverse && compareRowKeys(sought, start) > 0) start = sought
    if (sought !== undefined && reverse && compareRowKeys(sought, end) < 0) end = keyAfter(sought)
    this.#held = yield* readEntries(this.#walk, { start, end }, reverse, this.#entriesMax)
    this.#at = 0
    const last = this.#held.at(-1)?.key ?? (reverse ? start : end)
    this.#ahead = reverse ? { start, end: last } : { start: keyAfter(last), end }
  }

  #keyOf(behind: Uint8Array): Uint8Array {
    return Buffer.concat([this.#prefix, behind])
  }
}

/**
 * Goes on with the entries of several words, of which a row may have more than one. They stand in the order in which
 * the walk comes to them, those that have not begun first; one that has ended is taken out.
 */
export function* seekAmong(
  walk: WordWalk,
  words: WordEntries[],
  sought: Uint8Array | undefined,
  isAfter: boolean,
): WaitedFor<Uint8Array | undefined> {
  for (;;) {
    const [first] = words
    const behind = first?.behind
    if (first === undefined) return undefined
    if (behind !== undefined && !isPassed(walk, behind, sought, isAfter)) return behind
    words.shift()
    yield* first.seek(sought, isAfter)
    const found = first.behind
    if (found === undefined) continue
    let [from, to] = [0, words.length]
    while (from < to) {
      const middle = (from + to) >> 1
      const other = words[middle]?.behind
      if (other === undefined || isPassed(walk, other, found, false)) from = middle + 1
      else to = middle
    }
    words.splice(from, 0, first)
  }
}

/** The words of entries that begin like this one. Throws PlanError limit_exceeded above `matchPrefixWordsMax`. */
export function* wordsFrom(
  walk: WordWalk,
  begin: string,
  turns: TurnTaking,
): WaitedFor<readonly string[]> {
  const { walking, index, range } = walk
  const { plan } = walking
  const { key, match } = plan.path.bounds
  const { at } = match as BoundingMatch
  const first = key.encodeTextPrefix(range.values.slice(0, at), begin)
  const words: string[] = []
  for (let start = first; ; ) {
    if (turns.isDue(ENTRIES_AT_ONCE)) yield* waitedFor(turns.pause())
    const found = yield* readEntries(walk, { start, end: endOf(first) }, false, ENTRIES_AT_ONCE)
    for (const entry of found) {
      if (compareRowKeys(entry.key, start) < 0) continue
      const word = decodeEntryKey(plan.table, index, entry.key).values[at] as string
      words.push(word)
      start = endOf(key.encode([...range.values.slice(0, at), word]))
    }
    const max = PLANNER_LIMITS.matchPrefixWordsMax
    if (words.length > max) {
      const message = `More than ${max} words of the index begin with "${begin}".`
      const where = { position: plan.position, hint: 'Write more of the word.' }
      throw limitExceeded('matchPrefixWordsMax', words.length, message, where)
    }
    if (found.length < ENTRIES_AT_ONCE) return words
  }
}

function* readEntries(
  { walking, index }: WordWalk,
  range: KeyRange,
  reverse: boolean,
  limit: number,
): WaitedFor<readonly IndexEntry[]> {
  const { plan, context, scope } = walking
  const { signal } = context
  const scan = { ...range, reverse, limit, ...(signal === undefined ? {} : { signal }) }
  const entries: IndexEntry[] = []
  for (const next of scanIndexEntries(context.transaction, plan.table, index, scan)) {
    entries.push(...(yield* waitedFor(next)))
  }
  scope.work.spend(NODE_UNITS * (1 + entries.length))
  return entries
}

/** Whether the walk comes to it before what is sought, or with `isAfter` at the latest there. */
function isPassed(
  { walking }: WordWalk,
  behind: Uint8Array,
  sought: Uint8Array | undefined,
  isAfter: boolean,
): boolean {
  if (sought === undefined) return false
  const order = compareRowKeys(behind, sought)
  return order === 0 ? isAfter : order < 0 !== walking.plan.path.reverse
}

/** Every key of an index begins with a byte below FF. */
function endOf(prefix: Uint8Array): Uint8Array {
  return endOfPrefix(prefix) as Uint8Array
}
