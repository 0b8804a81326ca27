// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import test, { type TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { ServerProcess } from '../test/server/server-process.ts'
import { testFolder } from '../test/test-folder.ts'

/** Within a second a signal is the one before, sent twice. */
const ANOTHER_SIGNAL_MS = 1_100
const EXIT_INTERRUPTED = 130
const MAIN = fileURLToPath(new URL('./cli.ts', import.meta.url))

/** A server whose table has the row 1; so many more of its kind as are started on its folder. */
async function scene(t: TestContext, flags: readonly string[] = []) {
  const folder = await testFolder(t, 'signals')
  const start = async () => {
    const server = await ServerProcess.start(folder, flags)
    t.after(() => server.killNine())
    return server
  }
  const server = await start()
  await query(server.url, 'CREATE TABLE t (id INTEGER PRIMARY KEY)')
  await query(server.url, 'INSERT INTO t (id) VALUES (1)')
  return { server, start }
}

async function query(url: string, sql: string) {
  const answer = await fetch(`${url}/v1/query`, { method: 'POST', body: sql })
  const body = JSON.parse(await answer.text())
  assert.ok(answer.ok, JSON.stringify(body))
  return body
}

async function ids(url: string): Promise<number[]> {
  const { results } = await query(url, 'SCAN id FROM t')
  return results[0].rows.map(({ id }: { id: number }) => id)
}

/** A request of which all but the last byte has arrived, so that it runs for as long as the test wants. */
async function unfinished(t: TestContext, { url }: ServerProcess, sql: string) {
  const socket = connect(Number(new URL(url).port), '127.0.0.1').setEncoding('utf8')
  t.after(() => socket.destroy())
  socket.on('error', () => {})
  await once(socket, 'connect')
  const head = ['POST /v1/query HTTP/1.1', 'Host: localhost', 'Content-Type: text/plain']
  socket.write(
    `${[...head, `Content-Length: ${sql.length}`].join('\r\n')}\r\n\r\n${sql.slice(0, -1)}`,
  )
  // The answer to a request that was sent later shows that the server has read so much.
  assert.equal((await fetch(`${url}/healthz`)).status, 200)
  const finish = async () => {
    socket.write(sql.slice(-1))
    return await readAll(socket)
  }
  return { finish }
}

async function readAll(socket: Socket): Promise<string> {
  let text = ''
  for await (const chunk of socket) text += chunk
  return text
}

/** Waits for the listening sockets to be closed. */
async function refusesConnections({ url }: ServerProcess): Promise<void> {
  const isServed = () =>
    fetch(`${url}/healthz`, { headers: { connection: 'close' } }).then(
      () => true,
      () => false,
    )
  while (await isServed()) await sleep(10)
}

test('SIGTERM stops in order: what runs is answered, and is there after a restart', async (t) => {
  const { server, start } = await scene(t)
  const running = await unfinished(t, server, 'INSERT INTO t (id) VALUES (2)')
  const { transaction } = await query(server.url, 'BEGIN')
  await fetch(`${server.url}/v1/transactions/${transaction}/query`, {
    method: 'POST',
    body: 'INSERT INTO t (id) VALUES (3)',
  })
  server.signal('SIGTERM')
  await refusesConnections(server)
  assert.match(await running.finish(), /^HTTP\/1\.1 200 /)
  assert.equal(await server.ended, 0)
  const again = await start()
  assert.deepEqual(await ids(again.url), [1, 2])
  assert.equal(await again.stop(), 0)
})

test('SIGHUP is a line in the log of a server that has no file to read again, and stops nothing', async (t) => {
  const { server } = await scene(t)
  server.signal('SIGHUP')
  while (!server.said.includes('nothing to read again')) await sleep(10)
  assert.deepEqual(await ids(server.url), [1])
  // Nor does one that comes later, which would end a server that is stopping.
  await sleep(ANOTHER_SIGNAL_MS)
  server.signal('SIGHUP')
  while (server.said.split('nothing to read again').length < 3) await sleep(10)
  assert.deepEqual(await ids(server.url), [1])
  assert.equal(await server.stop(), 0)
})

test('SIGHUP at a terminal, which has closed, stops in order and waits for nobody who watches /readyz', async (t) => {
  const folder = await testFolder(t, 'terminal')
  // `script` gives its command a terminal.
  const serve = 'echo "pid $$."; exec "$NODE" "$MAIN" serve --port 0 --data "$DATA" --drain 5m'
  const env = { ...process.env, NODE: process.execPath, MAIN, DATA: folder }
  const child = spawn('script', ['-qec', serve, '/dev/null'], {
    env,
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  if (!(await isSpawned(child))) return t.skip('there is no util-linux script here')
  t.after(() => child.kill('SIGKILL'))
  const closed = once(child, 'close')
  let said = ''
  child.stdout.setEncoding('utf8').on('data', (chunk) => {
    said += chunk
  })
  const found = async (expected: RegExp) => {
    for (;;) {
      const match = expected.exec(said)
      if (match?.[1] !== undefined) return match[1]
      assert.equal(child.exitCode, null, said)
      await sleep(10)
    }
  }
  const processId = Number(await found(/pid (\d+)\./))
  const url = await found(/(http:\/\/127\.0\.0\.1:\d+)/)
  assert.equal((await fetch(`${url}/readyz`)).status, 200)
  process.kill(processId, 'SIGHUP')
  const [code] = await closed
  assert.equal(code, 0, said)
  assert.match(said, /stopped/)
})

async function isSpawned(child: ChildProcess): Promise<boolean> {
  return await once(child, 'spawn').then(
    () => true,
    () => false,
  )
}

test('SIGUSR1 is a line in the log, and neither opens a debugger nor stops anything', async (t) => {
  const { server } = await scene(t)
  server.signal('SIGUSR1')
  while (!server.said.includes('SIGUSR1 means nothing to this server')) await sleep(10)
  // Long enough for the thread that would open it.
  await sleep(200)
  assert.doesNotMatch(server.said, /debugger|inspector/i)
  assert.deepEqual(await ids(server.url), [1])
  assert.equal(await server.stop(), 0)
})

test('a second SIGTERM ends the process with 130 when nobody is drained for, if it is not the first one twice', async (t) => {
  const { server, start } = await scene(t, ['--shutdown-timeout', '10m'])
  await unfinished(t, server, 'INSERT INTO t (id) VALUES (2)')
  server.signal('SIGTERM')
  await refusesConnections(server)
  server.signal('SIGTERM')
  const ended = await Promise.race([server.ended, sleep(ANOTHER_SIGNAL_MS, 'still running')])
  assert.equal(ended, 'still running')
  server.signal('SIGTERM')
  assert.equal(await server.ended, EXIT_INTERRUPTED)
  assert.deepEqual(await ids((await start()).url), [1])
})

test('a second SIGTERM ends the draining, and a third the process', async (t) => {
  const { server } = await scene(t, ['--drain', '5m', '--shutdown-timeout', '10m'])
  await unfinished(t, server, 'INSERT INTO t (id) VALUES (2)')
  assert.equal((await fetch(`${server.url}/readyz`)).status, 200)
  server.signal('SIGTERM')
  while ((await fetch(`${server.url}/readyz`)).status !== 503) await sleep(10)
  await sleep(ANOTHER_SIGNAL_MS)
  assert.deepEqual(await ids(server.url), [1])
  server.signal('SIGTERM')
  await refusesConnections(server)
  const ended = await Promise.race([server.ended, sleep(ANOTHER_SIGNAL_MS, 'still running')])
  assert.equal(ended, 'still running')
  server.signal('SIGTERM')
  assert.equal(await server.ended, EXIT_INTERRUPTED)
})
