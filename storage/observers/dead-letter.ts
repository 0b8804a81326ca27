// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../cell-store/cell.ts'
import { endOfPrefix, hasPrefix, keyString, systemRowKey } from '../cell-store/row-key.ts'
import { damaged, decodeJson, encodeJson } from '../tables/bytes/catalog-json.ts'
import { ROW_COLUMN } from '../tables/bytes/row-codec.ts'
import type { ObserverDefinition } from '../tables/table-definition.ts'
import type { Transaction } from '../transaction/transaction.ts'

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

/** The same in the order of their rows, as they are; `writtenAt` is when they were committed. */
export async function* scanDeadLetters(
  transaction: Pick<Transaction, 'scanRows'>,
  observer: DeadLettersOf,
): AsyncGenerator<DeadLetter & { readonly key: Uint8Array; readonly writtenAt: Timestamp }> {
  const prefix = prefixOf(observer.id)
  const countsAfter = Math.max(observer.epoch ?? 0, observer.resumedAt ?? 0)
  const range = { start: prefix, end: endOfPrefix(prefix) as Uint8Array, columns: [ROW_COLUMN] }
  for await (const { key, columns } of transaction.scanRows(range)) {
    const cell = columns.get(ROW_COLUMN)
    const writtenAt = cell?.commitTs ?? 0
    if (cell === undefined || writtenAt <= countsAfter) continue
    yield { key: key.subarray(prefix.length), writtenAt, ...decodeDeadLetter(cell.value) }
  }
}

type DeadLettersOf = Pick<ObserverDefinition, 'id' | 'epoch' | 'resumedAt'>

function prefixOf(observerId: number): Uint8Array {
  return systemRowKey(`dead-letter/${observerId}/`)
}
