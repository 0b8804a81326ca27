// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { hasPrefix, keyString, systemRowKey } from '../../cells/row-key.ts'
import { intact } from '../../invariant.ts'
import type { BufferedRow, BufferedWrite } from '../buffer/write-buffer.ts'
import type { SnapshotRow } from '../records/version.ts'
import type { ChangedRow, FeedCommit } from './change-feed.ts'
import { decodeLogEntry, encodeLogEntry } from './log-entry.ts'

/**
 * The log where processes share the store. Its rows are ordinary rows of the write set, so commitTs is
 * not known when their key is made; they stand under a timestamp that was taken when the commit began.
 *
 *     00 "log/3/0649add4493008/0649add4491234"     bucket, noted at, startTs
 *        columns "0", "1", …                           256 rows of the transaction each
 *
 * Ascending keys would all be written in one key range of the store; buckets spread them over a few.
 */
const PREFIX = systemRowKey('log/')
const SHARED_LOG_BUCKETS = 8
const TIMESTAMP_DIGITS = 14
/** All of its rows, and those of the log of a store with one owner. */
export const SHARED_LOG_RANGE = Object.freeze({ start: PREFIX, end: systemRowKey('log0') })

/** `/<digit>/` follows the prefix: the log of a store with one owner has a digit of its timestamp there. */
const SEPARATOR_AT = PREFIX.length + 1
const SEPARATOR = 0x2f

/**
 * How far commitTs may be after the timestamp of the log row's key, in microseconds. So the commits after a position
 * are in rows from this much before it on. Slower commits are rolled back.
 */
export const NOTED_BEFORE_MAX = 60_000_000

/** Rows that one cell of an entry names. */
const PART_ROWS = 256

export function isSharedLogRow(key: Uint8Array): boolean {
  return key[SEPARATOR_AT] === SEPARATOR && hasPrefix(key, PREFIX)
}

/** The log row of a commit that names these rows. */
export function sharedLogRow(
  { notedAt, startTs }: { readonly notedAt: Timestamp; readonly startTs: Timestamp },
  named: readonly ChangedRow[],
): BufferedRow {
  const bucket = startTs % SHARED_LOG_BUCKETS
  const key = systemRowKey(`${bucketPath(bucket)}${digitsOf(notedAt)}/${digitsOf(startTs)}`)
  const writes = new Map<string, BufferedWrite>()
  for (let at = 0; at < named.length; at += PART_ROWS) {
    const value = encodeLogEntry(named.slice(at, at + PART_ROWS))
    writes.set(String(at / PART_ROWS), { kind: 'put', value })
  }
  return { key, text: keyString(key), writes }
}

/** The timestamp that was taken when the commit of this row began; of a key of `sharedLogRanges`. */
export function notedAtOf(key: Uint8Array): Timestamp {
  const from = SEPARATOR_AT + 1
  const digits = Buffer.from(key.subarray(from, from + TIMESTAMP_DIGITS)).toString('latin1')
  const notedAt = Number.parseInt(digits, 16)
  intact(Number.isSafeInteger(notedAt), 'J9', { damaged: 'key of a log row', digits })
  return notedAt
}

/** The key ranges of log rows that were made in (after, until], one for each bucket. */
export function sharedLogRanges(
  after: Timestamp,
  until: Timestamp,
): Array<{ readonly start: Uint8Array; readonly end: Uint8Array }> {
  return Array.from({ length: SHARED_LOG_BUCKETS }, (_, bucket) => ({
    start: systemRowKey(bucketPath(bucket) + digitsOf(Math.max(0, after + 1))),
    end: systemRowKey(bucketPath(bucket) + digitsOf(until + 1)),
  }))
}

/** A commit as its log row has it. */
export type LoggedCommit = FeedCommit & {
  /** The keys of rows that the commit gave a hint of. */
  readonly hinted: readonly Uint8Array[]
}

/** The commit in a row of the log; either of its lists may be empty. Throws on violations of J9. */
export function commitOfSharedLogRow({ columns }: SnapshotRow): LoggedCommit {
  const named: ChangedRow[] = []
  let commitTs: Timestamp | null = null
  for (let part = 0; part < columns.size; part += 1) {
    const found = columns.get(String(part))
    intact(found !== undefined, 'J9', { damaged: 'log row', missing: part })
    named.push(...decodeLogEntry(found.value))
    commitTs = found.commitTs
  }
  intact(commitTs !== null, 'J9', { damaged: 'log row', parts: columns.size })
  return {
    commitTs,
    rows: named.filter((row) => row.columns.length > 0),
    hinted: named.filter((row) => row.columns.length === 0).map(({ key }) => key),
  }
}

function bucketPath(bucket: number): string {
  return `log/${bucket}/`
}

function digitsOf(timestamp: Timestamp): string {
  return timestamp.toString(16).padStart(TIMESTAMP_DIGITS, '0')
}
