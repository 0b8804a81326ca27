// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { hasPrefix, systemRowKey } from '../../cells/row-key.ts'
import type { Randomness } from '../../randomness.ts'

/** Hexadecimal digits of the incarnation in an id. */
const INCARNATION_DIGITS = 8

/**
 * `<startTs>.<32 hexadecimal digits>`: when it began; in the first 8 digits the incarnation of its process; and 96
 * random bits, so that it cannot be guessed.
 */
export function newTransactionId(
  startTs: Timestamp,
  incarnation: string,
  randomness: Randomness,
): string {
  const own = incarnation.slice(0, INCARNATION_DIGITS)
  return `${startTs}.${own}${Buffer.from(randomness.bytes(12)).toString('hex')}`
}

/** What the incarnation of its process begins with, of an id. */
export function incarnationPrefixOf(id: string): string {
  const digits = id.indexOf('.') + 1
  return id.slice(digits, digits + INCARNATION_DIGITS)
}

/** The startTs in an id, or undefined when the text is not an id. */
export function startTsOfId(id: string): Timestamp | undefined {
  const match = /^([1-9][0-9]{0,15})\.[0-9a-f]{32}$/.exec(id)
  const startTs = Number(match?.[1])
  return Number.isSafeInteger(startTs) ? startTs : undefined
}

/** The system row whose write record says that the transaction committed; it is its primary. */
export function outcomePath(id: string): string {
  return `txn/${id}`
}

export const OUTCOME_COLUMN = '0'

/** Whether a row is an outcome row; outcomes from before the safe point are not reported. */
export function isOutcomeRow(rowKey: Uint8Array): boolean {
  return hasPrefix(rowKey, OUTCOME_PREFIX)
}

const OUTCOME_PREFIX = systemRowKey(outcomePath(''))
