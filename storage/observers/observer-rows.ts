// SPDX-License-Identifier: Apache-2.0
import { observerOfBackfill } from './backfill-position.ts'
import { observerOfDeadLetter } from './dead-letter.ts'

/** Whether a system row is of an observer of which this holds: one of its dead letters, or its backfill. */
export function isOfObserver(rowKey: Uint8Array, holds: (observerId: number) => boolean): boolean {
  const observerId = observerOfDeadLetter(rowKey) ?? observerOfBackfill(rowKey)
  return observerId !== undefined && holds(observerId)
}
