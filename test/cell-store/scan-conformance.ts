// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { RowScan, ScanMark } from '../../storage/cells/cell-store.ts'
import type { RowFilter } from '../../storage/cells/row-filter.ts'
import {
  bytes,
  type CellStoreScene,
  cellsOf,
  column,
  set,
  text,
  WHOLE_ROW,
} from './cell-store-scene.ts'

/** Rows one after the other. */
export function scanScenarios(scene: CellStoreScene): void {
  test('a scan goes from its start up to below its end, and backward over the same rows', async () => {
    const keys = ['\0', '\0\0', 'a', 'a\0', 'a\xff', 'b', '\xff', '\xff\xff']
    for (const key of keys) await scene.given(key, 'data 0@1=')
    const ranges: ReadonlyArray<[Partial<RowScan>, string[]]> = [
      [{}, keys],
      [{ start: bytes('a'), end: bytes('b') }, ['a', 'a\0', 'a\xff']],
      [{ start: bytes('a\0'), end: bytes('a\xff') }, ['a\0']],
      [{ start: bytes('b') }, ['b', '\xff', '\xff\xff']],
      [{ end: bytes('a') }, ['\0', '\0\0']],
      [{ start: bytes('a'), end: bytes('a') }, []],
      [{ start: bytes('b'), end: bytes('a') }, []],
      [{ end: new Uint8Array() }, []],
    ]
    for (const [range, expected] of ranges) {
      assert.deepEqual(await scene.scan(range), expected)
      assert.deepEqual(await scene.scan({ ...range, reverse: true }), expected.toReversed())
    }
  })

  test('a bound may be one byte longer than any key', async () => {
    const max = scene.store.limits.rowKeyBytesMax
    const longest = text(new Uint8Array(max).fill(0x61))
    for (const key of ['a', longest, 'b']) await scene.given(key, 'data 0@1=')
    const after = bytes(`${longest}\0`)
    for (const reverse of [false, true]) {
      assert.deepEqual(await scene.scan({ start: after, reverse }), ['b'])
      assert.deepEqual((await scene.scan({ end: after, reverse })).sort(), ['a', longest])
      assert.deepEqual(await scene.scan({ start: bytes(longest), end: after, reverse }), [longest])
      assert.deepEqual(await scene.scan({ start: after, end: bytes(`${longest}a`), reverse }), [])
    }
  })

  test('a limit counts the rows that the filter leaves, in either direction', async () => {
    for (const key of ['a', 'b', 'c', 'd']) await scene.given(key, 'data 0@1=')
    await scene.given('b', 'lock 0@7=x')
    await scene.given('d', 'lock 0@7=x')
    const filter: RowFilter = [{ family: 'lock' }]
    assert.deepEqual(await scene.scan({ filter, limit: 1 }), ['b'])
    assert.deepEqual(await scene.scan({ filter, limit: 1, reverse: true }), ['d'])
    assert.deepEqual(await scene.scan({ filter, limit: 9 }), ['b', 'd'])
    assert.deepEqual(await scene.scan({ limit: 0 }), [])
  })

  test('a long scan gives each row once, whole, in order, in either direction', async () => {
    const keys = Array.from({ length: 2_000 }, (_, at) => String(at).padStart(4, '0'))
    // Every third row has more versions than a sweep reads, and many rows have only a lock.
    const cells = (at: number) => {
      if (at % 5 === 0) return ['lock 0@7=x']
      const count = at % 3 === 0 ? 20 : 2
      return Array.from({ length: count }, (_, version) => `write 0@${version + 1}=${version}`)
    }
    const entries = keys.map((key, at) => ({ row: bytes(key), mutations: cells(at).map(set) }))
    await scene.store.mutateRows(entries)
    const filter: RowFilter = [{ family: 'lock' }, { family: 'write', newest: 1 }]
    for (const reverse of [false, true]) {
      const found: string[] = []
      for await (const row of scene.store.scanRows({ start: new Uint8Array(), filter, reverse })) {
        found.push(`${text(row.key)} ${cellsOf(row)}`)
      }
      const expected = keys.map((key, at) => `${key} ${cells(at).at(-1)}`)
      assert.deepEqual(found, reverse ? expected.reverse() : expected)
    }
  })

  test('a scan of several ranges gives the rows of each, in order, however many there are', async () => {
    const keys = ['a', 'c', 'e'].flatMap((letter) =>
      Array.from(
        { length: letter === 'c' ? 1_100 : 3 },
        (_, at) => letter + `${at}`.padStart(4, '0'),
      ),
    )
    const mutations = [set('data 0@1=')]
    await scene.store.mutateRows(keys.map((key) => ({ row: bytes(key), mutations })))
    const of = async (...ranges: ReadonlyArray<readonly [string, string]>) => {
      const asked = ranges.map(([start, end]) => ({ start: bytes(start), end: bytes(end) }))
      const rows = await Array.fromAsync(scene.store.scanRanges(asked, WHOLE_ROW))
      return rows.map(({ key }) => text(key))
    }
    const all = await of(['a', 'b'], ['b', 'b0'], ['c', 'd'], ['e0001', 'f'])
    assert.deepEqual(
      all,
      keys.filter((key) => key !== 'e0000'),
    )
    assert.deepEqual(await of(['a0001', 'a0002'], ['c1098', 'e0000']), ['a0001', 'c1098', 'c1099'])
    assert.deepEqual(await of(['b', 'c'], ['x', 'a']), [])
    assert.deepEqual(await of(), [])
  })

  test('a scan with a mark gives all cells that have changed since the last one that ended', async () => {
    const mark: ScanMark = {}
    const ranges = [
      { start: bytes('a'), end: bytes('c') },
      { start: bytes('d'), end: bytes('e') },
    ]
    const news = async () => {
      const rows = await Array.fromAsync(scene.store.scanRanges(ranges, WHOLE_ROW, mark))
      return rows.flatMap((row) => cellsOf(row).map((cell) => `${text(row.key)} ${cell}`))
    }
    for (const key of ['a', 'b', 'c', 'd']) await scene.given(key, 'data 0@1=x')
    assert.deepEqual(await news(), ['a data 0@1=x', 'b data 0@1=x', 'd data 0@1=x'])
    await scene.given('b', 'write 0@2=y')
    await scene.given('d', 'data 0@3=z')
    for await (const _ of scene.store.scanRanges(ranges, WHOLE_ROW, mark)) break
    const found = await news()
    for (const cell of ['b write 0@2=y', 'd data 0@3=z']) assert.ok(found.includes(cell), cell)
    await news()
    await scene.given('a', 'data 0@1=w')
    assert.ok((await news()).includes('a data 0@1=w'))
  })

  test('a scan goes on when the row that it stands on is deleted', async () => {
    for (const key of ['a', 'b', 'd']) await scene.given(key, 'data 0@1=')
    const found: string[] = []
    for await (const row of scene.store.scanRows({
      start: bytes('a'),
      filter: WHOLE_ROW,
      limit: 9,
    })) {
      found.push(text(row.key))
      if (found.length > 1) continue
      const timestamps = {}
      const mutations = [{ kind: 'deleteFromColumn', ...column('data 0'), timestamps } as const]
      await scene.store.mutateRows([{ row: bytes('a'), mutations }])
    }
    assert.deepEqual(found, ['a', 'b', 'd'])
    assert.deepEqual(await scene.scan(), ['b', 'd'])
  })

  test('an aborted scan ends with the reason of its signal', async () => {
    for (const key of ['a', 'b']) await scene.given(key, 'data 0@1=')
    const abort = new AbortController()
    const reason = new Error('enough')
    const walk = async () => {
      const { signal } = abort
      for await (const _ of scene.store.scanRows({
        start: bytes('a'),
        filter: WHOLE_ROW,
        signal,
      })) {
        abort.abort(reason)
      }
    }
    await assert.rejects(walk, reason)
  })
}
