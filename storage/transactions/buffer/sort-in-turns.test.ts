// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { compareRowKeys, keyString } from '../../cells/row-key.ts'
import { sortInTurns } from './sort-in-turns.ts'
import type { BufferedRow } from './write-buffer.ts'

function rowOf(number: number): BufferedRow {
  const key = Buffer.alloc(4)
  key.writeUInt32LE(number)
  return { key, text: keyString(key), writes: new Map() }
}

test('rows come in the order of their keys, however many runs they make', async () => {
  for (const count of [0, 1, 1_024, 1_025, 5_000]) {
    const rows = Array.from({ length: count }, (_, at) => rowOf((at * 7_919) % 5_003))
    const expected = rows.toSorted((a, b) => compareRowKeys(a.key, b.key))
    assert.deepEqual(await sortInTurns(rows), expected)
  }
})

test('others have their turns while many rows are sorted', async () => {
  let isSorted = false
  const sorted = sortInTurns(Array.from({ length: 10_000 }, (_, at) => rowOf(9_999 - at)))
  void sorted.then(() => {
    isSorted = true
  })
  let turns = 0
  while (!isSorted) {
    turns += 1
    await new Promise((resolve) => setImmediate(resolve))
  }
  assert.ok(turns >= 10, `${turns} turns`)
})
