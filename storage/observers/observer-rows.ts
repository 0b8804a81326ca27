// SPDX-License-Identifier: Apache-2.0
import { observerOfBackfill } from './backfill-position.ts'
import { observerOfDeadLetter } from './dead-letter.ts'

/** Whether a system row (a dead letter, or a backfill position) belongs to an observer for which this holds. */
export function isOfObserver(rowKey: Uint8Array, holds: (observerId: number) => boolean): boolean {
  const observerId = observerOfDeadLetter(rowKey) ?? observerOfBackfill(rowKey)
  return observerId !== undefined && holds(observerId)
}
