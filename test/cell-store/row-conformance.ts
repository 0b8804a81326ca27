// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Mutation } from '../../storage/cells/mutation.ts'
import { nextTurn } from '../../storage/turns/turns.ts'
import {
  bytes,
  type CellStoreScene,
  cellsOf,
  column,
  ofKind,
  set,
  WHOLE_ROW,
} from './cell-store-scene.ts'

/** What one row is, how it changes, and how its counters do. */
export function rowScenarios(scene: CellStoreScene): void {
  test('a row is read in the order of family, qualifier in UTF-8, newest timestamp', async () => {
    const ordered = ['data 0@9=a', 'data 0@5=b', 'data \uffff@1=c', 'data \u{10000}@1=d']
    const families = ['lock 0@1=', 'write 0@1=', 'rollback 0@1=', 'guard 0@1=', 'notify 0@1=']
    await scene.given('bob', ...[...ordered, ...families].reverse())
    assert.deepEqual(await scene.read('bob'), [...ordered, ...families])
  })

  test('a cell written again at the same timestamp is replaced', async () => {
    await scene.given('bob', 'data 0@5=old', 'data 0@5=new')
    assert.deepEqual(await scene.read('bob'), ['data 0@5=new'])
  })

  test('mutations of a row are applied in their order', async () => {
    const clear: Mutation = { kind: 'deleteFromColumn', ...column('data 0'), timestamps: {} }
    await scene.store.mutateRows([
      { row: bytes('bob'), mutations: [set('data 0@5=gone'), clear, set('data 0@4=kept')] },
      { row: bytes('joe'), mutations: [set('data 0@5=gone'), set('data 1@5=kept'), clear] },
    ])
    assert.deepEqual(await scene.read('bob'), ['data 0@4=kept'])
    assert.deepEqual(await scene.read('joe'), ['data 1@5=kept'])
  })

  test('a deletion takes the timestamps from its lower up to below its upper bound', async () => {
    await scene.given('bob', 'data 0@4=4', 'data 0@5=5', 'data 0@6=6', 'data 0@7=7', 'data 1@5=5')
    const timestamps = { from: 5, until: 7 }
    const mutations = [{ kind: 'deleteFromColumn', ...column('data 0'), timestamps } as const]
    await scene.store.mutateRows([{ row: bytes('bob'), mutations }])
    assert.deepEqual(await scene.read('bob'), ['data 0@7=7', 'data 0@4=4', 'data 1@5=5'])
  })

  test('a row whose last cell was deleted is no row any more', async () => {
    await scene.given('bob', 'lock 0@7=x')
    const mutations = [{ kind: 'deleteFromColumn', ...column('lock 0'), timestamps: {} } as const]
    await scene.store.mutateRows([{ row: bytes('bob'), mutations }])
    assert.deepEqual(await scene.read('bob'), [])
    assert.deepEqual(await scene.scan(), [])
  })

  test('a predicate looks at its own row only and an empty list changes nothing', async () => {
    await scene.given('bob', 'lock 0@7=x')
    const step = {
      when: [{ family: 'lock' } as const],
      ifMatched: [set('data 0@1=')],
      otherwise: [],
    }
    assert.equal(await scene.store.checkAndMutateRow(bytes('bo'), step), false)
    assert.equal(await scene.store.checkAndMutateRow(bytes('bob\0'), step), false)
    assert.deepEqual(await scene.scan(), ['bob'])
  })

  test('conditional mutations of many rows are answered and carried out each for itself', async () => {
    const rows = Array.from({ length: 150 }, (_, at) => `row ${at}`)
    const isLocked = (at: number) => at % 3 === 0
    await Promise.all(
      rows.filter((_, at) => isLocked(at)).map((row) => scene.given(row, 'lock 0@7=x')),
    )
    const clear: Mutation = { kind: 'deleteFromColumn', ...column('lock 0'), timestamps: {} }
    const stepOf = (row: Uint8Array) => ({
      ...{ row, when: [column('lock 0')], ifMatched: [clear, set('write 0@8=y')] },
      otherwise: [set('data 0@1=z')],
    })
    const tooLong = new Uint8Array(scene.store.limits.rowKeyBytesMax + 1).fill(0x61)
    const answers = await scene.store.checkAndMutateRows([...rows.map(bytes), tooLong].map(stepOf))
    assert.ok(ofKind('invalid')(answers.pop()))
    assert.deepEqual(
      answers,
      rows.map((_, at) => isLocked(at)),
    )
    const found = await scene.store.readRows(rows.map(bytes), WHOLE_ROW)
    assert.deepEqual(
      found.map(cellsOf),
      rows.map((_, at) => [isLocked(at) ? 'write 0@8=y' : 'data 0@1=z']),
    )
    assert.deepEqual(await scene.store.checkAndMutateRows([]), [])
  })

  test('of many concurrent calls for many rows, each row is won by exactly one', async () => {
    const rows = ['a', 'b', 'c', 'd', 'e'].map(bytes)
    const won = await Promise.all(
      Array.from({ length: 8 }, (_, at) => {
        const otherwise = [set(`lock 0@${at + 1}=${at}`)]
        const step = { when: [column('lock 0')], ifMatched: [], otherwise }
        return scene.store.checkAndMutateRows(rows.map((row) => ({ row, ...step })))
      }),
    )
    const found = await scene.store.readRows(rows, [{ family: 'lock' }])
    for (const [at, row] of found.entries()) {
      const winner = won.findIndex((answers) => answers[at] === false)
      assert.equal(won.filter((answers) => answers[at] === false).length, 1)
      assert.deepEqual(cellsOf(row), [`lock 0@${winner + 1}=${winner}`])
    }
  })

  test('of many concurrent conditional mutations of one row exactly one wins', async () => {
    const attempts = Array.from({ length: 50 }, (_, at) =>
      scene.store.checkAndMutateRow(bytes('bob'), {
        when: [{ family: 'lock', qualifier: '0' }],
        ifMatched: [],
        otherwise: [set(`lock 0@${at + 1}=${at}`)],
      }),
    )
    const matched = await Promise.all(attempts)
    const winner = matched.indexOf(false)
    assert.equal(matched.filter((one) => !one).length, 1)
    assert.deepEqual(await scene.read('bob'), [`lock 0@${winner + 1}=${winner}`])
  })

  test('what was acknowledged is read by the next call', async () => {
    for (let at = 1; at <= 20; at++) {
      await scene.given('bob', `data 0@${at}=${at}`)
      assert.deepEqual(await scene.read('bob', [{ family: 'data', newest: 1 }]), [
        `data 0@${at}=${at}`,
      ])
    }
  })

  test('many rows are answered in the order asked, with null for those without a cell', async () => {
    await scene.given('a', 'data 0@1=a')
    await scene.given('b', 'data 0@1=b')
    const keys = ['b', 'x', 'a', 'b'].map(bytes)
    const rows = await scene.store.readRows(keys, [{ family: 'data' }])
    assert.deepEqual(rows.map(cellsOf), [['data 0@1=b'], [], ['data 0@1=a'], ['data 0@1=b']])
    assert.equal(rows[1], null)
  })

  test('rows that are read at once are those of each filter', async () => {
    const versions = ['write 0@5=old', 'write 0@9=new', 'lock 0@7=x']
    await Promise.all(['a', 'b', 'c'].map((row) => scene.given(row, ...versions)))
    const found = await Promise.all(
      Array.from({ length: 32 }, (_, readTs) =>
        scene.read('abc'[readTs % 3] as string, [
          { family: 'lock', qualifier: '0', timestamps: { until: readTs + 1 } },
          { family: 'write', qualifier: '0', timestamps: { until: readTs + 1 }, newest: 1 },
        ]),
      ),
    )
    for (const [readTs, cells] of found.entries()) {
      const version = readTs < 5 ? [] : [readTs < 9 ? 'write 0@5=old' : 'write 0@9=new']
      assert.deepEqual(cells, [...(readTs < 7 ? [] : ['lock 0@7=x']), ...version])
    }
  })

  test('counters of one row are increased together and are cells like any other', async () => {
    const row = bytes('oracle')
    const ticks = { family: 'data', qualifier: 'ticks' } as const
    const fence = { family: 'data', qualifier: 'fence' } as const
    const add = (...by: [bigint, bigint]) =>
      scene.store.readModifyWriteRow(row, [
        { ...ticks, by: by[0] },
        { ...fence, by: by[1] },
      ])
    assert.deepEqual(await add(5n, 0n), [5n, 0n])
    assert.deepEqual(await add(-7n, 1n), [-2n, 1n])
    const together = await Promise.all([add(10n, 0n), add(10n, 0n), add(10n, 0n)])
    // Calls under way together are carried out in any order.
    assert.deepEqual(together.map(([first]) => Number(first)).sort(compareNumbers), [8, 18, 28])
    assert.deepEqual(
      together.map(([, second]) => second),
      [1n, 1n, 1n],
    )
    const values = { start: Buffer.from('000000000000001c', 'hex') }
    assert.equal((await scene.store.readRows([row], [{ ...ticks, newest: 1, values }])).length, 1)
    assert.notEqual((await scene.store.readRows([row], [{ ...ticks, newest: 1, values }]))[0], null)
  })

  test('increments that may be more are never less, and no two get the same numbers', async () => {
    const n = column('data n')
    const zeros = { kind: 'setCell', timestamp: 9, value: Buffer.alloc(8) } as const
    await scene.store.mutateRows([
      {
        row: bytes('bob'),
        mutations: [
          { ...zeros, ...n },
          { ...zeros, ...column('data m') },
        ],
      },
    ])
    let least = 0n
    for (const towards of [0n, 1_000n, 500n, 1_000_000n]) {
      const sums = await Promise.all(
        [1n, 40n, 3n, 1n, 1n, 7n, 1n, 1n, 1n, 1n].map(async (by) => {
          const increments = [
            { ...n, by, towards },
            { ...column('data m'), by: 0n },
          ]
          const [sum = 0n, other] = await scene.store.readModifyWriteRow(bytes('bob'), increments)
          assert.equal(other, 0n)
          return { sum, by }
        }),
      )
      sums.sort((a, b) => compareNumbers(Number(a.sum), Number(b.sum)))
      for (const { sum, by } of sums) {
        assert.ok(sum >= least + by, `${sum} is less than ${by} above ${least}`)
        least = sum
      }
      assert.ok(least <= 1_000n + (towards > 1_000n ? towards : 1_000n), `${least} is far more`)
    }
    const [found] = await scene.store.readModifyWriteRow(bytes('bob'), [{ ...n, by: 0n }])
    assert.equal(found, least)
  })

  test('a column that is named twice in one call counts twice, and is answered each time', async () => {
    const [n, m] = [column('data n'), column('data m')]
    const increments = [
      { ...n, by: 1n },
      { ...m, by: 5n },
      { ...n, by: 2n },
    ]
    assert.deepEqual(await scene.store.readModifyWriteRow(bytes('bob'), increments), [1n, 5n, 3n])
    assert.deepEqual(await scene.store.readModifyWriteRow(bytes('bob'), []), [])
    assert.deepEqual(await scene.store.readModifyWriteRow(bytes('bob'), increments), [4n, 10n, 6n])
  })

  test('a counter whose cell stands in the future is replaced there, and stays one cell', async () => {
    const timestamp = 2_000_000_000_000_000
    const mutations = [
      { kind: 'setCell', ...column('data n'), timestamp, value: Buffer.alloc(8) } as const,
    ]
    await scene.store.mutateRows([{ row: bytes('bob'), mutations }])
    const increment = { ...column('data n'), by: 1n }
    for (let at = 1n; at <= 50n; at++) {
      assert.deepEqual(await scene.store.readModifyWriteRow(bytes('bob'), [increment]), [at])
    }
    const [row] = await scene.store.readRows([bytes('bob')], [{ family: 'data' }])
    assert.deepEqual(
      row?.cells.map((cell) => cell.timestamp),
      [timestamp],
    )
  })

  test('a row that is read while its columns change is one image', async () => {
    await scene.given('bob', 'data 0@1=first')
    const writes = async () => {
      for (let at = 1; at <= 200; at++) {
        const there = ['data 0', 'lock 0'][at % 2] as string
        const gone = ['lock 0', 'data 0'][at % 2] as string
        const mutations: Mutation[] = [
          set(`${there}@${at}=${at}`),
          { kind: 'deleteFromColumn', ...column(gone), timestamps: {} },
        ]
        assert.deepEqual(await scene.store.mutateRows([{ row: bytes('bob'), mutations }]), [null])
      }
    }
    let isWriting = true
    const writing = writes().finally(() => {
      isWriting = false
    })
    let reads = 0
    for (; isWriting; reads++) {
      const cells = await scene.read('bob', [{ family: 'data' }, { family: 'lock' }])
      const columns = new Set(cells.map((cell) => cell.split('@')[0]))
      assert.equal(columns.size, 1, `the row was seen as ${cells}`)
      await nextTurn()
    }
    await writing
    assert.ok(reads > 0)
  })

  test('no keys are answered without a row, and a key that no row can have with null', async () => {
    await scene.given('a', 'data 0@1=a')
    assert.deepEqual(await scene.store.readRows([], [{ family: 'data' }]), [])
    const tooLong = new Uint8Array(scene.store.limits.rowKeyBytesMax + 1).fill(0x61)
    const [none, found] = await scene.store.readRows([tooLong, bytes('a')], [{ family: 'data' }])
    assert.equal(none, null)
    assert.deepEqual(cellsOf(found ?? null), ['data 0@1=a'])
  })

  test('a counter counts on from the newest cell that a mutation has set', async () => {
    const value = Buffer.from('0000000000000064', 'hex')
    const mutations = [{ kind: 'setCell', ...column('data n'), timestamp: 9, value } as const]
    await scene.store.mutateRows([{ row: bytes('bob'), mutations }])
    const increment = { ...column('data n'), by: 1n }
    assert.deepEqual(await scene.store.readModifyWriteRow(bytes('bob'), [increment]), [101n])
    assert.deepEqual(await scene.store.readModifyWriteRow(bytes('bob'), [increment]), [102n])
  })

  test('a cell that is no counter refuses an increment, and nothing of the call happens', async () => {
    await scene.given('bob', 'data n@1=text')
    const increments = [
      { ...column('data m'), by: 1n },
      { ...column('data n'), by: 1n },
    ]
    const attempt = scene.store.readModifyWriteRow(bytes('bob'), increments)
    const neighbour = scene.store.readModifyWriteRow(bytes('bob'), [
      { ...column('data k'), by: 1n },
    ])
    await assert.rejects(attempt, ofKind('invalid'))
    assert.deepEqual(await neighbour, [1n])
    if (scene.leavesHalfAnIncrement) return
    const left = (await scene.read('bob')).filter((cell) => !cell.startsWith('data k'))
    assert.deepEqual(left, ['data n@1=text'])
  })
}

function compareNumbers(a: number, b: number): number {
  return a - b
}
