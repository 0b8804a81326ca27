// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryCellStore } from './memory-cell-store.ts'

test('a long scan leaves other work its turn, in both directions', async () => {
  const store = new MemoryCellStore()
  const cell = { family: 'data', qualifier: '0', timestamp: 1, value: new Uint8Array() } as const
  const rows = Array.from({ length: 5_000 }, (_, at) => Buffer.from(String(10_000 + at)))
  await store.mutateRows(rows.map((row) => ({ row, mutations: [{ kind: 'setCell', ...cell }] })))
  for (const reverse of [false, true]) {
    const stopping = new AbortController()
    setImmediate(() => stopping.abort(new Error('enough')))
    let seen = 0
    const scanning = async () => {
      const scan = { start: new Uint8Array(), reverse, filter: [{ family: 'data' }] } as const
      for await (const _ of store.scanRows({ ...scan, signal: stopping.signal })) seen += 1
    }
    await assert.rejects(scanning(), /enough/)
    assert.ok(seen < rows.length, `${seen} rows were read before anything else ran`)
  }
})
