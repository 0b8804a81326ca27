// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { SeededRandomness } from '../../../test/seeded-randomness.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { MemoryCellStore } from '../../cells/memory/memory-cell-store.ts'
import { replacePlainRow } from '../../cells/plain-row.ts'
import { systemRandomness } from '../../randomness.ts'
import { openGateway, Storage } from '../../storage.ts'
import { readOracleState } from '../oracle/oracle-row.ts'
import { beginEpoch, Epochs } from './epochs.ts'
import { FEATURES_ROW } from './format-features.ts'
import { openHistory } from './open-history.ts'

const FAMILIES = ['data', 'lock', 'write', 'rollback', 'guard', 'notify'] as const

/** What is in the files at this moment. */
async function copyOf(cellStore: CellStore): Promise<CellStore> {
  const copy = new MemoryCellStore()
  const filter = FAMILIES.map((family) => ({ family }))
  for await (const { key, cells } of cellStore.scanRows({ start: new Uint8Array(), filter })) {
    const mutations = cells.map((cell) => ({ kind: 'setCell', ...cell }) as const)
    await copy.mutateRows([{ row: key, mutations }])
  }
  return copy
}

type Bookmark = { readonly timestamp: number; readonly name: string }
type Copy = {
  readonly cellStore: CellStore
  readonly kept: ReadonlySet<Bookmark>
  readonly mark: number
}

/** One database, its kills and its copies; `kept` is what a client got of what is in it now. */
class Line {
  readonly all: Bookmark[] = []
  kept = new Set<Bookmark>()
  /** Of the copy that was put back last: up to here a loss looks like a crash. */
  mark = Infinity
  #cellStore: CellStore = new MemoryCellStore()
  #clock = new ManualClock()
  storage: Storage | undefined

  async start(cellStore: CellStore, laterMs = 0): Promise<void> {
    const wallMicros = this.#clock.wallMicros() + laterMs * 1_000
    this.#clock = new ManualClock({ wallMicros })
    this.#cellStore = cellStore
    const deps = { clock: this.#clock, randomness: systemRandomness }
    this.storage = await Storage.open(cellStore, {
      ...deps,
      ...{ owner: 'exclusive', ownsCellStore: false },
    })
  }

  get running(): Storage {
    assert.ok(this.storage !== undefined)
    return this.storage
  }

  async bookmark(writes: boolean): Promise<void> {
    const transaction = await this.running.begin()
    if (writes) transaction.put(Buffer.from('\u0001bob'), '0', Buffer.from('ten'))
    const commitTs = writes ? (await transaction.commit()).commitTs : undefined
    if (!writes) transaction.rollback()
    const one = { timestamp: commitTs ?? transaction.startTs, name: this.running.history.name }
    this.all.push(one)
    this.kept.add(one)
  }

  async pass(ms: number): Promise<void> {
    await this.#clock.advance(ms)
  }

  async kill(): Promise<void> {
    await this.start(await copyOf(this.#cellStore))
  }

  async restart(): Promise<void> {
    await this.running.close()
    await this.start(this.#cellStore)
  }

  async copy(): Promise<Copy> {
    const cellStore = await copyOf(this.#cellStore)
    const { timestamp: mark } = await readOracleState(cellStore)
    return { cellStore, kept: new Set(this.kept), mark }
  }

  async putBack({ cellStore, kept, mark }: Copy, laterMs: number): Promise<void> {
    this.kept = new Set(kept)
    this.mark = mark
    await this.start(await copyOf(cellStore), laterMs)
  }

  isTaken({ timestamp, name }: Bookmark): boolean {
    try {
      this.running.history.require(timestamp, name)
      return true
    } catch {
      return false
    }
  }

  /** Whether every bookmark is judged as it has to be; how many of what is lost were refused. */
  check(about: string): number {
    let refused = 0
    for (const one of this.all) {
      const isTaken = this.isTaken(one)
      if (this.kept.has(one)) assert.ok(isTaken, `${about}: ${JSON.stringify(one)} was given here`)
      else if (one.timestamp > this.mark)
        assert.ok(!isTaken, `${about}: ${JSON.stringify(one)} is lost`)
      if (!isTaken) refused += 1
      // A client that knows the id alone goes on as it always did.
      const [id = ''] = one.name.split('.')
      this.running.history.require(one.timestamp, id)
    }
    return refused
  }
}

test('over kills and copies that are put back, bookmarks of what is there go on, and of what is lost do not', async (t) => {
  const seed = Date.now() % 1_000_000
  t.diagnostic(`seed ${seed}`)
  let refused = 0
  for (let run = 0; run < 12; run += 1) {
    const random = new SeededRandomness(seed + run)
    const line = new Line()
    await line.start(new MemoryCellStore())
    const copies: Copy[] = []
    for (let step = 0; step < 60; step += 1) {
      const chance = random.below(12)
      const copy = copies[random.below(Math.max(1, copies.length))]
      if (chance < 5) await line.bookmark(chance < 3)
      else if (chance < 7) await line.pass(random.below(3_000))
      else if (chance === 7) await line.kill()
      else if (chance === 8) await line.restart()
      else if (chance === 9) copies.push(await line.copy())
      else if (copy !== undefined) await line.putBack(copy, random.below(2) * 60_000)
      refused += line.check(`seed ${seed + run}, step ${step}`)
    }
  }
  assert.ok(refused > 0, 'nothing was ever lost')
})

test('epochs below the safe point are one, whose bookmarks are told apart by its end alone', () => {
  const at = (mark: number, safePoint = 0) => ({ mark, safePoint, random: '0123456789' })
  const first = Epochs.decode(undefined).renewed(at(100))
  const second = first.renewed(at(150))
  const third = Epochs.decode(second.encode()).renewed(at(200))
  const [one = '', two = '', three = ''] = [first, second, third].map(({ current }) => current)
  assert.deepEqual(
    [one, two, three, 'f'.repeat(24)].map((id) => third.endOf(id)),
    [150, 200, Infinity, undefined],
  )
  const merged = third.renewed(at(250, 200))
  assert.deepEqual(
    [one, two, three].map((id) => merged.endOf(id)),
    [200, 200, 250],
  )
  assert.equal(merged.encode().length, third.encode().length - 20)
  assert.throws(() => Epochs.decode(third.encode().subarray(1)), { rule: 'H3' })
  const swapped = Buffer.from(third.encode())
  swapped.writeBigInt64BE(300n, 8 + 12)
  assert.throws(() => Epochs.decode(swapped), { rule: 'H3' })
  let many = third
  for (let mark = 300; mark < 2_300; mark += 1) many = many.renewed(at(mark))
  assert.equal(
    many.encode().length,
    8 + 1_000 * 20,
    'a server that dies over and over has an end of them',
  )
})

test('gateways that share a store begin no epoch, and go on with those of the one that had it before', async () => {
  const cellStore = new MemoryCellStore()
  const deps = { cellStore, clock: new ManualClock(), randomness: systemRandomness }
  const { id } = await openHistory(deps)
  const { current } = await beginEpoch(cellStore, systemRandomness)
  const storage = await openGateway(cellStore, deps)
  assert.equal(storage.history.name, id)
  const { timestamp } = await storage.status()
  storage.history.require(timestamp, `${id}.${current}`)
  assert.throws(() => storage.history.require(timestamp, `${id}.${'f'.repeat(24)}`), {
    code: 'history_replaced',
  })
  await storage.close()
})

test('a store with something that this version does not know is not opened, of any engine', async () => {
  for (const value of ['["epochs","holograms"]', 'holograms']) {
    const cellStore = new MemoryCellStore()
    await replacePlainRow(cellStore, FEATURES_ROW, undefined, Buffer.from(value))
    const refusal = { code: 'data_directory_unusable', message: /holograms/ }
    await assert.rejects(Storage.open(cellStore, { owner: 'exclusive' }), refusal)
    await assert.rejects(openGateway(cellStore), refusal)
  }
})
