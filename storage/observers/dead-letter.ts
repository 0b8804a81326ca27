// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cells/cell.ts'
import { endOfPrefix, hasPrefix, keyAfter, keyString, systemRowKey } from '../cells/row-key.ts'
import { damaged, decodeJson, encodeJson } from '../tables/bytes/catalog-json.ts'
import { ROW_COLUMN } from '../tables/bytes/row-codec.ts'
import type { ObserverDefinition } from '../tables/table-definition.ts'
import type { Transaction } from '../transactions/transaction.ts'
import type { DeadLetterPage, DeadLettersWanted } from './observers.ts'

/**
 * A notification whose run failed again and again: a transactional system row that keeps why. Its notify cell stays, so
 * nothing is lost; it is not run until the observer is resumed or replayed, or the row changes again. The run that
 * succeeds in the end deletes the row.
 *
 *     dead-letter/7/<row key>    {"format":1,"error":"…","tries":10,"notified":1769860800000007}
 */
export type DeadLetter = {
  readonly error: string
  readonly tries: number
  /** The timestamp of the newest notify cell that it stands for. */
  readonly notified: Timestamp
}

const FORMAT = 1
const PREFIX = systemRowKey('dead-letter/')

export function deadLetterKey(observerId: number, rowKey: Uint8Array): Uint8Array {
  return Buffer.concat([prefixOf(observerId), rowKey])
}

export function encodeDeadLetter({ error, tries, notified }: DeadLetter): Uint8Array {
  return encodeJson(FORMAT, { error, tries, notified })
}

/** Throws on violations of T3. */
export function decodeDeadLetter(value: Uint8Array): DeadLetter {
  const { error, tries, notified } = decodeJson(value, [FORMAT])
  if (typeof error !== 'string') throw damaged('an error is missing')
  if (!Number.isSafeInteger(tries)) throw damaged('a count is missing')
  if (!Number.isSafeInteger(notified)) throw damaged('a timestamp is missing')
  return { error, tries: tries as number, notified: notified as number }
}

/** Whose dead letter a system row is; undefined for other rows. */
export function observerOfDeadLetter(rowKey: Uint8Array): number | undefined {
  if (!hasPrefix(rowKey, PREFIX)) return undefined
  return Number.parseInt(keyString(rowKey.subarray(PREFIX.length)), 10)
}

/**
 * The dead letters of an observer that still count: RESUME and REPLAY take all of before up again. By
 * the text of the row's key, the timestamp up to which its notify cells are dead.
 */
export async function readDeadLetters(
  transaction: Pick<Transaction, 'scanRows'>,
  observer: DeadLettersOf,
): Promise<Map<string, Timestamp>> {
  const letters = new Map<string, Timestamp>()
  for await (const { key, notified } of scanDeadLetters(transaction, observer)) {
    letters.set(keyString(key), notified)
  }
  return letters
}

/** The same in the order of their rows, as they are. */
export async function* scanDeadLetters(
  transaction: Pick<Transaction, 'scanRows'>,
  observer: DeadLettersOf,
): AsyncGenerator<ScannedLetter> {
  for await (const { letter } of scanLetterRows(transaction, observer)) {
    if (letter !== undefined) yield letter
  }
}

/** A page of them. */
export async function readDeadLetterPage(
  transaction: Pick<Transaction, 'scanRows'>,
  observer: DeadLettersOf,
  { after, limit }: DeadLettersWanted,
): Promise<DeadLetterPage> {
  const letters: DeadLetterPage['letters'][number][] = []
  let examined = 0
  let last: Uint8Array | undefined
  for await (const { key, letter } of scanLetterRows(transaction, observer, after)) {
    if (letters.length === limit || examined === limit + PASSED_ROWS_MAX) {
      return { letters, next: last }
    }
    examined += 1
    last = key
    if (letter === undefined) continue
    const { error, tries, writtenAt: timestamp } = letter
    letters.push({ key, error, tries, timestamp })
  }
  return { letters, next: undefined }
}

/** Rows of dead letters that are being taken up again, which a page passes by. */
const PASSED_ROWS_MAX = 1_000

type ScannedLetter = DeadLetter & {
  readonly key: Uint8Array
  /** When it was committed. */
  readonly writtenAt: Timestamp
}

/** All rows after that of a row key, without a letter where that does not count any more. */
async function* scanLetterRows(
  transaction: Pick<Transaction, 'scanRows'>,
  observer: DeadLettersOf,
  after?: Uint8Array,
): AsyncGenerator<{ readonly key: Uint8Array; readonly letter: ScannedLetter | undefined }> {
  const prefix = prefixOf(observer.id)
  const countsAfter = Math.max(observer.epoch ?? 0, observer.resumedAt ?? 0)
  const start = after === undefined ? prefix : keyAfter(deadLetterKey(observer.id, after))
  const range = { start, end: endOfPrefix(prefix) as Uint8Array, columns: [ROW_COLUMN] }
  for await (const { key: letterKey, columns } of transaction.scanRows(range)) {
    const cell = columns.get(ROW_COLUMN)
    const writtenAt = cell?.commitTs ?? 0
    const key = letterKey.subarray(prefix.length)
    const counts = cell !== undefined && writtenAt > countsAfter
    yield { key, letter: counts ? { key, writtenAt, ...decodeDeadLetter(cell.value) } : undefined }
  }
}

type DeadLettersOf = Pick<ObserverDefinition, 'id' | 'epoch' | 'resumedAt'>

function prefixOf(observerId: number): Uint8Array {
  return systemRowKey(`dead-letter/${observerId}/`)
}
