// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import { systemRowKey } from '../../cells/row-key.ts'
import { decodeStartTs, encodeStartTs } from '../records/write-record.ts'

/**
 * The row `live/<incarnation>` of a process that shares a store: until when it lives on the oracle's time, the oldest
 * snapshot that a transaction of it reads at (0 for none), and where others reach it.
 *
 *     00 "live/5f3c…"   1795705461084001 (8 bytes), 1795705460012044 (8 bytes), then "http://10.0.0.4:4270"
 */
export const TOKENS = 'live/'

export function tokenRow(incarnation: string): Uint8Array {
  return systemRowKey(`${TOKENS}${incarnation}`)
}

export const TOKEN_BYTES_MIN = 16

export type Token = {
  readonly expiresAt: Timestamp
  readonly oldestSnapshot: Timestamp | undefined
  readonly url: string
}

export function encodeToken({ expiresAt, oldestSnapshot = 0, url }: Token): Uint8Array {
  return Buffer.concat([encodeStartTs(expiresAt), encodeStartTs(oldestSnapshot), Buffer.from(url)])
}

export function decodeToken(value: Uint8Array): Token {
  const oldest = decodeStartTs(value.subarray(8, 16))
  return {
    expiresAt: decodeStartTs(value.subarray(0, 8)),
    oldestSnapshot: oldest === 0 ? undefined : oldest,
    url: Buffer.from(value.subarray(16)).toString(),
  }
}
