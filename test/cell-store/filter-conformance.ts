// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RowFilter } from '../../storage/cells/row-filter.ts'
import { bytes, type CellStoreScene, column, set } from './cell-store-scene.ts'

/** What a filter leaves of a row, wherever one is used. */
export function filterScenarios(scene: CellStoreScene): void {
  const versions = ['write 0@9=c', 'write 0@7=b', 'write 0@5=a', 'write 1@8=z', 'lock 0@8=x']
  const filters: ReadonlyArray<[scenario: string, filter: RowFilter, left: string[]]> = [
    ['an empty filter chooses nothing', [], []],
    ['a family', [{ family: 'lock' }], ['lock 0@8=x']],
    ['a column', [{ ...column('write 1') }], ['write 1@8=z']],
    [
      'a lower bound includes its timestamp',
      [{ ...column('write 0'), timestamps: { from: 7 } }],
      ['write 0@9=c', 'write 0@7=b'],
    ],
    [
      'an upper bound excludes its timestamp',
      [{ ...column('write 0'), timestamps: { until: 7 } }],
      ['write 0@5=a'],
    ],
    ['an empty range of timestamps', [{ family: 'write', timestamps: { from: 7, until: 7 } }], []],
    [
      'an inverted range of timestamps',
      [{ family: 'write', timestamps: { from: 9, until: 5 } }],
      [],
    ],
    ['the newest of each column', [{ family: 'write', newest: 1 }], ['write 0@9=c', 'write 1@8=z']],
    [
      'the newest of what the timestamps leave',
      [{ family: 'write', timestamps: { until: 8 }, newest: 1 }],
      ['write 0@7=b'],
    ],
    [
      'a range of values includes its start and excludes its end',
      [{ family: 'write', values: { start: bytes('a'), end: bytes('c') } }],
      ['write 0@7=b', 'write 0@5=a'],
    ],
    [
      'a range of values without an end',
      [{ family: 'write', values: { start: bytes('c') } }],
      ['write 0@9=c', 'write 1@8=z'],
    ],
    [
      'values are looked at after the newest are taken',
      [{ ...column('write 0'), newest: 1, values: { start: bytes('a'), end: bytes('c') } }],
      [],
    ],
    [
      'several selectors: each cell once and in order',
      [{ family: 'lock' }, { family: 'write', newest: 1 }, { ...column('write 0') }],
      ['lock 0@8=x', 'write 0@9=c', 'write 0@7=b', 'write 0@5=a', 'write 1@8=z'],
    ],
  ]
  for (const [scenario, filter, left] of filters) {
    test(`filter, ${scenario}: as a read, as a scan and as a predicate`, async () => {
      await scene.given('bob', ...versions)
      assert.deepEqual(await scene.read('bob', filter), left)
      for (const reverse of [false, true]) {
        assert.deepEqual(await scene.scan({ filter, reverse }), left.length > 0 ? ['bob'] : [])
      }
      const step = { when: filter, ifMatched: [set('data t@1=')], otherwise: [set('data f@1=')] }
      assert.equal(await scene.store.checkAndMutateRow(bytes('bob'), step), left.length > 0)
      assert.deepEqual(await scene.read('bob', [{ family: 'data' }]), [
        left.length > 0 ? 'data t@1=' : 'data f@1=',
      ])
    })
  }
}
