// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { compareValues, type SqlValue } from '../../storage/values/values.ts'
import { SeededRandomness } from '../../test/seeded-randomness.ts'
import { WorkMeter } from '../expressions/work-meter.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import { HeldBytes } from './held-bytes.ts'
import { TopRows } from './top-rows.ts'

const AT = { line: 1, column: 1, offset: 0 }
const KEYS = [
  { type: 'TEXT', descending: true },
  { type: 'INTEGER', descending: false },
  { type: 'INTEGER', descending: false },
] as const

function sorted(rows: readonly SqlValue[][]): SqlValue[][] {
  return rows.toSorted((a, b) => {
    for (const [index, { type, descending }] of KEYS.entries()) {
      const order = compareValues(type, a[index] as SqlValue, b[index] as SqlValue)
      if (order !== 0) return descending ? -order : order
    }
    return 0
  })
}

function taken<T>(top: TopRows<T>): SqlValue[][] {
  const rows: SqlValue[][] = []
  while (top.size > 0) rows.push([...(top.takeLast(new WorkMeter())?.values ?? [])])
  return rows.reverse()
}

test('the first rows of any order are those of a sort, and all that is held is given back', (t) => {
  const seed = Math.floor(Math.random() * 2 ** 31)
  t.diagnostic(`seed ${seed}`)
  const random = new SeededRandomness(seed)
  for (let round = 0; round < 200; round += 1) {
    const rows: SqlValue[][] = Array.from({ length: random.below(60) }, (_, id) => {
      const text = ['a', 'bb', null, '日本', 'x'.repeat(random.below(40))][random.below(5)] ?? null
      return [text, random.below(3) === 0 ? null : BigInt(random.below(4)), BigInt(id)]
    })
    const count = random.below(20)
    let told = 0
    const held = new HeldBytes(AT, (bytes) => {
      told = bytes
    })
    const top = new TopRows<number>(KEYS, count, held)
    for (const row of rows) top.offer(row, () => ({ what: 1, bytes: 0 }), new WorkMeter())
    assert.deepEqual(taken(top), sorted(rows).slice(0, count))
    held.release()
    assert.deepEqual([held.bytes, told], [0, 0])
  }
})

test('a row that is not among the first is neither kept nor copied', () => {
  const top = new TopRows<string>(KEYS, 1, new HeldBytes(AT))
  const work = new WorkMeter()
  top.offer(['b', 1n, 1n], () => ({ what: 'first', bytes: 0 }), work)
  const never = () => assert.fail('it is kept')
  top.offer(['a', 1n, 2n], never, work)
  top.offer(['b', 1n, 2n], never, work)
  assert.equal(top.takeLast(work)?.what, 'first')
  assert.equal(top.takeLast(work), undefined)
})

test('bytes are told in steps as they grow, fall with rows that leave, and end at the limit', () => {
  const told: number[] = []
  const held = new HeldBytes(AT, (bytes) => told.push(bytes))
  const top = new TopRows<undefined>([{ type: 'TEXT', descending: false }], 2, held)
  const work = new WorkMeter()
  const offer = (text: string) => top.offer([text], () => ({ what: undefined, bytes: 0 }), work)
  offer(`d${'x'.repeat(1_000_000)}`)
  offer(`c${'x'.repeat(1_000_000)}`)
  const most = held.bytes
  assert.ok(most >= 4_000_000 && (told.at(-1) as number) >= most, `${told}`)
  offer('b')
  offer('a')
  assert.ok(held.bytes < 1_000, `${held.bytes}`)
  assert.equal(told.length, 2)
  const { sortBytesMax } = PLANNER_LIMITS
  const actual = held.bytes + sortBytesMax
  assert.throws(() => held.change(sortBytesMax), {
    code: 'limit_exceeded',
    fields: { limit: 'sortBytesMax', limitValue: sortBytesMax, actual },
  })
})

test('what is kept of a text does not keep the text', () => {
  const top = new TopRows<undefined>(
    [{ type: 'TEXT', descending: false }],
    1_000,
    new HeldBytes(AT),
  )
  const work = new WorkMeter()
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc')
  collect()
  const before = process.memoryUsage().heapUsed
  for (let row = 0; row < 300; row += 1) {
    const long = String(row).padEnd(1_000_000, 'abc')
    top.offer([long.slice(0, 20)], () => ({ what: undefined, bytes: 0 }), work)
  }
  collect()
  const grown = process.memoryUsage().heapUsed - before
  assert.ok(grown < 30_000_000, `${grown} bytes are kept`)
  assert.equal(top.size, 300)
})
