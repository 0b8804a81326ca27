// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import type { Cell, Timestamp } from '../cells/cell.ts'
import { MemoryCellStore } from '../cells/memory/memory-cell-store.ts'
import { encodeWriteRecord, type WrittenContent } from './records/write-record.ts'
import { inspectRows, RECORDS_TOGETHER, VALUE_BYTES_TOGETHER } from './row-inspection.ts'

const ROW = Uint8Array.of(1)

function version(column: string, startTs: Timestamp, content: WrittenContent, value?: Uint8Array) {
  const at = { qualifier: column, kind: 'setCell' } as const
  const record = encodeWriteRecord({ startTs, content })
  const write = { ...at, family: 'write', timestamp: startTs + 1, value: record } as const
  if (value === undefined) return [write]
  return [{ ...at, family: 'data', timestamp: startTs, value } as const, write]
}

async function partsOf(mutations: ReturnType<typeof version>): Promise<Array<readonly Cell[]>> {
  const store = new MemoryCellStore()
  for (let from = 0; from < mutations.length; from += 1_000) {
    await store.mutateRows([{ row: ROW, mutations: mutations.slice(from, from + 1_000) }])
  }
  return (await Array.fromAsync(inspectRows(store, [ROW]))).map(({ cells }) => cells)
}

function namesOf(cells: readonly Cell[]): string[] {
  return cells.map(({ family, qualifier, timestamp }) => `${family} ${qualifier} ${timestamp}`)
}

test('values come in parts of a bounded size, also those that no record tells of', async () => {
  const sizes = [0.4, 0.4, 0.4, 3, 0.4].map((part) => Math.floor(part * VALUE_BYTES_TOGETHER))
  const mutations = sizes.flatMap((byteLength, index) =>
    version('0', index * 10 + 5, { kind: 'data', byteLength }, new Uint8Array(byteLength)),
  )
  const orphan = { kind: 'setCell', family: 'data', qualifier: '9', timestamp: 22 } as const
  const parts = await partsOf([...mutations, { ...orphan, value: new Uint8Array(1) }])
  const [records, ...values] = parts.map(namesOf)
  assert.equal(records?.length, sizes.length)
  assert.deepEqual(values, [
    ['data 0 45'],
    ['data 0 35'],
    ['data 0 25', 'data 0 15', 'data 9 22'],
    ['data 0 5'],
  ])
})

test('records come in parts, and all of them once, whichever column has the most', async () => {
  const mutations = [3.5, 0.01, 1].flatMap((part, column) =>
    Array.from({ length: part * RECORDS_TOGETHER }, (_, index) =>
      version(`${column}`, index * 10 + column, { kind: 'delete' }),
    ).flat(),
  )
  const parts = await partsOf(mutations)
  assert.ok(parts.length >= 4, `${parts.length}`)
  const names = namesOf(parts.flat())
  assert.equal(names.length, mutations.length)
  assert.equal(new Set(names).size, mutations.length)
})

test('a row that never existed has no cells', async () => {
  assert.deepEqual((await partsOf([])).flat(), [])
})
