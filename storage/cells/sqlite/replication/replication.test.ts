// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { pbkdf2 } from 'node:crypto'
import { cpSync, existsSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { promisify } from 'node:util'
import { SeededRandomness } from '../../../../test/seeded-randomness.ts'
import { testFolder } from '../../../../test/test-folder.ts'
import { FAMILIES } from '../../cell.ts'
import type { CellStore, RowStep } from '../../cell-store.ts'
import { type EmbeddedCellStore, unconditionalStep } from '../../embedded-cell-store.ts'
import type { StoreReplication, StreamPosition } from '../../store-replication.ts'
import { openSqliteCellStore, type SqliteCellStoreOptions } from '../sqlite-cell-store.ts'
import { GroupFiles } from './group-files.ts'

const signal = new AbortController().signal
const FRAME_BYTES = 64 * 1024
const START: StreamPosition = { stream: 'a'.repeat(32), number: 0 }

type Own = Partial<SqliteCellStoreOptions>

class Stores {
  readonly #folder: string
  #copies = 0

  private constructor(folder: string) {
    this.#folder = folder
  }

  static async of(t: TestContext): Promise<Stores> {
    return new Stores(await testFolder(t, 'replication'))
  }

  pathOf(name: string): string {
    return join(this.#folder, name)
  }

  async open(name: string, own: Own = {}): Promise<EmbeddedCellStore> {
    return await openSqliteCellStore({ dataDirectory: this.pathOf(name), ...own })
  }

  /** A store with what the other has now. */
  async copyOf(store: CellStore): Promise<EmbeddedCellStore> {
    this.#copies += 1
    const name = `copy-${this.#copies}`
    mkdirSync(this.pathOf(name), { mode: 0o700 })
    const copier = store.openCopier?.()
    await copier?.copyTo(join(this.pathOf(name), 'cells.db'))
    await copier?.close()
    return await this.open(name, { redoLog: 'never' })
  }

  /** The files as a process that is killed leaves them. */
  killedCopyOf(name: string): string {
    this.#copies += 1
    const copy = `killed-${this.#copies}`
    cpSync(this.pathOf(name), this.pathOf(copy), { recursive: true })
    return copy
  }
}

function replicationOf(store: EmbeddedCellStore): StoreReplication {
  assert.ok(store.replication !== undefined)
  return store.replication
}

/** Until nothing follows; returns how many frames there were. */
async function follow(primary: EmbeddedCellStore, standby: EmbeddedCellStore): Promise<number> {
  const [from, to] = [replicationOf(primary), replicationOf(standby)]
  for (let frames = 0; ; frames += 1) {
    const { groups, position } = await from.read(to.position as StreamPosition, {
      bytesMax: FRAME_BYTES,
      signal,
    })
    if (groups.length === 0) return frames
    await to.replay(Buffer.concat(groups))
    assert.deepEqual(to.position, position)
  }
}

async function contentOf(store: CellStore): Promise<string[]> {
  const rows: string[] = []
  const filter = FAMILIES.map((family) => ({ family }))
  for await (const { key, cells } of store.scanRows({ start: new Uint8Array(), filter })) {
    const texts = cells.map(({ family, qualifier, timestamp, value }) => {
      return `${family}:${qualifier}@${timestamp}=${Buffer.from(value).toString('hex')}`
    })
    rows.push(`${Buffer.from(key).toString('hex')} ${texts.join(' ')}`)
  }
  return rows
}

/** Writes of every kind, many at a time, so that groups have several batches. */
class Writers {
  readonly #random: SeededRandomness
  #timestamp = 1_000

  constructor(random: SeededRandomness) {
    this.#random = random
  }

  async write(store: EmbeddedCellStore, batches: number): Promise<void> {
    const writes: Promise<unknown>[] = []
    for (let left = batches; left > 0; left -= 1) writes.push(this.#one(store))
    await Promise.all(writes)
  }

  #one(store: EmbeddedCellStore): Promise<unknown> {
    const row = this.#row()
    const chance = this.#random.below(20)
    if (chance === 0) {
      return store.readModifyWriteRow(Buffer.from('\u0000counter'), [
        { family: 'data', qualifier: 'n', by: BigInt(this.#random.below(9)) },
      ])
    }
    if (chance < 4) return store.checkAndMutateRow(row, this.#condition(row))
    this.#timestamp += 1
    const count = chance === 19 && this.#random.below(10) === 0 ? 1_500 : 1 + this.#random.below(4)
    const steps = Array.from({ length: count }, () => this.#step())
    const note = { timestamp: this.#timestamp, value: Buffer.from([this.#random.below(256)]) }
    return store.applyAtomically(steps, note)
  }

  #row(): Uint8Array {
    return Buffer.from(`\u0001row ${this.#random.below(200)}`)
  }

  #step(): RowStep {
    const row = this.#row()
    const { kind: _, ...when } = { kind: 'data', family: 'data', qualifier: 'a' } as const
    const plain = unconditionalStep(row, [this.#set(), this.#set()])
    if (this.#random.below(8) > 0) return plain
    return { row, when: [when], ifMatched: [this.#delete()], otherwise: [this.#set()] }
  }

  #condition(_row: Uint8Array) {
    const when = [{ family: 'data', qualifier: 'b', newest: 1 }] as const
    return { when, ifMatched: [this.#delete(), this.#set()], otherwise: [this.#set()] }
  }

  #set() {
    const value = Buffer.alloc(this.#random.below(this.#random.below(50) === 0 ? 20_000 : 60), 7)
    const qualifier = this.#random.below(2) === 0 ? 'a' : 'b'
    const timestamp = 1 + this.#random.below(40)
    return { kind: 'setCell', family: 'data', qualifier, timestamp, value } as const
  }

  #delete() {
    const until = 1 + this.#random.below(40)
    return {
      kind: 'deleteFromColumn',
      family: 'data',
      qualifier: 'a',
      timestamps: { until },
    } as const
  }
}

for (const redoLog of ['never', 'auto', 'always'] as const) {
  test(`a store that replays the groups of another has the same cells; redo log ${redoLog}`, async (t) => {
    const seed = Date.now() % 1_000_000
    t.diagnostic(`seed ${seed}`)
    const stores = await Stores.of(t)
    const writers = new Writers(new SeededRandomness(seed))
    const primary = await stores.open('primary', { redoLog })
    await writers.write(primary, 50)
    assert.equal(replicationOf(primary).position, undefined)
    await replicationOf(primary).begin()
    await writers.write(primary, 50)
    const standby = await stores.copyOf(primary)
    assert.deepEqual(replicationOf(standby).position, replicationOf(primary).position)
    for (let round = 0; round < 8; round += 1) {
      await writers.write(primary, 80)
      if (round % 3 < 2) await follow(primary, standby)
    }
    await follow(primary, standby)
    assert.deepEqual(await contentOf(standby), await contentOf(primary))
    // A restart of both, after which numbers go on in another stream.
    await primary.close()
    await standby.close()
    const [first, second] = [await stores.open('primary', { redoLog }), await stores.open('copy-1')]
    await writers.write(first, 50)
    assert.ok((await follow(first, second)) > 0)
    assert.deepEqual(await contentOf(second), await contentOf(first))
    const [own, copied] = [replicationOf(first).position, replicationOf(second).position]
    assert.deepEqual(own, copied)
    await first.close()
    await second.close()
  })
}

test('a store whose process is killed goes on for its followers, and a copy of old files does not', async (t) => {
  const seed = Date.now() % 1_000_000
  t.diagnostic(`seed ${seed}`)
  const stores = await Stores.of(t)
  const writers = new Writers(new SeededRandomness(seed))
  const primary = await stores.open('primary')
  await replicationOf(primary).begin()
  const standby = await stores.copyOf(primary)
  await writers.write(primary, 60)
  await follow(primary, standby)
  const old = stores.killedCopyOf('primary')
  await writers.write(primary, 60)
  const killed = stores.killedCopyOf('primary')
  await primary.close()

  const restarted = await stores.open(killed)
  await writers.write(restarted, 60)
  await follow(restarted, standby)
  assert.deepEqual(await contentOf(standby), await contentOf(restarted))

  // It has fewer groups, and then as many others.
  const putBack = await stores.open(old)
  const position = replicationOf(standby).position as StreamPosition
  const read = () => replicationOf(putBack).read(position, { bytesMax: FRAME_BYTES, signal })
  await assert.rejects(read, { code: 'replication_position_lost' })
  while ((replicationOf(putBack).position?.number ?? 0) <= position.number + 10) {
    await writers.write(putBack, 10)
  }
  await assert.rejects(read, { code: 'replication_position_lost' })
  for (const store of [restarted, putBack, standby]) await store.close()
})

test('groups that are not the next ones, or were damaged on their way, are not applied', async (t) => {
  const stores = await Stores.of(t)
  const writers = new Writers(new SeededRandomness(7))
  const primary = await stores.open('primary')
  await replicationOf(primary).begin()
  const standby = await stores.copyOf(primary)
  const at = replicationOf(standby).position as StreamPosition
  for (let left = 4; left > 0; left -= 1) await writers.write(primary, 4)
  const { groups } = await replicationOf(primary).read(at, { bytesMax: 2 ** 20, signal })
  assert.ok(groups.length >= 3)
  const before = await contentOf(standby)
  const to = replicationOf(standby)
  await assert.rejects(() => to.replay(Buffer.concat(groups.slice(1))), { kind: 'notApplied' })
  const damaged = Buffer.concat(groups)
  damaged[damaged.length - 1] = (damaged.at(-1) as number) ^ 1
  await assert.rejects(() => to.replay(damaged), { kind: 'invalid' })
  await assert.rejects(() => to.replay(damaged.subarray(0, -5)), { kind: 'invalid' })
  assert.deepEqual(await contentOf(standby), before)
  assert.deepEqual(to.position, at)
  await to.replay(Buffer.concat(groups.slice(0, 2)))
  // The same again does not follow itself.
  await assert.rejects(() => to.replay(Buffer.concat(groups.slice(0, 2))), { kind: 'notApplied' })
  await to.replay(Buffer.concat(groups.slice(2)))
  assert.deepEqual(await contentOf(standby), await contentOf(primary))
  await primary.close()
  await standby.close()
})

test('a store that nobody ever followed numbers nothing and keeps nothing', async (t) => {
  const stores = await Stores.of(t)
  const writers = new Writers(new SeededRandomness(8))
  const store = await stores.open('primary')
  await writers.write(store, 30)
  assert.equal(replicationOf(store).position, undefined)
  assert.equal(replicationOf(store).kept, undefined)
  assert.equal(existsSync(join(stores.pathOf('primary'), 'groups')), false)
  await store.close()
})

/** More than there are by default. */
const POOL_THREADS_MAX = 16
const hashed = promisify(pbkdf2)

test('a file of groups that is removed while a standby reads it is not kept any more', async (t) => {
  const kept = { bytesMax: 4_000, msMax: 3_600_000 }
  const files = GroupFiles.open(join(await testFolder(t, 'groups'), 'groups'), START, kept)
  t.after(() => files.close())
  const append = (number: number) =>
    files.append({ stream: START.stream, number, kind: 'redo', parts: [Buffer.alloc(900)] }, 0)
  append(1)
  // The file is opened by a thread of the pool, when one of these has ended.
  const busy = Array.from({ length: POOL_THREADS_MAX }, () => hashed('', '', 20_000, 32, 'sha256'))
  const reading = files.read(1, 1, FRAME_BYTES)
  for (let number = 2; files.first === 1; number += 1) append(number)
  await assert.rejects(reading, RangeError)
  await Promise.all(busy)
})
