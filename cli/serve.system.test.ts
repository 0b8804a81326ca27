// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import test from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { openStorage } from '../storage/storage.ts'
import { exitCode, run, stdoutOf, urlOf } from '../test/cli/run-command.ts'
import { ManualClock } from '../test/manual-clock.ts'
import { testFolder } from '../test/test-folder.ts'

async function query(url: string, sql: string) {
  const answer = await fetch(`${url}/v1/query`, {
    method: 'POST',
    body: JSON.stringify({ sql }),
    headers: { 'content-type': 'application/json' },
  })
  return { status: answer.status, body: JSON.parse(await answer.text()) }
}

test('its first four lines say where it is, its pages, its data and what comes next, before the audit log', async (t) => {
  const server = run(t, 'serve', '--engine', 'memory', '--port', '0', '--no-console')
  const url = await urlOf(server)
  while (!server.output().includes('server_started')) await once(stdoutOf(server), 'data')
  const [listening = '', pages = '', data = '', next = '', audit = ''] = server.output().split('\n')
  assert.match(listening, /percolite \S+ listening on \S+, open to this machine only$/)
  assert.ok(pages.endsWith(`operations ${url}/docs`), pages)
  assert.match(data, /data in memory$/)
  assert.ok(next.endsWith(`statements: percolite shell ${url}`), next)
  assert.match(audit, /"event":"server_started"/)
})

test('a wrong flag: one line on standard error, exit 2', async (t) => {
  for (const args of [
    ['serve', '--port', 'x'],
    ['serve', '--zzz'],
    ['serve', '--host', '0.0.0.0'],
    ['serve', '--observers', '/nowhere/observers.ts'],
    ['serve', '--engine', 'memory', '--admin-token-file', '/nowhere/token'],
  ]) {
    const failed = run(t, ...args)
    assert.equal(await exitCode(failed), 2)
    assert.match(failed.errors(), /^percolite: .*\n$/)
    assert.equal(failed.output(), '')
  }
})

test('--help and --version answer and exit 0', async (t) => {
  const help = run(t, 'serve', '--help')
  const version = run(t, '--version')
  assert.deepEqual([await exitCode(help), await exitCode(version)], [0, 0])
  assert.match(help.output(), /--statement-timeout/)
  assert.match(version.output(), /^percolite \d+\.\d+\.\d+\n$/)
})

test('a clock far below the data: one line with both times and the flag, exit 1; the flag starts', async (t) => {
  const data = await testFolder(t, 'main')
  const clock = new ManualClock({ wallMicros: (Date.now() + 5 * 3_600_000) * 1000 })
  const storage = await openStorage({ engine: 'sqlite', dataDirectory: data, clock })
  await storage.close()
  const flags = ['serve', '--data', data, '--port', '0']
  const refused = run(t, ...flags)
  assert.equal(await exitCode(refused), 1)
  const times = /^percolite: .* says \S+Z, which is 5 h before .*, \S+Z\. .*--accept-clock\.\n$/
  assert.match(refused.errors(), times)
  await urlOf(run(t, ...flags, '--accept-clock'))
})

test('what was committed before SIGTERM is there after the next start, and SIGTERM exits 0', async (t) => {
  const data = await testFolder(t, 'main')
  const flags = ['--data', data, '--port', '0']
  const first = run(t, 'serve', ...flags)
  const url = await urlOf(first)
  await query(url, 'CREATE TABLE t (id INTEGER PRIMARY KEY)')
  assert.equal((await query(url, 'INSERT INTO t (id) VALUES (7)')).status, 200)
  assert.equal((await query(url, 'BEGIN')).status, 201)

  const second = run(t, 'serve', ...flags)
  assert.equal(await exitCode(second), 3)
  assert.match(second.errors(), /^percolite: .*\n$/)

  first.child.kill('SIGTERM')
  assert.equal(await exitCode(first), 0)
  const again = run(t, 'serve', '--log-format', 'json', ...flags)
  const { body } = await query(await urlOf(again), 'SCAN * FROM t')
  assert.deepEqual(body.results[0].rows, [{ id: 7 }])
  // Under npm, Ctrl-C arrives twice.
  again.child.kill('SIGINT')
  again.child.kill('SIGINT')
  assert.equal(await exitCode(again), 0)
})

test('after SIGTERM, who watches /readyz is told first, until another signal', async (t) => {
  const flags = ['--engine', 'memory', '--port', '0', '--drain', '5m', '--shutdown-timeout', '10m']
  const server = run(t, 'serve', ...flags)
  const url = await urlOf(server)
  const status = async (path: string) => (await fetch(url + path)).status
  assert.equal(await status('/readyz'), 200)
  server.child.kill('SIGTERM')
  while ((await status('/readyz')) !== 503) await setTimeout(10)
  assert.equal((await query(url, 'SHOW TABLES')).status, 200)
  // Within a second it would be the same signal, which some managers send twice.
  await setTimeout(1_100)
  server.child.kill('SIGTERM')
  assert.equal(await exitCode(server), 0)
})

test('SIGINT does not wait for who watches /readyz', async (t) => {
  const flags = ['--engine', 'memory', '--port', '0', '--drain', '5m', '--shutdown-timeout', '10m']
  const server = run(t, 'serve', ...flags)
  const answer = await fetch(`${await urlOf(server)}/readyz`)
  assert.equal(answer.status, 200)
  server.child.kill('SIGINT')
  assert.equal(await exitCode(server), 0)
})

test('observers of a module run in the server, and SIGTERM waits for the one under way', async (t) => {
  const folder = await testFolder(t, 'main')
  const module = join(folder, 'observers.ts')
  const define = new URL('../server/live/observers/define-observer.ts', import.meta.url).href
  await writeFile(
    module,
    `import { setTimeout } from 'node:timers/promises'
     import { defineObserver } from ${JSON.stringify(define)}
     export const copy = defineObserver<{ id: number }>({
       observer: 'copy',
       run: async (tx, { row }) => {
         process.stdout.write('run under way\\n')
         await setTimeout(300)
         await tx.query('INSERT INTO copied (id) VALUES ($1)', [row?.id])
       },
     })`,
  )
  const flags = ['--data', join(folder, 'data'), '--port', '0', '--observers', module]
  const first = run(t, 'serve', ...flags)
  const url = await urlOf(first)
  await query(url, 'CREATE TABLE original (id INTEGER PRIMARY KEY)')
  await query(url, 'CREATE TABLE copied (id INTEGER PRIMARY KEY)')
  await query(url, 'CREATE OBSERVER copy ON original (id)')
  await query(url, 'INSERT INTO original (id) VALUES (7)')
  while (!first.output().includes('run under way')) {
    await once(stdoutOf(first), 'data')
  }
  first.child.kill('SIGTERM')
  assert.equal(await exitCode(first), 0)
  const again = run(t, 'serve', ...flags)
  const { body } = await query(await urlOf(again), 'SCAN * FROM copied')
  assert.deepEqual(body.results[0].rows, [{ id: 7 }])
})
