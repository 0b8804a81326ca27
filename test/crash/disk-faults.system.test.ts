// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { type ExecFileException, execFile } from 'node:child_process'
import { chmod, mkdir, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import SqliteDatabase from 'better-sqlite3'
import { connect, PercoliteError } from '../../client-sdk/client.ts'
import { checkDataDirectory } from '../../storage/operations/operations.ts'
import { openStorage } from '../../storage/storage.ts'
import { ServerProcess } from '../server/server-process.ts'
import { SqlSession } from '../sql-session.ts'
import { testFolder } from '../test-folder.ts'
import { SmallDisk } from './small-disk.ts'

/** Disks that are full, fail or may not be written, and folders that hold something else. */
const MAIN = fileURLToPath(new URL('../../cli/cli.ts', import.meta.url))
const FAILING_COMMIT = new URL('./failing-commit.ts', import.meta.url).href
const run = promisify(execFile)
const isRoot = process.getuid?.() === 0

/** Starts a server that must refuse to; answers what it says. */
async function refusal(
  dataDirectory: string,
  user: { readonly uid?: number; readonly gid?: number } = {},
): Promise<string> {
  const args = [MAIN, 'serve', '--port', '0', '--data', dataDirectory]
  const failed = await run(process.execPath, args, { ...user, timeout: 20_000 }).then(
    () => assert.fail('the server started'),
    (error: ExecFileException & { stdout: string; stderr: string }) => error,
  )
  assert.equal(failed.code, 3, failed.stderr)
  assert.equal(failed.stdout, '')
  assert.match(failed.stderr, /^percolite: [^\n]+\n$/)
  return failed.stderr
}

async function makeDatabase(dataDirectory: string): Promise<void> {
  const storage = await openStorage({ engine: 'sqlite', dataDirectory })
  const session = SqlSession.over(storage)
  await session.run('CREATE TABLE entry (id INTEGER PRIMARY KEY, note TEXT)')
  await session.run("INSERT INTO entry (id, note) VALUES (0, 'first')")
  await storage.close()
}

async function assertSound(dataDirectory: string): Promise<void> {
  assert.deepEqual((await checkDataDirectory(dataDirectory)).problems, [])
}

test('what is no data directory is refused in one line: a file, another program’s database, a newer format', async (t) => {
  const folder = await testFolder(t, 'disk')
  const file = join(folder, 'file')
  await writeFile(file, 'text')
  assert.match(await refusal(file), /file/)

  const foreign = join(folder, 'foreign')
  await mkdir(foreign)
  const database = new SqliteDatabase(join(foreign, 'cells.db'))
  database.exec('CREATE TABLE account (id INTEGER)')
  database.close()
  assert.match(await refusal(foreign), /another program/)

  const newer = join(folder, 'newer')
  await makeDatabase(newer)
  const cells = new SqliteDatabase(join(newer, 'cells.db'))
  cells.pragma('user_version = 99')
  cells.close()
  assert.match(await refusal(newer), /format 99; this version reads formats up to/)
})

test('a second server on the directory is refused with the first one’s process id', async (t) => {
  const data = join(await testFolder(t, 'disk'), 'data')
  const server = await ServerProcess.start(data)
  assert.match(await refusal(data), /in use by process \d+/)
  assert.equal(await server.stop(), 0)
})

test('a folder that may not be written is refused, and nothing in it is changed', async (t) => {
  const folder = await testFolder(t, 'disk')
  const data = join(folder, 'data')
  await makeDatabase(data)
  await chmod(folder, 0o755)
  const before = await readFile(join(data, 'cells.db'))
  // The superuser may write everywhere, so somebody else tries.
  const user = isRoot ? { uid: 65_534, gid: 65_534 } : {}
  if (!isRoot) for (const name of ['cells.db', 'lock.db']) await chmod(join(data, name), 0o444)
  await chmod(data, 0o555)
  t.after(() => chmod(data, 0o755).catch(() => undefined))
  assert.match(await refusal(data, user), /cannot be used/)
  await chmod(data, 0o000)
  assert.match(await refusal(data, user), /cannot be used/)
  await chmod(data, 0o755)
  assert.deepEqual(await readFile(join(data, 'cells.db')), before)
})

for (const carriedOut of [false, true]) {
  const what = carriedOut ? 'after the commit was carried out' : 'before anything was written'
  test(`a COMMIT that fails ${what} ends the server, and the next start has one truth`, async (t) => {
    const folder = await testFolder(t, 'disk')
    const data = join(folder, 'data')
    await makeDatabase(data)
    const file = join(folder, 'fail')
    const env = { FAIL_COMMIT_FILE: file, FAIL_COMMIT_AFTER: String(carriedOut) }
    const failing = await ServerProcess.start(data, [], { preloaded: FAILING_COMMIT, env })
    t.after(() => failing.killNine())
    const { url } = failing
    const begun = await fetch(`${url}/v1/transactions`, { method: 'POST' })
    const { transaction } = (await begun.json()) as { transaction: string }
    await fetch(`${url}/v1/transactions/${transaction}/query`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ sql: "INSERT INTO entry (id, note) VALUES (1, 'in doubt')" }),
    })
    await writeFile(file, '')
    const answer = await fetch(`${url}/v1/transactions/${transaction}/commit`, { method: 'POST' })
      .then((response) => response.status)
      .catch(() => 'none')
    assert.equal(await failing.ended, 1)
    assert.notEqual(answer, 200)
    assert.match(failing.said, /the disk failed; the server ends/)
    assert.match(failing.said, /disk I\/O error/)

    await assertSound(data)
    const server = await ServerProcess.start(data)
    const asked = await fetch(`${server.url}/v1/transactions/${transaction}`)
    const { status } = (await asked.json()) as { status: string }
    const { rows } = await connect({ url: server.url }).query('SCAN id FROM entry')
    assert.deepEqual(rows.length, status === 'committed' ? 2 : 1)
    assert.equal(await server.stop(), 0)
    await assertSound(data)
  })
}

for (const redoLog of ['never', 'always']) {
  test(`a full disk, --redo-log ${redoLog}: commits are refused for certain, reads go on, and with space so do commits`, (t) =>
    fillDisk(t, redoLog))
}

async function fillDisk(t: TestContext, redoLog: string): Promise<void> {
  const disk = await SmallDisk.mount(t, 3_000)
  if (disk === undefined) return t.skip('this process may not mount a file system')
  const data = join(disk.folder, 'data')
  await makeDatabase(data)
  const ballast = join(disk.folder, 'ballast')
  const server = await ServerProcess.start(data, ['--redo-log', redoLog])
  const db = connect({ url: server.url })
  await writeFile(ballast, new Uint8Array(500 * 1024))
  const written: number[] = [0]
  let refused: unknown
  for (let id = 1; refused === undefined && id < 1_000; id += 1) {
    try {
      await db.query('INSERT INTO entry (id, note) VALUES (:id, :note)', {
        id,
        // Larger ones do not go to the redo log.
        note: 'x'.repeat(3_000),
      })
      written.push(id)
    } catch (error) {
      refused = error
    }
  }
  assert.ok(refused instanceof PercoliteError, String(refused))
  t.diagnostic(
    `${written.length} rows fit; then ${refused.httpStatus} ${refused.code}: ${refused.message}`,
  )
  assert.notEqual(refused.code, 'commit_outcome_unknown')
  const ids = async () =>
    (await db.query<{ id: number }>('SCAN id FROM entry')).rows.map(({ id }) => id)
  assert.deepEqual(await ids(), written)
  await rm(ballast)
  // A start moves the redo log into the tables, which takes room as well.
  await disk.resize(9_000)
  // The server looks at the disk once a second.
  for (let tries = 0; ; tries += 1) {
    try {
      await db.query("INSERT INTO entry (id, note) VALUES (9999, 'again')")
      break
    } catch (error) {
      if (tries === 50 || !(error instanceof PercoliteError && error.code === 'disk_full'))
        throw error
      await setTimeout(200)
    }
  }
  assert.deepEqual(await ids(), [...written, 9999])
  assert.equal(await server.stop(), 0)
  await assertSound(data)
}

test('a file that was cut short is refused or reported, and never taken for an empty one', async (t) => {
  const folder = await testFolder(t, 'disk')
  const data = join(folder, 'data')
  await makeDatabase(data)
  const path = join(data, 'cells.db')
  const whole = await readFile(path)
  for (const bytes of [whole.length - 4096, whole.length - 100, 5_000, 4_096, 512, 100, 1]) {
    // Zeros at the end of a page are its unused part, and as good as absent.
    if (whole.subarray(bytes).every((byte) => byte === 0)) continue
    await writeFile(path, whole)
    await truncate(path, bytes)
    const said = await checkDataDirectory(data).then(
      ({ problemCount }) => problemCount,
      (error: Error) => error.message,
    )
    assert.ok(typeof said === 'string' || said > 0, `${bytes} of ${whole.length} bytes: ${said}`)
  }
})

test('a log whose file is gone is refused, for it is all that is left', async (t) => {
  const folder = await testFolder(t, 'disk')
  const data = join(folder, 'data')
  const server = await ServerProcess.start(data)
  const db = connect({ url: server.url })
  await db.query('CREATE TABLE entry (id INTEGER PRIMARY KEY)')
  await server.killNine()
  const path = join(data, 'cells.db')
  for (const spoil of [() => truncate(path, 0), () => rm(path)]) {
    await spoil()
    assert.match(await refusal(data), /cells\.db.* log/)
    assert.ok((await readFile(`${path}-wal`)).length > 0)
  }
})
