// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { endOfPrefix, systemRowKey } from '../../cells/row-key.ts'
import { intact } from '../../invariant.ts'

/**
 * What gateways share of a collection: one row for each range of keys and phase, named after the gateway that began it
 * and its safe point.
 *
 *     00 "gc/range/5f3c…/0649add4493008/locks/003"
 *        {"worker":"9a01…","beat":7,"start":"AQAA…","end":"AQAC…","isDone":false,"examined":250,"collected":3,"held":0}
 */
export const RANGES_PREFIX = systemRowKey('gc/range/')
export const RANGE_BYTES_MIN = 2

/** First the locks of all ranges are settled, then what lies below the safe point is deleted. */
export type Phase = 'locks' | 'rows'

export type RangeState = {
  /** The incarnation that works on it; empty while none does. */
  readonly worker: string
  /** Changes at each renewal, also where no row was done meanwhile. */
  readonly beat: number
  /** What is left of the range, in base64; an empty end is that of the store. */
  readonly start: string
  readonly end: string
  readonly isDone: boolean
} & RangeCounts

export type RangeCounts = {
  /** Rows, or locks. */
  readonly examined: number
  readonly collected: number
  /** Rows of which something stays that the safe point has passed. */
  readonly held: number
}

export const NO_COUNTS: RangeCounts = { examined: 0, collected: 0, held: 0 }

export type FoundRange = {
  readonly key: Uint8Array
  readonly value: Uint8Array
  readonly owner: string
  readonly safePoint: Timestamp
  readonly phase: Phase
  readonly state: RangeState
}

export type SharedCollection = { readonly owner: string; readonly safePoint: Timestamp }

export function rangeRow(
  { owner, safePoint }: SharedCollection,
  phase: Phase,
  number: number,
): Uint8Array {
  const at = safePoint.toString(16).padStart(14, '0')
  return systemRowKey(`gc/range/${owner}/${at}/${phase}/${String(number).padStart(3, '0')}`)
}

export function encodeRange(state: RangeState): Uint8Array {
  return Buffer.from(JSON.stringify(state))
}

/** All, or those of one gateway, in order. Rejects with CellStoreError. */
export async function* scanRangeRows(cellStore: CellStore, owner = ''): AsyncGenerator<FoundRange> {
  const start = systemRowKey(`gc/range/${owner}`)
  const end = endOfPrefix(start) as Uint8Array
  const filter = [{ family: 'data', newest: 1 }] as const
  for await (const { key, cells } of cellStore.scanRows({ start, end, filter })) {
    const value = cells[0]?.value ?? new Uint8Array()
    const path = Buffer.from(key).toString('latin1', RANGES_PREFIX.length)
    const [by = '', at = '', phase = ''] = path.split('/')
    const isKnown = phase === 'locks' || phase === 'rows'
    intact(isKnown, 'G2', { damaged: 'row of a range', path })
    const state: RangeState = JSON.parse(Buffer.from(value).toString())
    yield { key, value, owner: by, safePoint: Number.parseInt(at, 16), phase, state }
  }
}
