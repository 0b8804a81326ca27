// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { rmSync, statfsSync, writeFileSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { checkDataDirectory } from '../../storage/operations/operations.ts'
import { jsonLines } from '../feed/json-lines.ts'
import { ServerProcess } from '../server/server-process.ts'
import { openSocket } from '../server/socket-client.ts'
import type { AnswerBody } from '../server/test-server.ts'
import { testFolder } from '../test-folder.ts'
import { SmallDisk } from './small-disk.ts'

/** Who follows changes goes on while the disk is full, and what has to be written is written when there is room. */

const FAILING_COMMIT = new URL('./failing-commit.ts', import.meta.url).href
const OBSERVER_DOOR = new URL('../../server/live/observers/define-observer.ts', import.meta.url)
  .href
const DISK_KIB = 40 * 1024
/** Longer than the oracle's mark is ahead. */
const FULL_MS = 3_000
const WAIT_MS = 20_000
const SPARE_ROWS = 1_000

type Disk = {
  readonly folder: string
  fill(): void
  makeRoom(): void
  start(flags: readonly string[]): Promise<ServerProcess>
}

/** A disk on which every COMMIT finds no room, by SQLite's word; for users who may not mount one. */
async function refusingDisk(t: TestContext): Promise<Disk> {
  const folder = await testFolder(t, 'refusing')
  const file = join(folder, 'full')
  const env = { FAIL_COMMIT_FILE: file, FAIL_COMMIT_CODE: 'SQLITE_FULL' }
  return {
    folder,
    fill: () => writeFileSync(file, ''),
    makeRoom: () => rmSync(file),
    start: (flags) =>
      ServerProcess.start(join(folder, 'data'), flags, { preloaded: FAILING_COMMIT, env }),
  }
}

/** A file system of its own, which somebody else fills. */
async function smallDisk(t: TestContext): Promise<Disk | undefined> {
  const disk = await SmallDisk.mount(t, DISK_KIB)
  if (disk === undefined) return undefined
  const { folder } = disk
  const filler = join(folder, 'filler')
  return {
    folder,
    fill: () => {
      const { bavail, bsize } = statfsSync(folder)
      writeFileSync(filler, Buffer.alloc(bavail * bsize))
    },
    makeRoom: () => rmSync(filler),
    start: (flags) => ServerProcess.start(join(folder, 'data'), flags),
  }
}

async function send(url: string, sql: string): Promise<{ status: number; body: AnswerBody }> {
  const answer = await fetch(`${url}/v1/query`, { method: 'POST', body: sql })
  return { status: answer.status, body: await answer.json() }
}

async function run(url: string, sql: string): Promise<AnswerBody> {
  const { status, body } = await send(url, sql)
  assert.ok(status < 300, `${sql}: ${JSON.stringify(body)}`)
  return body
}

async function get(url: string, path: string): Promise<AnswerBody> {
  const answer = await fetch(url + path)
  const body = await answer.json()
  assert.equal(answer.status, 200, `${path}: ${JSON.stringify(body)}`)
  return body
}

async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
  for (const startedMs = performance.now(); !(await isSo()); await sleep(20)) {
    assert.ok(performance.now() - startedMs < WAIT_MS, `not within ${WAIT_MS} ms: ${what}`)
  }
}

/** The lines of `GET /v1/changes`, as they arrive; it fails a test by a line that tells of an error. */
class ChangeLines {
  readonly lines: AnswerBody[] = []
  readonly #stop = new AbortController()

  static async open(
    t: TestContext,
    url: string,
    more: Record<string, string>,
  ): Promise<ChangeLines> {
    const followed = new ChangeLines()
    t.after(() => followed.#stop.abort())
    const path = `${url}/v1/changes?${new URLSearchParams({ sql: 'SCAN * FROM item', ...more })}`
    const answer = await fetch(path, { signal: followed.#stop.signal })
    assert.equal(answer.status, 200)
    void followed.#read(answer.body as NonNullable<Response['body']>).catch(() => undefined)
    return followed
  }

  async #read(body: NonNullable<Response['body']>): Promise<void> {
    for await (const lines of jsonLines(body)) this.lines.push(...lines)
    this.lines.push({ type: 'end' })
  }

  /** The keys of the changes, in the order in which they were told. */
  get changed(): number[] {
    assert.deepEqual(
      this.lines.filter(({ type }) => type === 'error' || type === 'end'),
      [],
    )
    return this.lines.flatMap(({ changes = [] }) => changes.map(({ key }: AnswerBody) => key[0]))
  }

  has(type: string): boolean {
    return this.lines.some((line) => line.type === type)
  }
}

/** Rows of `item` are copied by an observer, whose runs wait for the file `gate`. */
async function scene(t: TestContext, disk: Disk) {
  const folder = await testFolder(t, 'observer')
  const [module, gate] = [join(folder, 'observers.ts'), join(folder, 'gate')]
  await writeFile(gate, '')
  await writeFile(
    module,
    `import { existsSync } from 'node:fs'
     import { setTimeout } from 'node:timers/promises'
     import { defineObserver } from ${JSON.stringify(OBSERVER_DOOR)}
     export const copy = defineObserver<{ id: number }>({
       observer: 'copy',
       run: async (tx, { row }) => {
         while (!existsSync(${JSON.stringify(gate)})) await setTimeout(10)
         await tx.query('INSERT INTO copied (id) VALUES ($1)', [row?.id])
       },
     })`,
  )
  // Those who still follow at the end are not waited for.
  const server = await disk.start(['--observers', module, '--drain', '0s'])
  t.after(() => server.killNine())
  const { url } = server
  await run(url, 'CREATE TABLE item (id INTEGER PRIMARY KEY, text TEXT)')
  await run(url, 'CREATE TABLE copied (id INTEGER PRIMARY KEY)')
  await run(url, 'CREATE TABLE spare (id INTEGER PRIMARY KEY)')
  const spare = Array.from({ length: SPARE_ROWS }, (_, id) => `(${id})`)
  await run(url, `INSERT INTO spare (id) VALUES ${spare}`)
  await run(url, 'CREATE OBSERVER copy ON item (text)')
  const { commitTimestamp } = await run(url, "INSERT INTO item (id, text) VALUES (1, 'one')")
  const observer = async () => (await get(url, '/v1/observers')).observers[0]
  await until('row 1 is copied', async () => (await observer()).runs === 1)
  return { server, url, gate, observer, firstTs: Number(commitTimestamp) }
}

/** Deletes until the disk itself refuses it: SQLite's log has a little room in its last pages. */
async function refusesDeletions(url: string): Promise<void> {
  for (let id = 0; id < SPARE_ROWS; id += 1) {
    const { status, body } = await send(url, `DELETE FROM spare WHERE id = ${id}`)
    if (status === 200) continue
    assert.deepEqual([status, body.code, body.retryable], [507, 'disk_full', false])
    return
  }
  assert.fail('the disk is not full')
}

async function followThroughAFullDisk(t: TestContext, disk: Disk): Promise<void> {
  const { server, url, gate, observer, firstTs } = await scene(t, disk)
  const before = await ChangeLines.open(t, url, { snapshot: 'true' })
  const socket = await openSocket(t, Number(new URL(url).port))
  await socket.subscribe('live', 'SCAN * FROM item', { snapshot: true })
  await socket.next(({ type }) => type === 'snapshotEnd')

  // A run that is under way when the disk is full.
  rmSync(gate)
  await run(url, "INSERT INTO item (id, text) VALUES (2, 'two')")
  await until('a run is under way', async () => (await observer()).running === 1)
  disk.fill()
  // The first that needs a timestamp above the oracle's mark is a reader.
  await sleep(FULL_MS)
  await run(url, 'GET * FROM item WHERE id = 1')
  let told = [2]
  await refusesDeletions(url)
  writeFileSync(gate, '')
  await until('the run meets the full disk', async () => (await observer()).conflicts > 1)

  // Those who follow are still there, and others may come, also with a snapshot and from the past.
  const after = await ChangeLines.open(t, url, { snapshot: 'true' })
  const since = await ChangeLines.open(t, url, { since: String(firstTs) })
  await until('the snapshot is whole', () => after.has('snapshotEnd'))
  const rows = after.lines.flatMap(({ rows: some = [] }) =>
    some.map(({ key }: AnswerBody) => key[0]),
  )
  assert.deepEqual(rows, [1, 2])
  await until('the change is told', () => since.changed.length === 1)
  assert.equal(
    (await socket.subscribe('late', 'SCAN * FROM item', { snapshot: true })).type,
    'subscribed',
  )
  const late = await socket.next(({ type, id }) => type === 'snapshotEnd' && id === 'late')
  assert.equal(late.id, 'late')
  for (const lines of [before, since]) assert.deepEqual(lines.changed, told)
  assert.deepEqual(after.changed, [])

  // It is said, and the observer has lost nothing: it is tried again and again, and no row is given up.
  const insert = await send(url, "INSERT INTO item (id, text) VALUES (3, 'three')")
  assert.deepEqual([insert.status, insert.body.code], [507, 'disk_full'])
  const { warnings } = await get(url, '/readyz')
  assert.deepEqual(
    warnings.map(({ code }: AnswerBody) => code),
    ['disk_full'],
  )
  const waiting = await observer()
  assert.deepEqual([waiting.runs, waiting.pending, waiting.failures], [1, 1, 0])
  assert.equal(waiting.deadLetters.count, 0)
  assert.deepEqual((await get(url, '/v1/check')).problems, [])

  disk.makeRoom()
  await until('writes go on', async () => {
    const { status } = await send(url, "INSERT INTO item (id, text) VALUES (3, 'three')")
    return status === 200
  })
  told = [2, 3]
  await until('all rows are copied', async () => (await observer()).pending === 0)
  const { results } = await run(url, 'SCAN id FROM copied')
  assert.deepEqual(results[0].rows, [{ id: 1 }, { id: 2 }, { id: 3 }])
  await until('the change is told', () =>
    [before, after, since].every((one) => one.changed.includes(3)),
  )
  for (const lines of [before, since]) assert.deepEqual(lines.changed, told)
  assert.deepEqual(after.changed, [3])
  for (const id of ['live', 'late']) {
    const { changes } = await socket.next(
      (frame) => frame.type === 'change' && frame.id === id && frame.changes[0].key[0] === 3,
    )
    assert.deepEqual(changes[0].row, { id: 3, text: 'three' })
  }
  await until(
    'nothing is said any more',
    async () => (await get(url, '/readyz')).warnings.length === 0,
  )
  assert.equal(await server.stop(), 0)
  assert.deepEqual((await checkDataDirectory(join(disk.folder, 'data'))).problems, [])
}

// Side by side, because both wait for most of their time.
describe('subscribers and observers go on', { concurrency: true }, () => {
  test('where COMMIT finds no room, without rights to mount', async (t) =>
    followThroughAFullDisk(t, await refusingDisk(t)))

  test('where others have filled the disk', async (t) => {
    const disk = await smallDisk(t)
    if (disk === undefined) return t.skip('this process may not mount a file system')
    await followThroughAFullDisk(t, disk)
  })
})
