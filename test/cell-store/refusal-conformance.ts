// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Family } from '../../storage/cells/cell.ts'
import type { Mutation } from '../../storage/cells/mutation.ts'
import type { RowFilter } from '../../storage/cells/row-filter.ts'
import {
  bytes,
  type CellStoreScene,
  column,
  ofKind,
  set,
  text,
  WHOLE_ROW,
} from './cell-store-scene.ts'

/** What is refused, and as what: wrong calls, and all calls of a store that is closed. */
export function refusalScenarios(scene: CellStoreScene): void {
  test('a wrong entry of mutateRows fails alone', async () => {
    const tooLong = new Uint8Array(scene.store.limits.rowKeyBytesMax + 1)
    const longest = new Uint8Array(scene.store.limits.rowKeyBytesMax)
    const mutations = [set('data 0@1=')]
    const errors = await scene.store.mutateRows([
      { row: bytes('a'), mutations },
      { row: tooLong, mutations },
      { row: longest, mutations },
      { row: new Uint8Array(), mutations },
      { row: bytes('b'), mutations },
    ])
    const kinds = errors.map((error) => error?.kind ?? null)
    assert.deepEqual(kinds, [null, 'invalid', null, 'invalid', null])
    assert.deepEqual(await scene.scan(), [text(longest), 'a', 'b'])
  })

  test('calls that can never be right are refused as invalid', async () => {
    const row = bytes('bob')
    const when = (filter: RowFilter) =>
      scene.store.checkAndMutateRow(row, { when: filter, ifMatched: [], otherwise: [] })
    const write = (mutation: Mutation) =>
      scene.store.checkAndMutateRow(row, { when: [], ifMatched: [], otherwise: [mutation] })
    const huge = new Uint8Array(scene.store.limits.cellBytesMax + 1)
    const calls = [
      () => when([{ family: 'nope' as Family }]),
      () => when([{ family: 'data', newest: 0 }]),
      () => when([{ family: 'data', timestamps: { from: -1 } }]),
      () => when([{ family: 'data', timestamps: { until: 1.5 } }]),
      () => when([{ family: 'data', qualifier: '\ud800' }]),
      () => write({ ...(set('data 0@1=') as object), timestamp: -1 } as Mutation),
      () => write({ ...(set('data 0@1=') as object), value: huge } as Mutation),
      () => scene.store.readRows([new Uint8Array()], WHOLE_ROW),
      () => scene.store.readModifyWriteRow(row, [{ ...column('data n'), by: 2n ** 63n }]),
      () => scene.scan({ limit: -1 }),
    ]
    for (const call of calls) await assert.rejects(call(), ofKind('invalid'), call.toString())
  })

  test('a closed store refuses every call, and a scan that is under way', async () => {
    for (const key of ['a', 'b']) await scene.given(key, 'data 0@1=')
    const underWay = scene.store.scanRows({ start: bytes('a'), filter: WHOLE_ROW, limit: 1_000 })
    await scene.store.close()
    await scene.store.close()
    const row = bytes('a')
    const calls = [
      () => scene.store.checkAndMutateRow(row, { when: [], ifMatched: [], otherwise: [] }),
      () => scene.store.mutateRows([{ row, mutations: [] }]),
      () => scene.store.readRows([row], WHOLE_ROW),
      () => scene.store.readModifyWriteRow(row, []),
      () => scene.store.splitPoints(),
      () => scene.scan(),
      () => Array.fromAsync(underWay),
    ]
    for (const call of calls) await assert.rejects(call(), ofKind('closed'), call.toString())
  })

  test('close waits for the writes that were asked before it', async () => {
    const write = scene.store.mutateRows([{ row: bytes('a'), mutations: [set('data 0@1=')] }])
    await scene.store.close()
    assert.deepEqual(await write, [null])
  })
}
