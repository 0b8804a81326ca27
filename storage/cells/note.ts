// SPDX-License-Identifier: Apache-2.0
import { intact } from '../invariant.ts'
import type { Timestamp } from './cell.ts'
import type { SetCell } from './mutation.ts'
import { hasPrefix, systemRowKey } from './row-key.ts'

/**
 * What a batch writes in addition to its steps, for readers of the log who ask what came after a timestamp. The notes
 * of batches that become durable together are one cell, their values concatenated, in the row and at the timestamp of
 * the last of them:
 *
 *     00 "log/0649add4493008"   data "0" @0649add4493008   first value, second value, …
 *
 * So a note is nearly free if many commit together, and what came after a timestamp begins in the first row from its
 * key on. Each value must encode its own length.
 */
export type Note = { readonly timestamp: Timestamp; readonly value: Uint8Array }

const PREFIX = systemRowKey('log/')
const TIMESTAMP_DIGITS = 14
const KEY_BYTES = PREFIX.length + TIMESTAMP_DIGITS

/** Timestamps have 53 bits: with zeros in front, their fourteen digits sort as the numbers do. */
export function noteRowKey(timestamp: Timestamp): Uint8Array {
  const digits = timestamp.toString(16).padStart(TIMESTAMP_DIGITS, '0')
  return Buffer.concat([PREFIX, Buffer.from(digits, 'latin1')])
}

export function isNoteRow(key: Uint8Array): boolean {
  return key.length === KEY_BYTES && hasPrefix(key, PREFIX)
}

/** The timestamp in a key that `isNoteRow`. Throws on violations of J9. */
export function timestampOfNoteRow(key: Uint8Array): Timestamp {
  const digits = Buffer.from(key.subarray(PREFIX.length)).toString('latin1')
  const timestamp = Number.parseInt(digits, 16)
  intact(/^[0-9a-f]{14}$/.test(digits) && Number.isSafeInteger(timestamp), 'J9', {
    damaged: 'key of a log row',
    digits,
  })
  return timestamp
}

/** The cell of notes that become durable together, whose timestamps ascend. */
export function cellOfNotes(notes: readonly [Note, ...Note[]]): {
  readonly row: Uint8Array
  readonly mutations: readonly SetCell[]
} {
  const { timestamp } = notes.at(-1) as Note
  const value = Buffer.concat(notes.map((note) => note.value))
  return {
    row: noteRowKey(timestamp),
    mutations: [{ kind: 'setCell', family: 'data', qualifier: '0', timestamp, value }],
  }
}
