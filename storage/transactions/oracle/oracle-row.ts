// SPDX-License-Identifier: Apache-2.0

import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore, Increment } from '../../cells/cell-store.ts'
import type { SetCell } from '../../cells/mutation.ts'
import { numberBytes } from '../../cells/plain-row.ts'
import { ORACLE_ROW } from '../../cells/row-key.ts'
import { intact } from '../../invariant.ts'

/**
 * The oracle's own row, counters in the family `data`:
 *
 *     00 "oracle"   timestamp = 1767225605000000   safePoint = 0   catalogFence = 1767225600000123
 *                   schemaFence/0 = 0   …   schemaFence/7 = 1767225600000123   …   schemaFence/15 = 0
 *
 * `timestamp` is a number that no issued timestamp exceeds. The shared oracle counts on it, so there
 * it is the last one issued; the embedded oracle keeps it some seconds ahead. Each kind can therefore
 * take over a store from the other. Two embedded oracles never have one store.
 *
 * Tables whose ids are alike modulo 16 share a schema fence, so that the row stays small. Only the shared oracle has
 * them here: a single owner's transactions end with the process.
 */
const COUNTERS = ['timestamp', 'safePoint', 'catalogFence'] as const
const SCHEMA_FENCES = 16
export type SchemaFence = `schemaFence/${number}`
export type OracleCounter = (typeof COUNTERS)[number] | SchemaFence
export type OracleState = Readonly<Record<(typeof COUNTERS)[number], Timestamp>>

/** The counter that is the schema fence of this table, and of some others. */
export function schemaFenceOf(tableId: number): SchemaFence {
  return `schemaFence/${tableId % SCHEMA_FENCES}`
}

/**
 * Where the counters' cells stand: in the future (2033). An engine that gives an increment "the greater of the cell's
 * timestamp and the clock", as Bigtable does, replaces such a cell, and does not keep a version for each increment.
 */
const COUNTER_TIMESTAMP = 2_000_000_000_000_000

/** A counter that was never written is 0. */
export async function readOracleState(cellStore: CellStore): Promise<OracleState> {
  const counters = await readCounters(cellStore)
  return stateOf((counter) => counters.get(counter) ?? 0)
}

/** As `readOracleState`, and writes the counters that are missing, so that their cells stand where they should. */
export async function createOracleRow(cellStore: CellStore): Promise<OracleState> {
  const fences = Array.from({ length: SCHEMA_FENCES }, (_, id) => schemaFenceOf(id))
  const counters = await readCounters(cellStore, [...COUNTERS, ...fences])
  for (const qualifier of [...COUNTERS, ...fences]) {
    if (counters.has(qualifier)) continue
    await cellStore.checkAndMutateRow(ORACLE_ROW, {
      when: [{ family: 'data', qualifier }],
      ifMatched: [],
      otherwise: [counterCell(qualifier, 0)],
    })
  }
  return stateOf((counter) => counters.get(counter) ?? 0)
}

async function readCounters(
  cellStore: CellStore,
  wanted: readonly OracleCounter[] = COUNTERS,
): Promise<ReadonlyMap<string, number>> {
  const filter = wanted.map((qualifier) => ({ family: 'data', qualifier, newest: 1 }) as const)
  const [row] = await cellStore.readRows([ORACLE_ROW], filter)
  return new Map(row?.cells.map(({ qualifier, value }) => [qualifier, decodeCounter(value)]))
}

function stateOf(counterOf: (counter: keyof OracleState) => Timestamp): OracleState {
  const entries = COUNTERS.map((counter) => [counter, counterOf(counter)] as const)
  return Object.fromEntries(entries) as OracleState
}

function counterCell(qualifier: OracleCounter, value: Timestamp): SetCell {
  return {
    ...{ kind: 'setCell', family: 'data', qualifier },
    ...{ timestamp: COUNTER_TIMESTAMP, value: numberBytes(value) },
  }
}

/** What was taken, and the schema fences that were asked for. */
export type TakenTimestamps = OracleState & {
  readonly schemaFences: ReadonlyMap<SchemaFence, Timestamp>
}

/**
 * Takes `count` timestamps and reads the fences with them, as one atomic step. The timestamps are
 * those above `timestamp - count`, up to `timestamp`. The counter may come near `towards` by it.
 */
export async function takeTimestamps(
  cellStore: CellStore,
  { count, towards }: { readonly count: number; readonly towards: Timestamp },
  fences: ReadonlySet<SchemaFence> = new Set(),
): Promise<TakenTimestamps> {
  const counters = [...COUNTERS, ...fences]
  const increments: Increment[] = counters.map((qualifier) => {
    if (qualifier !== 'timestamp') return { family: 'data', qualifier, by: 0n }
    return { family: 'data', qualifier, by: BigInt(count), towards: BigInt(towards) }
  })
  const values = await cellStore.readModifyWriteRow(ORACLE_ROW, increments)
  const counterOf = (counter: OracleCounter) => Number(values[counters.indexOf(counter)])
  const schemaFences = new Map([...fences].map((fence) => [fence, counterOf(fence)]))
  return { ...stateOf(counterOf), schemaFences }
}

/**
 * Sets a counter to the larger of its value and `to`, as one atomic step: the values are not
 * negative, so their bytes compare as the numbers do. It does no harm to send it twice, or late.
 */
export async function raiseCounter(
  cellStore: CellStore,
  counter: OracleCounter,
  to: Timestamp,
): Promise<void> {
  const column = { family: 'data', qualifier: counter } as const
  const value = numberBytes(to)
  await cellStore.checkAndMutateRow(ORACLE_ROW, {
    when: [{ ...column, newest: 1, values: { start: value } }],
    ifMatched: [],
    // The engine chose the timestamp of the cell that stands there, so it is cleared away by range.
    otherwise: [{ kind: 'deleteFromColumn', ...column, timestamps: {} }, counterCell(counter, to)],
  })
}

/** Sets a counter that stands at `from` exactly to `to`, unless it has been raised since. */
export async function lowerCounter(
  cellStore: CellStore,
  counter: OracleCounter,
  { from, to }: { readonly from: Timestamp; readonly to: Timestamp },
): Promise<void> {
  const column = { family: 'data', qualifier: counter } as const
  const start = numberBytes(from)
  await cellStore.checkAndMutateRow(ORACLE_ROW, {
    when: [{ ...column, newest: 1, values: { start, end: numberBytes(from + 1) } }],
    ifMatched: [{ kind: 'deleteFromColumn', ...column, timestamps: {} }, counterCell(counter, to)],
    otherwise: [],
  })
}

function decodeCounter(value: Uint8Array): number {
  intact(value.length === 8, 'I8', { damaged: 'counter', length: value.length })
  return Number(Buffer.from(value).readBigInt64BE())
}
