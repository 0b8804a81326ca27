// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { copyFile, readdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openStorage } from '../storage/storage.ts'
import { ServerProcess } from '../test/server/server-process.ts'
import { testFolder } from '../test/test-folder.ts'

async function query(url: string, sql: string) {
  const answer = await fetch(`${url}/v1/query`, { method: 'POST', body: sql })
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

async function scene(t: TestContext) {
  const above = await testFolder(t, 'files-lost')
  const folder = join(above, 'data')
  const start = async (flags: readonly string[] = []) => {
    const server = await ServerProcess.start(folder, flags)
    t.after(() => server.killNine())
    return server
  }
  const server = await start(['--drain', '2s'])
  await query(server.url, 'CREATE TABLE item (id INTEGER PRIMARY KEY)')
  await query(server.url, 'INSERT INTO item (id) VALUES (1)')
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
  return { above, folder, server, start }
}

/** Waits until it says why it is not ready; what it answered meanwhile was 200. */
async function untilLost({ url }: ServerProcess): Promise<number> {
  const began = performance.now()
  for (;;) {
    const ready = await fetch(`${url}/readyz`)
    const { code } = (await ready.json()) as { code?: string }
    if (ready.status === 503 && code === 'store_lost') return performance.now() - began
    assert.equal(ready.status, 200)
    await delay(50)
  }
}

test('all files are removed: writes are refused within seconds, reads go on, and it ends with an error', async (t) => {
  const { folder, server, start } = await scene(t)
  for (const file of await readdir(folder)) await rm(join(folder, file))
  // It would notice, and end, before another one has started on a busy machine.
  server.signal('SIGSTOP')
  await assert.rejects(start(), /were removed under process \d+, which still has them open/)
  server.signal('SIGCONT')
  const lostMs = await untilLost(server)
  t.diagnostic(`not ready after ${Math.round(lostMs)} ms`)
  assert.ok(lostMs < 8_000)
  const { status, body } = await query(server.url, 'INSERT INTO item (id) VALUES (2)')
  assert.deepEqual([status, body.code, body.retryable], [503, 'store_lost', false])
  const read = await query(server.url, 'GET id FROM item WHERE id = 1')
  assert.deepEqual(read.body.results[0].rows, [{ id: 1 }])
  assert.equal(await server.ended, 1)
  assert.match(server.said, /"level":50[^\n]*removed, replaced or moved/)
})

test('another store in place of the files keeps its own, its log too, when the first ends', async (t) => {
  const { above, folder, server } = await scene(t)
  for (const file of await readdir(folder)) {
    await rename(join(folder, file), join(above, `${file}.before`))
  }
  const storage = await openStorage({ engine: 'sqlite', dataDirectory: folder })
  t.after(() => storage.close())
  const files = await readdir(folder)
  for (const file of ['cells.db', 'cells.db-wal', 'lock.db', 'lock.pid']) {
    assert.ok(files.includes(file), file)
  }
  await untilLost(server)
  assert.equal(await server.ended, 1)
  assert.deepEqual(await readdir(folder), files)
})

test('the log alone is removed: what was acknowledged is in the file at the end', async (t) => {
  const { folder, server, start } = await scene(t)
  await rm(join(folder, 'cells.db-wal'))
  let last = 1
  while ((await query(server.url, `INSERT INTO item (id) VALUES (${last + 1})`)).status === 200) {
    last += 1
    await delay(20)
  }
  assert.equal(await server.ended, 1)
  const again = await start()
  const { body } = await query(again.url, 'SCAN count(*) AS n FROM item')
  assert.equal(body.results[0].rows[0].n, last)
})

test('a file is replaced, or the folder moved: it is noticed', async (t) => {
  const replaced = await scene(t)
  const file = join(replaced.folder, 'cells.db')
  await copyFile(file, `${file}.copy`)
  await rename(`${file}.copy`, file)
  const moved = await scene(t)
  await rename(moved.folder, join(moved.above, 'elsewhere'))
  // On a busy machine one has ended before it is asked again.
  assert.deepEqual(await Promise.all([replaced.server.ended, moved.server.ended]), [1, 1])
  for (const { server } of [replaced, moved])
    assert.match(server.said, /removed, replaced or moved/)
})
