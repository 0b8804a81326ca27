// SPDX-License-Identifier: Apache-2.0
import type { Row, Timestamp } from '../cell-store/cell.ts'
import { type RowStep, type StepList, stepsOf } from '../cell-store/embedded-cell-store.ts'
import { hasPrefix, systemRowKey } from '../cell-store/row-key.ts'
import { invariant } from '../invariant.ts'
import type { BufferedRow } from '../transaction/write-buffer.ts'
import type { FeedCommit } from './change-feed.ts'
import { changedRowsOf, decodeLogEntry, encodeLogEntry, isLoggedRow } from './log-entry.ts'

/**
 * The log of the process that owns its store alone: one row for each commit, whose key ascends with
 * commitTs, so the commits after a position are a range.
 *
 *     00 "log/000649add4493008"  data "0" @commitTs   the first 256 rows of the transaction
 *                                data "1" @commitTs   the next
 *
 * They are plain cells: the batch that makes the transaction visible makes them visible too.
 */
const PREFIX = systemRowKey('log/')
const TIMESTAMP_DIGITS = 14
const KEY_BYTES = PREFIX.length + TIMESTAMP_DIGITS
/** Where the digits of the lower 32 bits begin. */
const LOW_AT = KEY_BYTES - 8

/** How many rows one cell of an entry names; those of a large commit are made some each turn. */
const PART_ROWS = 256

/**
 * Timestamps have 53 bits: with zeros in front, their fourteen digits sort as the numbers do. Digit by
 * digit, because each commit needs one, and a number this large is slow to print.
 */
export function logRowKey(commitTs: Timestamp): Uint8Array {
  const key = Buffer.allocUnsafe(KEY_BYTES)
  for (let at = 0; at < PREFIX.length; at += 1) key[at] = PREFIX[at] as number
  let low = commitTs % 2 ** 32
  let high = Math.floor(commitTs / 2 ** 32)
  for (let at = KEY_BYTES - 1; at >= LOW_AT; at -= 1, low >>>= 4) key[at] = digitOf(low)
  for (let at = LOW_AT - 1; at >= PREFIX.length; at -= 1, high >>>= 4) key[at] = digitOf(high)
  return key
}

/** The last hexadecimal digit, as ASCII. */
function digitOf(number: number): number {
  const value = number & 0x0f
  return value < 10 ? 0x30 + value : 0x57 + value
}

export function isLogRow(key: Uint8Array): boolean {
  return key.length === KEY_BYTES && hasPrefix(key, PREFIX)
}

/** The steps that log a commit of these rows; none of them is there when it changed no logged row. */
export function logSteps(commitTs: Timestamp, rows: readonly BufferedRow[]): StepList {
  if (rows.length <= PART_ROWS) {
    const changed = changedRowsOf(rows)
    return changed.length === 0 ? [] : [partStep(commitTs, 0, changed)]
  }
  const logged = rows.filter(({ key }) => isLoggedRow(key))
  const starts: number[] = []
  for (let at = 0; at < logged.length; at += PART_ROWS) starts.push(at)
  return stepsOf(starts, (at) =>
    partStep(commitTs, at / PART_ROWS, changedRowsOf(logged.slice(at, at + PART_ROWS))),
  )
}

function partStep(commitTs: Timestamp, part: number, rows: FeedCommit['rows']): RowStep {
  const row = logRowKey(commitTs)
  if (rows.length === 0) return { row, when: [], ifMatched: [], otherwise: [] }
  const value = encodeLogEntry(rows)
  return {
    row,
    when: [],
    ifMatched: [],
    otherwise: [
      { kind: 'setCell', family: 'data', qualifier: String(part), timestamp: commitTs, value },
    ],
  }
}

/** The commit that a row of the log tells. Violations of J9. */
export function commitOfLogRow({ key, cells }: Row): FeedCommit {
  const commitTs = timestampOfLogRow(key)
  const parts = cells.map(({ family, qualifier, timestamp, value }) => {
    const part = Number(qualifier)
    const isPart = family === 'data' && timestamp === commitTs && String(part) === qualifier
    invariant(isPart, 'J9', { damaged: 'log row', commitTs, family, qualifier, timestamp })
    return { part, rows: decodeLogEntry(value) }
  })
  // Qualifiers sort as text, in which 10 comes before 2.
  parts.sort((a, b) => a.part - b.part)
  return { commitTs, rows: parts.flatMap(({ rows }) => rows) }
}

/** Of a key that `isLogRow`. */
export function timestampOfLogRow(key: Uint8Array): Timestamp {
  const digits = Buffer.from(key.subarray(PREFIX.length)).toString('latin1')
  const commitTs = Number.parseInt(digits, 16)
  invariant(/^[0-9a-f]{14}$/.test(digits) && Number.isSafeInteger(commitTs), 'J9', {
    damaged: 'key of a log row',
    digits,
  })
  return commitTs
}
