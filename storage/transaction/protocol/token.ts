// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cell-store/cell.ts'
import { systemRowKey } from '../../cell-store/row-key.ts'
import { decodeStartTs, encodeStartTs } from '../records/write-record.ts'

/**
 * The row `live/<incarnation>` of a process that shares a store: until when it lives on the oracle's time, and where
 * others reach it.
 *
 *     00 "live/5f3c…"   1795705461084001 (8 bytes), then "http://10.0.0.4:4270"
 */
export const TOKENS = 'live/'

export function tokenRow(incarnation: string): Uint8Array {
  return systemRowKey(`${TOKENS}${incarnation}`)
}

export function encodeToken(expiresAt: Timestamp, url: string): Uint8Array {
  return Buffer.concat([encodeStartTs(expiresAt), Buffer.from(url)])
}

export function decodeToken(value: Uint8Array): {
  readonly expiresAt: Timestamp
  readonly url: string
} {
  const { length } = encodeStartTs(0)
  const url = Buffer.from(value.subarray(length)).toString()
  return { expiresAt: decodeStartTs(value.subarray(0, length)), url }
}
