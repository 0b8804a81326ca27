// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { connect } from '../../client-sdk/client.ts'
import { openSqliteCellStore } from '../../storage/cells/sqlite/sqlite-cell-store.ts'
import { ServerProcess } from '../server/server-process.ts'
import { startTestServer } from '../server/test-server.ts'
import { testFolder } from '../test-folder.ts'

const MAIN = fileURLToPath(new URL('../../cli/cli.ts', import.meta.url))

async function percolite(...args: readonly string[]) {
  const child = execFile(process.execPath, [MAIN, ...args])
  let [output, errors] = ['', '']
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  const [code] = await once(child, 'close')
  return { code, output, errors }
}

async function folderFor(t: TestContext): Promise<string> {
  return join(await testFolder(t, 'check'), 'data')
}

async function writeSomething(server: ServerProcess): Promise<void> {
  const db = connect({ url: server.url })
  await db.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL)')
  await db.query("INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2)")
}

/** Gives the newest version of the row a value that is none. */
async function damageRow(dataDirectory: string, name: string): Promise<void> {
  const cellStore = await openSqliteCellStore({ dataDirectory })
  const filter = [{ family: 'write' }] as const
  for await (const { key, cells } of cellStore.scanRows({ start: Uint8Array.of(1), filter })) {
    const [cell] = cells
    if (cell === undefined || !Buffer.from(key).includes(name)) continue
    const value = Uint8Array.from([...cell.value.subarray(0, 9), 0xff])
    await cellStore.mutateRows([{ row: key, mutations: [{ kind: 'setCell', ...cell, value }] }])
  }
  await cellStore.close()
}

test('percolite check: a running server, then its folder, then the folder damaged', async (t) => {
  const data = await folderFor(t)
  const server = await ServerProcess.start(data)
  t.after(() => server.killNine())
  await writeSomething(server)
  const online = await percolite('check', '--url', server.url, '--json')
  assert.equal(online.code, 0, online.errors)
  const report = JSON.parse(online.output)
  assert.deepEqual(report.tables, [{ name: 'account', rows: 2, versions: 2, indexes: [] }])
  assert.deepEqual([report.sound, report.problems], [true, []])

  const locked = await percolite('check', '--data', data)
  assert.equal(locked.code, 3)
  assert.match(locked.errors, /^percolite: .* in use by process \d+\. .*--url http.*\n$/)

  assert.equal(await server.stop(), 0)
  const offline = await percolite('check', '--data', data)
  assert.equal(offline.code, 0, offline.errors)
  assert.match(offline.output, /^table account: 2 rows, 2 versions$/m)
  assert.match(offline.output, /^no problems\n$/m)

  await damageRow(data, 'bob')
  const damaged = await percolite('check', '--data', data)
  assert.equal(damaged.code, 1)
  assert.match(damaged.output, /^T2 {2}account \["bob"\] write "0" @\d+: /m)
  assert.match(damaged.output, /^1 problems?\n$/m)
})

test('percolite check: what cannot be checked is exit code 3, in one line', async (t) => {
  const data = await folderFor(t)
  for (const [args, text] of [
    [['--data', data], /There is no database in/],
    [['--url', 'http://127.0.0.1:9'], /No answer from/],
  ] as const) {
    const { code, output, errors } = await percolite('check', ...args)
    assert.deepEqual([code, output], [3, ''])
    assert.match(errors, /^percolite: .*\n$/)
    assert.match(errors, text)
  }
})

test('percolite check: a wrong flag is exit code 2, in one line', async () => {
  for (const args of [
    ['--url', 'here'],
    ['--port', '1'],
    ['now'],
    ['--url', 'http://a', '--data', 'b'],
  ]) {
    const { code, errors } = await percolite('check', ...args)
    assert.equal(code, 2)
    assert.match(errors, /^percolite: .*\n$/)
  }
})

test('GET /v1/check answers as declared, also when it is asked for twice at a time', async (t) => {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY)')
  await server.query("INSERT INTO account (id) VALUES ('bob')")
  const answers = await Promise.all([server.get('/v1/check'), server.get('/v1/check')])
  assert.deepEqual(
    answers.map(({ status }) => status),
    [200, 200],
  )
  const [{ body }] = answers
  assert.deepEqual(body.tables, [{ name: 'account', rows: 1, versions: 1, indexes: [] }])
  assert.equal((await server.get('/v1/check')).status, 200)
})
