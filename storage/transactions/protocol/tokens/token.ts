// SPDX-License-Identifier: Apache-2.0
import type { Cell, Timestamp } from '../../../cells/cell.ts'
import type { CellStore } from '../../../cells/cell-store.ts'
import { endOfPrefix, systemRowKey } from '../../../cells/row-key.ts'
import { intact } from '../../../invariant.ts'
import { decodeStartTs, encodeStartTs } from '../../records/write-record.ts'

/**
 * The row `live/<incarnation>` of a process that shares a store: for how many milliseconds it lives without renewing
 * it, a number that changes with each renewal, the oracle's time as its process knew it then, the oldest snapshot that
 * a transaction of it reads at (0 for none), and where others reach it.
 *
 *     00 "live/5f3c…"   01, 12000 (4 bytes), 17 (4 bytes), 1795705461084001 (8 bytes), 1795705460012044 (8 bytes),
 *                       then "http://10.0.0.4:4270"
 *
 * An earlier version wrote until when it lives on the oracle's time, the oldest snapshot, and the address. The first
 * byte tells them apart, which is 0 in every timestamp.
 */
export const TOKENS = 'live/'

export function tokenRow(incarnation: string): Uint8Array {
  return systemRowKey(`${TOKENS}${incarnation}`)
}

/** Those of an earlier version are the shortest. */
export const TOKEN_BYTES_MIN = 16

/** The longest life of a token of an earlier version, which does not say it. */
const OLD_LIFE_MS = 12_000
const OLD_FORM = 0
const FORM = 1
const HEAD_BYTES = 1 + 4 + 4

export type Token = {
  readonly lifeMs: number
  /** Of the renewals of its process, modulo 2^32: two tokens one after the other never have the same bytes (L1). */
  readonly renewal: number
  /** The oracle's time. */
  readonly renewedAt: Timestamp
  readonly oldestSnapshot: Timestamp | undefined
  readonly url: string
}

export function encodeToken(token: Token): Uint8Array {
  const { lifeMs, renewal, renewedAt, oldestSnapshot = 0, url } = token
  const head = Buffer.alloc(HEAD_BYTES)
  head.writeUInt8(FORM, 0)
  head.writeUInt32BE(lifeMs, 1)
  head.writeUInt32BE(renewal >>> 0, 5)
  const times = [encodeStartTs(renewedAt), encodeStartTs(oldestSnapshot)]
  return Buffer.concat([head, ...times, Buffer.from(url)])
}

export function decodeToken(value: Uint8Array): Token {
  const bytes = Buffer.from(value)
  const form = bytes.at(0)
  if (form === OLD_FORM) {
    const renewedAt = decodeStartTs(bytes.subarray(0, 8)) - OLD_LIFE_MS * 1_000
    return { lifeMs: OLD_LIFE_MS, renewal: 0, renewedAt, ...endOf(bytes.subarray(8)) }
  }
  intact(form === FORM && bytes.length >= HEAD_BYTES + 16, 'L1', { damaged: 'token', form })
  return {
    lifeMs: bytes.readUInt32BE(1),
    renewal: bytes.readUInt32BE(5),
    renewedAt: decodeStartTs(bytes.subarray(HEAD_BYTES, HEAD_BYTES + 8)),
    ...endOf(bytes.subarray(HEAD_BYTES + 8)),
  }
}

function endOf(bytes: Buffer): Pick<Token, 'oldestSnapshot' | 'url'> {
  const oldest = decodeStartTs(bytes.subarray(0, 8))
  return {
    oldestSnapshot: oldest === 0 ? undefined : oldest,
    url: bytes.subarray(8).toString(),
  }
}

export type FoundToken = Token & { readonly row: Uint8Array; readonly value: Uint8Array }

/** The tokens of all processes whose incarnation begins so, also of ended ones. Rejects with CellStoreError. */
export async function* scanTokens(
  cellStore: Pick<CellStore, 'scanRows'>,
  { prefix = '', limit }: { readonly prefix?: string; readonly limit?: number } = {},
): AsyncGenerator<FoundToken> {
  const start = systemRowKey(`${TOKENS}${prefix}`)
  const end = endOfPrefix(start) as Uint8Array
  const filter = [{ family: 'data', newest: 1 }] as const
  const scan = { start, end, filter, ...(limit !== undefined && { limit }) }
  for await (const { key, cells } of cellStore.scanRows(scan)) {
    const { value } = cells[0] as Cell
    yield { row: key, value, ...decodeToken(value) }
  }
}
