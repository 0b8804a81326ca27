// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import fc from 'fast-check'
import { SeededRandomness } from '../../../test/seeded-randomness.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { compareRowKeys } from '../../cells/row-key.ts'
import { setNotify } from '../../transactions/records/notify-cell.ts'
import { keyBetween, NotificationScanner } from './notification-scanner.ts'

const RANGE = { observerId: 7, start: Uint8Array.of(1), end: Uint8Array.of(2) }
const { signal } = new AbortController()

async function notified(rows: number): Promise<MemoryCellStore> {
  const cellStore = new MemoryCellStore()
  for (let row = 0; row < rows; row += 1) {
    const mutations = [setNotify(7, 10), setNotify(7, 20), setNotify(9, 30)]
    await cellStore.mutateRows([{ row: keyOf(row), mutations }])
  }
  return cellStore
}

function keyOf(row: number): Buffer {
  const key = Buffer.alloc(5)
  key[0] = 1
  key.writeUInt32BE(row, 1)
  return key
}

async function round(scanner: NotificationScanner): Promise<number[]> {
  const rows: number[] = []
  for (;;) {
    const { found, isRoundOver } = await scanner.nextPage(signal)
    for (const { key, timestamp } of found) {
      assert.equal(timestamp, 20, 'the newest cell of this observer')
      rows.push(Buffer.from(key).readUInt32BE(1))
    }
    if (isRoundOver) return rows
  }
}

describe('a round of the scanner', () => {
  test('finds every row once, from wherever it begins', async () => {
    const scanner = new NotificationScanner(await notified(700), new SeededRandomness(3), RANGE)
    const begins = new Set<number>()
    for (let rounds = 0; rounds < 5; rounds += 1) {
      const rows = await round(scanner)
      begins.add(rows[0] as number)
      assert.deepEqual(
        rows.toSorted((a, b) => a - b),
        Array.from({ length: 700 }, (_, row) => row),
      )
    }
    assert.ok(begins.size > 1, 'rounds begin in different places')
  })

  test('of a store in which nobody is notified is over at once', async () => {
    const scanner = new NotificationScanner(await notified(0), new SeededRandomness(3), RANGE)
    assert.deepEqual(await round(scanner), [])
  })

  test('is left for another place by a teleport', async () => {
    const scanner = new NotificationScanner(await notified(700), new SeededRandomness(4), RANGE)
    const before = await scanner.nextPage(signal)
    scanner.teleport()
    const after = await scanner.nextPage(signal)
    assert.notDeepEqual(after.found[0]?.key, before.found.at(-1)?.key)
    assert.equal(new Set(await round(scanner)).size > 0, true)
  })
})

/** Where three scanners over 4,096 notified rows look, page after page; each of them a row. */
async function positionsOverTime(seed: number, meet: (scanner: NotificationScanner) => void) {
  const cellStore = await notified(ROWS)
  const scanners = Array.from({ length: 3 }, (_, number) => {
    return new NotificationScanner(cellStore, new SeededRandomness(seed + number), RANGE)
  })
  const positions: number[][] = []
  for (let turn = 0; turn < 300; turn += 1) {
    const pages: number[] = []
    for (const scanner of scanners) {
      const { found } = await scanner.nextPage(signal)
      const first = found[0] === undefined ? 0 : Buffer.from(found[0].key).readUInt32BE(1)
      // Whoever is within a page of another meets rows that the other runs.
      if (pages.some((other) => Math.abs(other - first) < PAGE_ROWS)) meet(scanner)
      pages.push(first)
    }
    positions.push(pages)
  }
  return positions
}

/** In how many of a hundred turns some two of them are within a page of each other. */
function clumped(positions: readonly number[][]): number {
  const met = positions.filter((pages) =>
    pages.some((page, at) =>
      pages.some((other, b) => b > at && Math.abs(page - other) < PAGE_ROWS),
    ),
  )
  return (100 * met.length) / positions.length
}

const ROWS = 4_096
const PAGE_ROWS = 256

test('scanners of several gateways are spread over the table, and part where they meet (2.4)', async (t) => {
  const seed = Date.now() % 1_000_000
  t.diagnostic(`seed ${seed}`)
  const positions = await positionsOverTime(seed, (scanner) => scanner.teleport())
  const tenths = new Array(10).fill(0)
  for (const page of positions.flat()) tenths[Math.floor((10 * page) / ROWS)] += 1
  const shares = tenths.map((count) => Math.round((100 * count) / positions.flat().length))
  t.diagnostic(`of 100 looks, by tenths of the table: ${shares.join(' ')}`)
  for (const share of shares) assert.ok(share >= 4 && share <= 18, shares.join(' '))
  const together = clumped(positions)
  t.diagnostic(`together in ${Math.round(together)} of 100 turns`)
  assert.ok(together < 20, String(together))
})

test('a key between two others is no smaller than the first and no larger than the last', () => {
  const key = fc.uint8Array({ minLength: 1, maxLength: 12 })
  fc.assert(
    fc.property(key, key, fc.double({ min: 0, max: 0.999_999, noNaN: true }), (a, b, fraction) => {
      const [first, last] = compareRowKeys(a, b) <= 0 ? [a, b] : [b, a]
      const between = keyBetween(first, last, fraction)
      assert.ok(compareRowKeys(between, first) >= 0)
      // Digits that a key lacks are zeros.
      assert.ok(compareRowKeys(between, Buffer.concat([last, Buffer.alloc(12)])) <= 0)
    }),
  )
})
