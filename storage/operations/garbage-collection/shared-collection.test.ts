// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, type TestContext, test } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { type CellStore, CellStoreError } from '../../cells/cell-store.ts'
import { decoratedStore } from '../../cells/decorated-cell-store.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { openGateway, type Storage } from '../../storage.ts'
import { silentLog } from '../../storage-log.ts'
import { scanRangeRows } from './range-row.ts'
import { CLAIM_MS, SharedRanges } from './shared-ranges.ts'

const RANGES = 8
const INTERVAL_MS = 600_000
const HOUR_MS = 3_600_000
const AT_ONCE = { retentionMs: 0, heldMsMax: 0 }
/** Shorter than a call of the store may take. */
const SCAN_MS = 8_000

const rowOf = (number: number) => Buffer.from([1, number, 7])

type Replaced = Parameters<typeof decoratedStore>[1]

/** Gateways over one store of several ranges, on one clock. */
class World {
  readonly cells = new MemoryCellStore()
  readonly clock = new ManualClock()
  readonly #t: TestContext

  constructor(t: TestContext) {
    this.#t = t
  }

  /** The store as one gateway has it. */
  seen(replaced: Replaced = {}): CellStore {
    const points = Array.from({ length: RANGES - 1 }, (_, at) => Buffer.from([1, 10 * (at + 1)]))
    return decoratedStore(this.cells, { splitPoints: async () => points, ...replaced })
  }

  async open(cellStore: CellStore, options: Partial<Parameters<typeof openGateway>[1]> = {}) {
    const retention = AT_ONCE
    const storage = await openGateway(cellStore, { clock: this.clock, retention, ...options })
    let isClosed = false
    const close = async () => {
      if (!isClosed) await storage.close()
      isClosed = true
    }
    this.#t.after(close)
    return { storage, close }
  }

  /** Scans of ranges take a while, and are counted by what they look for. */
  slowScans(counts: Record<string, number>, ms = SCAN_MS): Replaced {
    const { clock, cells } = this
    return {
      async *scanRows(scan) {
        const family = scan.filter[0]?.family ?? ''
        const isOfRange = scan.limit !== undefined && scan.start.at(0) !== 0 && family !== 'notify'
        if (isOfRange) {
          counts[family] = (counts[family] ?? 0) + 1
          await clock.sleep(ms)
        }
        yield* cells.scanRows(scan)
      },
    }
  }

  async pass(ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 1_000) await this.clock.advance(1_000)
  }

  async passing<T>(work: Promise<T>, each: () => Promise<void> = async () => {}): Promise<T> {
    let isOver = false
    const over = () => {
      isOver = true
    }
    work.then(over, over)
    while (!isOver) {
      await this.clock.advance(1_000)
      await each()
    }
    return await work
  }

  async versionsOf(number: number): Promise<number> {
    const [row] = await this.cells.readRows([rowOf(number)], [{ family: 'write' }])
    return row?.cells.length ?? 0
  }
}

async function write(storage: Storage, value: string, ...numbers: readonly number[]) {
  const transaction = await storage.begin()
  for (const number of numbers) transaction.put(rowOf(number), '0', Buffer.from(value))
  await transaction.commit()
}

async function read(storage: Storage, number: number): Promise<string> {
  const transaction = await storage.begin()
  const row = await transaction.getRow(rowOf(number), ['0'])
  transaction.rollback()
  return Buffer.from(row?.columns.get('0')?.value ?? []).toString()
}

/** But for that the rows are of no table. */
async function problemsOf(storage: Storage) {
  const { problems } = await storage.checkConsistency()
  return problems.filter(({ rule }) => rule !== 'T1')
}

describe('a collection of a store of several ranges', () => {
  test('is done by all gateways that live, and leaves nothing of itself', async (t) => {
    const world = new World(t)
    const [ofOne, ofOther] = [{}, {}] as [Record<string, number>, Record<string, number>]
    const options = { collectionIntervalMs: 5_000 }
    const one = await world.open(world.seen(world.slowScans(ofOne)), options)
    const other = await world.open(world.seen(world.slowScans(ofOther)), options)
    for (let turn = 0; turn < 3; turn += 1) {
      for (let number = 5; number < 80; number += 10) await write(one.storage, `${turn}`, number)
    }
    const hasCollected = () =>
      [one, other].some(({ storage }) => storage.status().lastCollection !== undefined)
    while (!hasCollected()) await world.clock.advance(1_000)
    for (const counts of [ofOne, ofOther]) {
      assert.ok((counts.lock ?? 0) > 0 && (counts.write ?? 0) > 0, JSON.stringify(counts))
    }
    for (let number = 5; number < 80; number += 10) {
      assert.equal(await world.versionsOf(number), 1, `row ${number}`)
      assert.equal(await read(other.storage, number), '2')
    }
    assert.deepEqual(await Array.fromAsync(scanRangeRows(world.cells)), [])
    assert.deepEqual(await problemsOf(one.storage), [])
  })

  test('waits for the range of a gateway that stands still, and then does it itself (G2)', async (t) => {
    const world = new World(t)
    // A commit in the first range leaves the lock of its secondary in each of the others.
    const ending = await world.open(
      world.seen({
        checkAndMutateRow: async (row, step) => {
          if (step.step !== 'commitSecondary') return await world.cells.checkAndMutateRow(row, step)
          throw new CellStoreError('notApplied', 'The process is about to end.')
        },
        checkAndMutateRows: async (steps) =>
          await Promise.all(
            steps.map(async ({ row, ...step }) => {
              if (step.step === 'commitSecondary')
                return new CellStoreError('notApplied', 'The process is about to end.')
              return await world.cells.checkAndMutateRow(row, step)
            }),
          ),
      }),
    )
    const numbers = [5, 15, 25, 35, 45, 55, 65, 75]
    await world.passing(write(ending.storage, 'kept', ...numbers))
    await world.passing(ending.close())
    const { storage } = await world.open(world.seen(world.slowScans({})))
    await world.passing(write(storage, 'newer', 5))
    // It claims what it finds, and never goes on.
    const still = new SharedRanges({
      ...{ cellStore: world.seen(), clock: new ManualClock(), log: silentLog },
      incarnation: '0'.repeat(32),
    })
    const ended = new AbortController()
    t.after(() => ended.abort())
    let claimedMs = 0
    const collecting = storage.collectGarbage()
    await world.passing(collecting, async () => {
      const rows = await Array.fromAsync(scanRangeRows(world.cells))
      if (claimedMs > 0 || rows.length === 0) return
      claimedMs = world.clock.monotonicMs()
      void still.help(async () => () => () => new Promise(() => {}), ended.signal)
    })
    assert.ok(world.clock.monotonicMs() - claimedMs > CLAIM_MS)
    for (const number of numbers.slice(1)) assert.equal(await read(storage, number), 'kept')
    assert.equal(await read(storage, 5), 'newer')
    assert.deepEqual(await problemsOf(storage), [])
  })
})

describe('a collection of a store in which nothing has become garbage', () => {
  test('walks nothing, until a change is as old as the retention (G3)', async (t) => {
    const world = new World(t)
    const counts: Record<string, number> = {}
    const retention = { retentionMs: HOUR_MS, heldMsMax: 0 }
    const options = { retention, collectionIntervalMs: INTERVAL_MS }
    const { storage } = await world.open(world.seen(world.slowScans(counts, 1)), options)
    await write(storage, 'old', 5)
    await world.pass(2 * INTERVAL_MS)
    await write(storage, 'new', 5)
    const walks = counts.write
    assert.ok(walks !== undefined && walks > 0, 'the first one looks at everything')
    await world.pass(2 * INTERVAL_MS)
    assert.equal(counts.write, walks)
    assert.equal(await world.versionsOf(5), 2)
    await world.pass(HOUR_MS)
    assert.equal(await world.versionsOf(5), 1)
    const later = counts.write as number
    assert.ok(later > walks)
    await world.pass(3 * INTERVAL_MS)
    assert.equal(counts.write, later)
    assert.ok((await storage.status()).lastCollection !== undefined)
  })

  test('is not taken for one after a collection that did not finish (G3)', async (t) => {
    const world = new World(t)
    let isBroken = false
    const broken = world.seen({
      mutateRows: async (entries) => {
        const errors = await world.cells.mutateRows(
          entries.filter(({ row, step }) => !(isBroken && step === 'collect' && row[0] === 1)),
        )
        if (errors.length === entries.length) return errors
        return entries.map(() => new CellStoreError('ambiguous', 'The store is going down.'))
      },
    })
    const retention = { retentionMs: HOUR_MS, heldMsMax: 0 }
    const options = { retention, collectionIntervalMs: INTERVAL_MS }
    const { storage } = await world.open(broken, options)
    await world.pass(2 * INTERVAL_MS)
    for (const value of ['old', 'new']) await write(storage, value, 5)
    isBroken = true
    await world.pass(HOUR_MS + 2 * INTERVAL_MS)
    assert.equal(await world.versionsOf(5), 2)
    isBroken = false
    await world.pass(3 * INTERVAL_MS)
    assert.equal(await world.versionsOf(5), 1)
  })
})
