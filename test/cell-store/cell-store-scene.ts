// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { Cell, Family, Row } from '../../storage/cells/cell.ts'
import {
  type CellStore,
  CellStoreError,
  type CellStoreErrorKind,
  type RowScan,
} from '../../storage/cells/cell-store.ts'
import type { Mutation } from '../../storage/cells/mutation.ts'
import type { RowFilter } from '../../storage/cells/row-filter.ts'

export type OpenedEngine = {
  readonly store: CellStore
  /** A test engine leaves the first half of an increment that fails, which the service does not. */
  readonly leavesHalfAnIncrement?: boolean
  /** Closes the store and removes what it left. */
  dispose(): Promise<void>
}

export const WHOLE_ROW: RowFilter = [
  { family: 'data' },
  { family: 'lock' },
  { family: 'write' },
  { family: 'rollback' },
  { family: 'guard' },
  { family: 'notify' },
]

/** A store that is empty for each scenario, and short words for what is done to it. */
export class CellStoreScene {
  readonly #openEngine: () => Promise<OpenedEngine>
  #engine: OpenedEngine | undefined

  constructor(openEngine: () => Promise<OpenedEngine>) {
    this.#openEngine = openEngine
  }

  get store(): CellStore {
    assert.ok(this.#engine !== undefined)
    return this.#engine.store
  }

  get leavesHalfAnIncrement(): boolean {
    return this.#engine?.leavesHalfAnIncrement ?? false
  }

  async begin(): Promise<void> {
    this.#engine = await this.#openEngine()
  }

  async end(): Promise<void> {
    await this.#engine?.dispose()
  }

  async given(row: string, ...cells: string[]): Promise<void> {
    const errors = await this.store.mutateRows([{ row: bytes(row), mutations: cells.map(set) }])
    assert.deepEqual(errors, [null])
  }

  async read(row: string, filter: RowFilter = WHOLE_ROW): Promise<string[]> {
    const [found] = await this.store.readRows([bytes(row)], filter)
    return cellsOf(found as Row | null)
  }

  async scan(range: Partial<RowScan> = {}): Promise<string[]> {
    const whole = { start: new Uint8Array(), filter: WHOLE_ROW }
    const rows = await Array.fromAsync(this.store.scanRows({ ...whole, ...range }))
    return rows.map((row) => text(row.key))
  }
}

/** `data 0@5=value` as a mutation that sets this cell. */
export function set(cell: string): Mutation {
  const [, family, qualifier, timestamp, value] = /^(\w+) (.*)@(\d+)=(.*)$/su.exec(cell) as string[]
  return {
    kind: 'setCell',
    ...column(`${family} ${qualifier}`),
    timestamp: Number(timestamp),
    value: bytes(value as string),
  }
}

export function column(column: string): { family: Family; qualifier: string } {
  const [family, qualifier] = column.split(' ') as [Family, string]
  return { family, qualifier }
}

export function cellsOf(row: Row | null): string[] {
  return (row?.cells ?? []).map(({ family, qualifier, timestamp, value }: Cell) => {
    return `${family} ${qualifier}@${timestamp}=${text(value)}`
  })
}

/** One character a byte. */
export function bytes(text: string): Uint8Array {
  return Buffer.from(text, 'latin1')
}

export function text(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('latin1')
}

export function ofKind(kind: CellStoreErrorKind) {
  return (error: unknown) => error instanceof CellStoreError && error.kind === kind
}
