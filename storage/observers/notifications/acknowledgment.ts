// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { intact } from '../../invariant.ts'
import type { ObserverDefinition } from '../../tables/table-definition.ts'
import { decodeStartTs, encodeStartTs } from '../../transactions/records/write-record.ts'

/**
 * The acknowledgment of an observer is a column of the row in addition to its SQL columns, written by the run itself:
 * the run's startTs, up to which it has seen everything (Percolator 2.4). Two runs of one notification both write it,
 * so one of them conflicts, and each change is observed by one committed run at most.
 *
 *     greeter is observer 7        write "ack/7" @31 -> 28 "28"
 *
 * It is the start and not the commit of the run: what was committed between the two has not been seen.
 */
const PREFIX = 'ack/'

export function ackColumn(observerId: number): string {
  return `${PREFIX}${observerId}`
}

export function isAckColumn(column: string): boolean {
  return column.startsWith(PREFIX)
}

/** Whose acknowledgment a column holds; undefined for other columns. */
export function observerOfAck(column: string): number | undefined {
  if (!isAckColumn(column)) return undefined
  const id = Number(column.slice(PREFIX.length))
  return ackColumn(id) === column ? id : undefined
}

export function encodeAck(startTs: Timestamp): Uint8Array {
  return encodeStartTs(startTs)
}

/** Throws on violations of O3. */
export function decodeAck(value: Uint8Array): Timestamp {
  intact(value.length === 8, 'O3', { damaged: 'acknowledgment', length: value.length })
  return decodeStartTs(value)
}

/**
 * Up to what commit timestamp an observer has seen a row, by the row's acknowledgment; 0 is nothing. A
 * REPLAY makes it forget what it had acknowledged by then from `replayFrom` on.
 */
export function acknowledgedUpTo(
  { epoch, replayFrom }: Pick<ObserverDefinition, 'epoch' | 'replayFrom'>,
  acknowledgment: Timestamp | undefined,
): Timestamp {
  const known = acknowledgment ?? 0
  if (epoch === undefined || replayFrom === undefined || known >= epoch) return known
  return Math.min(known, replayFrom - 1)
}
