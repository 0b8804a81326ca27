// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cell-store/cell.ts'
import { hasPrefix, systemRowKey } from '../../cell-store/row-key.ts'
import type { Randomness } from '../../randomness.ts'

/** `<startTs>.<128 random bits in hexadecimal>`: it cannot be guessed, and it says when it began. */
export function newTransactionId(startTs: Timestamp, randomness: Randomness): string {
  return `${startTs}.${Buffer.from(randomness.bytes(16)).toString('hex')}`
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
