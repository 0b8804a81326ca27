// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { ManualClock } from '../manual-clock.ts'
import { type Answer, startTestServer, type TestServer } from '../server/test-server.ts'
import { SmallDisk } from './small-disk.ts'

const DISK_KIB = 40 * 1024
/** Above the 5 % of this disk below which writes are refused. */
const RESERVE_BYTES = 0.05 * DISK_KIB * 1024

/** A server on a disk of its own, with a table of three rows, and somebody else who fills that disk. */
class FullDiskScene {
  readonly api: TestServer
  readonly #clock: ManualClock
  readonly #filler: string

  private constructor(api: TestServer, clock: ManualClock, folder: string) {
    this.api = api
    this.#clock = clock
    this.#filler = join(folder, 'filler')
  }

  static async begin(
    t: TestContext,
    commit: 'one-phase' | 'two-phase',
  ): Promise<FullDiskScene | undefined> {
    const disk = await SmallDisk.mount(t, DISK_KIB)
    if (disk === undefined) {
      t.skip('this process may not mount a file system')
      return undefined
    }
    const clock = new ManualClock()
    const flags = { engine: 'sqlite', data: join(disk.folder, 'data'), commit } as const
    const api = await startTestServer(t, { flags, deps: { clock } })
    const scene = new FullDiskScene(api, clock, disk.folder)
    await scene.run('CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT)')
    await scene.run("INSERT INTO item (id, text) VALUES (1, 'one'), (2, 'two'), (3, 'three')")
    return scene
  }

  /** Leaves so many bytes, and lets the server look at its disk. */
  async leave(bytes: number): Promise<void> {
    rmSync(this.#filler, { force: true })
    const { bavail, bsize } = statfsSync(join(this.#filler, '..'))
    try {
      writeFileSync(this.#filler, Buffer.alloc(Math.max(0, bavail * bsize - bytes)))
    } catch (error) {
      // A thread of the store has written meanwhile, and so the disk is full as well.
      if (bytes > 0 || (error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
    await this.pass(1_000)
  }

  async makeRoom(): Promise<void> {
    rmSync(this.#filler, { force: true })
    await this.pass(1_000)
  }

  /** Both clocks go on. The store answers in real time, so it is waited for by a request. */
  async pass(ms: number): Promise<void> {
    await this.#clock.advance(ms)
    await this.api.get('/v1/status')
  }

  async run(sql: string): Promise<void> {
    const { status, text } = await this.api.query(sql)
    assert.equal(status, 200, `${sql}: ${text}`)
  }

  async assertRefused(sql: string): Promise<void> {
    assertDiskFull(await this.api.query(sql), sql)
  }

  async assertReads(): Promise<void> {
    await this.run('GET * FROM item WHERE id = 1')
    await this.run('GET * FROM item WHERE id = 2 FOR UPDATE')
    await this.run('SCAN * FROM item')
    await this.run('SHOW TABLES')
    for (const path of [
      '/v1/tables/item/rows/1',
      '/v1/tables/item/rows',
      '/v1/tables/item',
      '/v1/status',
      '/v1/check',
      '/v1/locks',
      '/v1/observers',
      '/metrics',
      '/readyz',
    ]) {
      const { status, text } = await this.api.get(path)
      assert.equal(status, 200, `${path}: ${text}`)
    }
    const transaction = await this.api.begin()
    const path = `/v1/transactions/${transaction}`
    const read = await this.api.post(`${path}/query`, { sql: 'GET * FROM item WHERE id = 1' })
    assert.equal(read.status, 200, read.text)
    assert.equal((await this.api.get(path)).status, 200)
    assert.equal((await this.api.post(`${path}/commit`)).status, 200)
  }

  async assertSaid(isFull: boolean): Promise<void> {
    const ready = await this.api.get('/readyz')
    const codes = ready.body.warnings.map(({ code }: { code: string }) => code)
    assert.deepEqual(codes, isFull ? ['disk_full'] : [])
    const { body } = await this.api.get('/v1/status')
    assert.equal(body.disk.isFull, isFull)
    const { text } = await this.api.get('/metrics')
    assert.match(text, new RegExp(`^percolite_disk_full ${isFull ? 1 : 0}$`, 'm'))
    assert.match(text, /^percolite_disk_free_bytes \d+$/m)
  }
}

function assertDiskFull({ status, body, text }: Answer, what: string): void {
  assert.equal(status, 507, `${what}: ${text}`)
  assert.equal(body.code, 'disk_full', what)
  assert.equal(body.retryable, false)
  assert.equal(typeof body.freeBytes, 'number')
  assert.match(body.detail, /Reads, DELETE and DROP go on/)
}

for (const commit of ['one-phase', 'two-phase'] as const) {
  test(`${commit}: within the reserve nothing grows, and what frees room goes on`, async (t) => {
    const scene = await FullDiskScene.begin(t, commit)
    if (scene === undefined) return
    await scene.run('CREATE TABLE other (id INTEGER PRIMARY KEY)')
    await scene.assertSaid(false)
    await scene.leave(RESERVE_BYTES * 0.9)
    await scene.assertRefused("INSERT INTO item (id, text) VALUES (4, 'four')")
    await scene.assertRefused("SET text = 'more' ON item WHERE id = 1")
    await scene.assertRefused('CREATE TABLE more (id INTEGER PRIMARY KEY)')
    await scene.assertRefused('CREATE INDEX by_text ON item (text)')
    await scene.assertRefused('ALTER TABLE item ADD COLUMN more TEXT')
    const row = { method: 'PUT', path: '/v1/tables/item/rows/4', json: { text: 'four' } } as const
    assertDiskFull(await scene.api.send(row), 'PUT')
    await scene.assertReads()
    await scene.assertSaid(true)
    await scene.run('DELETE FROM item WHERE id = 3')
    await scene.run('DROP TABLE other')
    const key = { 'idempotency-key': 'once' }
    const path = '/v1/query'
    const json = { sql: 'DELETE FROM item WHERE id = 2' }
    assert.equal((await scene.api.send({ method: 'POST', path, json, headers: key })).status, 200)
    await scene.makeRoom()
    await scene.run("INSERT INTO item (id, text) VALUES (4, 'four')")
    await scene.assertSaid(false)
    assert.deepEqual(await scene.api.rows('SCAN id FROM item'), [{ id: 1 }, { id: 4 }])
  })

  test(`${commit}: reads go on for as long as others have filled the disk`, async (t) => {
    const scene = await FullDiskScene.begin(t, commit)
    if (scene === undefined) return
    await scene.leave(0)
    // SQLite's log has a little room in its last pages, so some more writes may fit.
    for (let id = 1_000, refused = false; !refused && id < 4_000; id += 1) {
      const answer = await scene.api.query(`DELETE FROM item WHERE id = ${id}`)
      refused = answer.status === 507
      if (!refused) await scene.run('GET * FROM item WHERE id = 1')
    }
    // Within the pause between two tries of the oracle's mark, behind it, and much later.
    for (const ms of [400, 2_500, 60_000]) {
      await scene.pass(ms)
      await scene.assertReads()
      await scene.assertRefused("INSERT INTO item (id, text) VALUES (4, 'four')")
      await scene.assertSaid(true)
    }
    await scene.makeRoom()
    await scene.pass(1_000)
    await scene.run("INSERT INTO item (id, text) VALUES (4, 'four')")
    await scene.pass(10_000)
    await scene.assertSaid(false)
    assert.equal((await scene.api.rows('SCAN id FROM item')).length, 4)
  })
}
