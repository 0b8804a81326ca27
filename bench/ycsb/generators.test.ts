// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { Random } from '../load/random.ts'
import { CORE_WORKLOADS, drawKind } from './core-workloads.ts'
import { InsertCounter } from './insert-counter.ts'
import {
  fnvHash64,
  type KeyChooser,
  latest,
  remainder,
  scrambledZipfian,
  Zipfian,
  zeta,
} from './key-chooser.ts'

const DRAWS = 200_000
const RECORDS = 100_000

/** How often each number was drawn, the most frequent first, as shares. */
function sharesOf(choose: KeyChooser, draws = DRAWS): { number: number; share: number }[] {
  const random = new Random(42)
  const counts = new Map<number, number>()
  for (let draw = 0; draw < draws; draw += 1) {
    const number = choose(random)
    counts.set(number, (counts.get(number) ?? 0) + 1)
  }
  return [...counts]
    .map(([number, count]) => ({ number, share: count / draws }))
    .sort((one, other) => other.share - one.share)
}

function near(actual: number | undefined, expected: number, tolerance: number): void {
  assert.ok(Math.abs(Number(actual) - expected) <= tolerance, `${actual} is not near ${expected}`)
}

test('the hash is FNV-1a over eight octets without its sign, as by whole 64-bit arithmetic', () => {
  const byBigInt = (value: number): bigint => {
    let hash = 0xcbf29ce484222325n
    for (let octet = 0n; octet < 8n; octet += 1n) {
      hash ^= (BigInt(value) >> (octet * 8n)) & 0xffn
      hash = BigInt.asUintN(64, hash * 1_099_511_628_211n)
    }
    const signed = BigInt.asIntN(64, hash)
    return signed < 0n ? -signed : signed
  }
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.integer({ min: 1, max: 90_000_000 }), (value, divisor) => {
      const hash = fnvHash64(value)
      assert.equal(BigInt(hash.high) * 2n ** 32n + BigInt(hash.low), byBigInt(value))
      assert.equal(BigInt(remainder(hash, divisor)), byBigInt(value) % BigInt(divisor))
    }),
  )
})

test('plain zipfian: the hottest of 100,000 items gets 7.83 %, the first hundred ranks 42 %', () => {
  const zipfian = new Zipfian(RECORDS)
  const shares = sharesOf((random) => zipfian.next(random))
  const total = zeta(0, RECORDS)
  near(100 / total, 7.83, 0.01)
  assert.equal(shares[0]?.number, 0)
  near(shares[0]?.share, 0.0783, 0.002)
  const ofRanks = shares.filter(({ number }) => number < 100).map(({ share }) => share)
  const sum = ofRanks.reduce((one, other) => one + other, 0)
  // Gray's closed form is exact for two ranks and a little generous to those behind them.
  near(sum, zeta(0, 100) / total, 0.015)
})

test('scrambled zipfian: the hottest key gets 3.78 %, and lies anywhere', () => {
  const shares = sharesOf(scrambledZipfian(() => RECORDS))
  near(shares[0]?.share, 0.0378, 0.0015)
  assert.notEqual(shares[0]?.number, 0)
  const hundred = shares.slice(0, 100).reduce((sum, { share }) => sum + share, 0)
  // Rank by rank 20 %, and a little more by the cold ranks that fall on the same keys.
  near(hundred, zeta(0, 100) / 26.46902820178302, 0.02)
  assert.ok(shares.every(({ number }) => number >= 0 && number < RECORDS))
})

test('scrambled zipfian with room: hot keys stay hot while records come, unborn ones are not drawn', () => {
  let stored = 1000
  const choose = scrambledZipfian(() => stored, 200)
  const before = sharesOf(choose)
  assert.ok(before.every(({ number }) => number < 1000))
  stored = 1200
  const after = sharesOf(choose)
  assert.equal(after[0]?.number, before[0]?.number)
  assert.ok(after.some(({ number }) => number >= 1000))
})

test('latest: the newest record is the hottest, also after an insert', () => {
  let stored = 1000
  const choose = latest(() => stored)
  assert.equal(sharesOf(choose)[0]?.number, 999)
  stored = 1500
  const shares = sharesOf(choose)
  assert.equal(shares[0]?.number, 1499)
  near(shares[0]?.share, 1 / zeta(0, 1500), 0.005)
})

test('each workload draws its operations in their shares', () => {
  const random = new Random(3)
  for (const workload of CORE_WORKLOADS) {
    const counts: Record<string, number> = {}
    for (let draw = 0; draw < 20_000; draw += 1) {
      const kind = drawKind(workload, random)
      counts[kind] = (counts[kind] ?? 0) + 1
    }
    assert.deepEqual(Object.keys(counts).sort(), Object.keys(workload.mix).sort())
    for (const [kind, share] of Object.entries(workload.mix)) {
      near((counts[kind] ?? 0) / 20_000, share, 0.02)
    }
  }
})

test('a record counts as stored when all before it are', () => {
  const counter = new InsertCounter(10)
  const [first, second, third] = [counter.next(), counter.next(), counter.next()]
  assert.deepEqual([first, second, third], [10, 11, 12])
  counter.acknowledge(12)
  counter.acknowledge(11)
  assert.equal(counter.acknowledged, 10)
  counter.acknowledge(10)
  assert.equal(counter.acknowledged, 13)
})
