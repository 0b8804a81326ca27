// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { copyFile, mkdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { CellStoreError } from '../../storage/cells/cell-store.ts'
import {
  type EmbeddedCellStore,
  unconditionalStep,
} from '../../storage/cells/embedded-cell-store.ts'
import { openSqliteCellStore } from '../../storage/cells/sqlite/sqlite-cell-store.ts'
import { silentLog } from '../../storage/storage-log.ts'
import { SmallDisk } from './small-disk.ts'

/** Disks that SQLite's log would fill if nobody looked after it. */
const MIB = 1024
/** Enough for the log in its full length. It takes what is written, and no more. */
const LARGE = 900 * MIB
const ROWS = 1_500
const TOGETHER = 50
const BATCH_STEPS = 20_000
const DATA = [{ family: 'data' } as const]

for (const redoLog of ['never', 'always'] as const) {
  test(`a full disk whose log holds little that is new comes back by itself, redo log: ${redoLog}`, (t) =>
    onDisk(t, LARGE, async (disk) => {
      const rows = new Rows(t, disk, redoLog)
      await rows.open()
      // The file has all its pages, and the log holds them anew.
      for (let round = 0; round < 4; round += 1) await rows.round()
      await rows.reopen()
      for (let round = 0; round < 3; round += 1) assert.equal(await rows.round(), 0)
      const { size } = await stat(rows.log)
      await disk.leave(0)
      let refused = await rows.round()
      assert.ok(refused > 0)
      await rows.assertThere()
      for (let round = 0; round < 10; round += 1) {
        refused = await rows.round()
        if (round > 1) assert.equal(refused, 0, `round ${round}`)
      }
      assert.ok((await stat(rows.log)).size < size)
      assert.match(rows.said.join('\n'), /is full and a write was refused.* restarted/)
      await rows.reopen()
      await rows.assertThere()
    }))

  test(`a small disk is not filled by the log, redo log: ${redoLog}`, (t) =>
    onDisk(t, 24 * MIB, async (disk) => {
      const rows = new Rows(t, disk, redoLog)
      await rows.open()
      for (let round = 0; round < 25; round += 1) {
        assert.equal(await rows.round(), 0, `round ${round}`)
        assert.ok((await stat(rows.log)).size < 12 * MIB * 1024)
      }
      assert.match(rows.said.join('\n'), /has little room; the log is kept shorter/)
      await rows.reopen()
      await rows.assertThere()
    }))
}

test('a batch that is too large for the disk is refused, and the room that it took is given back', (t) =>
  onDisk(t, 40 * MIB, async (disk) => {
    const rows = new Rows(t, disk, 'never')
    await rows.open()
    await rows.round()
    await rows.reopen()
    // Of these the file has no pages yet.
    await rows.grow(200)
    await assert.rejects(rows.putLarge(), isFull)
    for (let round = 0; round < 25; round += 1) {
      assert.equal(await rows.round(), 0, `round ${round}`)
    }
    await rows.assertThere()
  }))

test('a start begins the log anew where it needs that room to move the redo log', (t) =>
  onDisk(t, LARGE, async (disk) => {
    const rows = new Rows(t, disk, 'always')
    await rows.open()
    for (let round = 0; round < 4; round += 1) await rows.round()
    await rows.reopen()
    for (let round = 0; round < 3; round += 1) await rows.round()
    const image = await imageOf(t, rows, 60)
    await image.open()
    await image.assertThere()
  }))

test('a start that has no room to move the redo log says how much it takes, and with room it does', (t) =>
  onDisk(t, LARGE, async (disk) => {
    const rows = new Rows(t, disk, 'always')
    await rows.open()
    await rows.grow(6_000)
    const image = await imageOf(t, rows, 60)
    await assert.rejects(image.open(), {
      code: 'data_directory_unusable',
      message: /disk is full: flushing its redo log takes up to 46 MiB of room/,
    })
    await image.disk.leave(38 * MIB)
    await image.open()
    await image.assertThere()
    // The start has not left it all in SQLite's log.
    for (let round = 0; round < 5; round += 1) assert.equal(await image.round(), 0)
    await image.assertThere()
  }))

/** What a process that dies now leaves behind, on a disk with so much room. */
async function imageOf(t: TestContext, rows: Rows, kiB: number): Promise<Rows> {
  const disk = await SmallDisk.mount(t, 100 * MIB)
  assert.ok(disk !== undefined)
  const image = new Rows(t, disk, 'always')
  image.values = [...rows.values]
  await mkdir(image.folder)
  for (const file of ['store', 'log'] as const) await copyFile(rows[file], image[file])
  await disk.leave(kiB)
  return image
}

async function onDisk(
  t: TestContext,
  kiB: number,
  run: (disk: SmallDisk) => Promise<void>,
): Promise<void> {
  const disk = await SmallDisk.mount(t, kiB)
  if (disk === undefined) return t.skip('this process may not mount a file system')
  await run(disk)
}

function isFull(error: unknown): boolean {
  return error instanceof CellStoreError && error.kind === 'full'
}

/** A store of so many rows, each of which is set anew in each round. */
class Rows {
  readonly disk: SmallDisk
  readonly folder: string
  readonly said: string[] = []
  /** What was acknowledged. */
  values: string[] = []
  readonly #redoLog: 'never' | 'always'
  #store: EmbeddedCellStore | undefined
  #written = 0

  constructor(t: TestContext, disk: SmallDisk, redoLog: 'never' | 'always') {
    // Before the disk is removed.
    t.after(() => this.close())
    this.disk = disk
    this.folder = join(disk.folder, 'data')
    this.#redoLog = redoLog
  }

  get store(): string {
    return join(this.folder, 'cells.db')
  }

  get log(): string {
    return `${this.store}-wal`
  }

  get #opened(): EmbeddedCellStore {
    assert.ok(this.#store !== undefined)
    return this.#store
  }

  async open(): Promise<void> {
    const says = (facts: object, message: string) =>
      void this.said.push(`${message} ${JSON.stringify(facts)}`)
    this.#store = await openSqliteCellStore({
      dataDirectory: this.folder,
      redoLog: this.#redoLog,
      onFatal: (error) => assert.fail(error),
      log: { ...silentLog, warn: says, error: says },
    })
  }

  async close(): Promise<void> {
    await this.#store?.close()
    this.#store = undefined
  }

  async reopen(): Promise<void> {
    await this.close()
    await this.open()
  }

  /** How many were refused. */
  async round(): Promise<number> {
    let refused = 0
    for (let from = 0; from < ROWS; from += TOGETHER) {
      const puts = Array.from({ length: TOGETHER }, (_, at) => this.#put(from + at))
      for (const isThere of await Promise.all(puts)) refused += isThere ? 0 : 1
    }
    return refused
  }

  /** So many more rows. */
  async grow(count: number): Promise<void> {
    const from = this.values.length
    for (let at = from; at < from + count; at += TOGETHER) {
      const puts = Array.from({ length: TOGETHER }, (_, more) => this.#put(at + more))
      assert.deepEqual(new Set(await Promise.all(puts)), new Set([true]))
    }
  }

  async putLarge(): Promise<void> {
    const value = new Uint8Array(2_000)
    const cell = { kind: 'setCell', family: 'data', qualifier: '0', timestamp: 1, value } as const
    const steps = Array.from({ length: BATCH_STEPS }, (_, at) =>
      unconditionalStep(Buffer.from(`large ${at}`), [cell]),
    )
    await this.#opened.applyAtomically(steps)
  }

  async assertThere(): Promise<void> {
    const keys = this.values.map((_, at) => keyOf(at))
    const found = (await this.#opened.readRows(keys, DATA)).map((row) =>
      Buffer.from(row?.cells[0]?.value ?? []).toString(),
    )
    assert.deepEqual(found, this.values)
  }

  /** False when it was refused. */
  async #put(at: number): Promise<boolean> {
    this.#written += 1
    const text = `${this.#written} ${'x'.repeat(1_000)}`
    const value = Buffer.from(text)
    const cell = { kind: 'setCell', family: 'data', qualifier: '0', timestamp: 1, value } as const
    try {
      await this.#opened.applyAtomically([unconditionalStep(keyOf(at), [cell])])
      this.values[at] = text
      return true
    } catch (error) {
      assert.ok(isFull(error), String(error))
      return false
    }
  }
}

function keyOf(at: number): Buffer {
  return Buffer.from(`row ${`${at}`.padStart(5, '0')}`)
}
