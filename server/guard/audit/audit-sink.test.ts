// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { auditedServer, linesOf } from '../../../test/access/audited-server.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { ServerProcess } from '../../../test/server/server-process.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { type AuditTarget, openAuditFile } from './audit-file.ts'
import { AuditLines } from './audit-sink.ts'

const FULL = '/dev/full'
const SECOND_MS = 1_000

/** Takes what it is told to take: a number of bytes of a write, or an error. */
class ScriptedTarget implements AuditTarget {
  readonly isTorn = false
  taken = ''
  writes = 0
  takes: () => Promise<number> | number = () => Number.POSITIVE_INFINITY

  async write(bytes: Buffer): Promise<number> {
    this.writes += 1
    const count = Math.min(bytes.length, await this.takes())
    this.taken += bytes.subarray(0, count).toString()
    return count
  }

  async close(): Promise<void> {}
}

function noSpace(): never {
  throw Object.assign(new Error('no space'), { code: 'ENOSPC' })
}

function scene(open?: () => AuditTarget) {
  const clock = new ManualClock()
  const log: string[] = []
  const target = new ScriptedTarget()
  const logger = pino({ base: null }, { write: (line: string) => log.push(line) })
  const lines = new AuditLines(target, { clock, log: logger, open })
  const refused = (table: string) => lines.write({ event: 'refused', table })
  const tables = () => linesOf(target.taken).map(({ table }) => table)
  return { clock, log, target, lines, refused, tables }
}

describe('lines of the audit log', () => {
  test('are each whole and there once, however little a write takes and wherever it fails', async () => {
    const { target, lines, refused, tables } = scene()
    let calls = 0
    target.takes = () => {
      calls += 1
      return calls % 3 === 0 ? noSpace() : 7
    }
    for (let at = 0; at < 20; at += 1) refused(`t${at}`)
    while ((await lines.problem()) !== undefined) await setImmediate()
    assert.deepEqual(
      tables(),
      Array.from({ length: 20 }, (_, at) => `t${at}`),
    )
  })

  test('wait in a bounded buffer, whose end is for changes, and those that are lost are counted', async () => {
    const { clock, log, target, lines, refused } = scene()
    target.takes = noSpace
    const table = 'x'.repeat(2_000)
    for (let at = 0; at < 1_000; at += 1) {
      refused(table)
      if (at % 10 === 0) await setImmediate()
    }
    assert.ok(target.writes < 5, 'one that fails is not tried for each event')
    // Longer than what is left of the share of the others.
    const change = 'kept'.repeat(600)
    lines.write({ event: 'access_changed', table: change })
    assert.equal(await lines.problem(), 'ENOSPC')
    assert.equal(log.length, 1)
    assert.match(String(log[0]), /access is not changed until it goes on/)
    target.takes = () => Number.POSITIVE_INFINITY
    lines.retry()
    assert.equal(await lines.problem(), undefined)
    const told = linesOf(target.taken)
    const [lost, kept] = [told.pop(), told.pop()]
    assert.deepEqual([lost.event, kept.table], ['events_lost', change])
    assert.equal(lost.count + told.length, 1_000)
    assert.ok(target.taken.length <= SERVER_LIMITS.auditBytesMax)
    assert.equal(log.length, 2)
    await clock.advance(SECOND_MS)
  })

  test('that nobody takes are a problem after two seconds', async () => {
    const { clock, target, lines, refused } = scene()
    target.takes = () => new Promise(() => {})
    refused('t')
    const problem = lines.problem()
    await clock.advance(2 * SECOND_MS)
    assert.equal(await problem, 'it takes no lines')
  })

  test('go to the file that is opened again, and a line that was cut off is there whole', async () => {
    const next = new ScriptedTarget()
    const { target, lines, refused } = scene(() => next)
    let calls = 0
    target.takes = () => {
      calls += 1
      return calls === 1 ? 10 : noSpace()
    }
    refused('t')
    assert.equal(await lines.problem(), 'ENOSPC')
    assert.equal(lines.reopen(), true)
    assert.equal(await lines.problem(), undefined)
    assert.deepEqual(
      linesOf(next.taken).map(({ table }) => table),
      ['t'],
    )
  })
})

describe('the file of the audit log', () => {
  test('is made for its owner, and appended to, also after half a line', async (t) => {
    const path = join(await testFolder(t, 'audit'), 'audit.log')
    const lines = (text = '') => {
      const sink = new AuditLines(openAuditFile(path), { clock: new ManualClock(), log: pino() })
      sink.write({ event: 'refused', table: text })
      return sink.close()
    }
    await lines('one')
    assert.equal(statSync(path).mode & 0o777, 0o600)
    writeFileSync(path, '{"half', { flag: 'a' })
    await lines('two')
    const [one, half, two] = readFileSync(path, 'utf8').split('\n')
    assert.deepEqual([JSON.parse(String(one)).table, half], ['one', '{"half'])
    assert.equal(JSON.parse(String(two)).table, 'two')
  })

  test('is refused, with what is wrong, where others could write to it or it is none', async (t) => {
    const folder = await testFolder(t, 'audit')
    const path = (name: string) => join(folder, name)
    writeFileSync(path('target'), '')
    symlinkSync(path('target'), path('link'))
    writeFileSync(path('open'), '')
    chmodSync(path('open'), 0o662)
    mkdirSync(path('folder'))
    const refused: ReadonlyArray<readonly [string, RegExp]> = [
      ['link', /ELOOP/],
      ['open', /others may write to it/],
      ['folder', /EISDIR/],
      ['none/audit.log', /ENOENT/],
    ]
    for (const [name, reason] of refused) {
      await assert.rejects(startTestServer(t, { flags: { audit: path(name) } }), (error: Error) => {
        assert.equal(error.name, 'UsageError')
        assert.match(error.message, /^--audit /)
        assert.match(error.message, reason)
        return true
      })
    }
  })
})

describe('an audit log that is full', () => {
  test('stops changes of access in words that help, and no read, write or definition', async (t) => {
    const server = await startTestServer(t, { flags: { audit: FULL } })
    await server.listen()
    await server.rows('CREATE TABLE note (id INTEGER PRIMARY KEY)')
    await server.rows('INSERT INTO note (id) VALUES (1)')
    assert.equal((await server.rows('SCAN * FROM note')).length, 1)
    for (const sql of ['CREATE TOKEN web ROLE admin EXPIRES IN 1 DAY', 'CREATE ROLE app']) {
      const { status, body, headers } = await server.query(sql)
      assert.deepEqual([status, body.code, body.retryable], [503, 'audit_unavailable', false], sql)
      assert.equal(body.reason, 'ENOSPC')
      assert.match(body.hint, /Make room/)
      assert.equal(headers['retry-after'], undefined)
    }
    // What is wrong with the statement is said first, and a change that changes nothing is none.
    assert.equal((await server.query('DROP ROLE app')).body.code, 'unknown_role')
    assert.deepEqual((await server.rows('SHOW TOKENS')).length, 0)
    assert.equal((await server.rows('SHOW ROLES')).length, 1)
  })
})

describe('SIGHUP', () => {
  test('opens the file again after it was renamed, and no event is lost or doubled', async (t) => {
    const { tokens, admin, path, events } = await auditedServer(t)
    for (let at = 0; at < 5; at += 1) {
      await admin.rows(`CREATE ROLE r${at}`)
      renameSync(path, `${path}.${at}`)
      assert.equal(tokens.server.server.reloadFiles(), true)
    }
    const last = await events()
    const rotated = Array.from({ length: 5 }, (_, at) => readFileSync(`${path}.${at}`, 'utf8'))
    const all = [...rotated.flatMap(linesOf), ...last]
    const made = all.filter(({ operation }) => operation === 'createRole')
    assert.deepEqual(
      made.map(({ names }) => names.role),
      ['r0', 'r1', 'r2', 'r3', 'r4'],
    )
    assert.ok(last.length < all.length)
  })

  test('goes on with the file that it has where the new one cannot be opened', async (t) => {
    const { tokens, admin, path } = await auditedServer(t)
    renameSync(path, `${path}.1`)
    mkdirSync(path)
    assert.equal(tokens.server.server.reloadFiles(), true)
    await admin.rows('CREATE ROLE app')
    await tokens.server.server.close()
    assert.match(readFileSync(`${path}.1`, 'utf8'), /createRole/)
  })

  test('is no end for a server with an audit log, whose last line is its stop', async (t) => {
    const folder = await testFolder(t, 'audit')
    const path = join(folder, 'audit.log')
    const server = await ServerProcess.start(join(folder, 'data'), ['--audit', path])
    t.after(() => server.killNine())
    renameSync(path, `${path}.1`)
    server.signal('SIGHUP')
    const body = 'CREATE TOKEN root ROLE admin EXPIRES IN 1 DAY'
    const made = await fetch(`${server.url}/v1/query`, { method: 'POST', body })
    assert.equal(made.status, 200)
    assert.equal(await server.stop(), 0)
    assert.equal(linesOf(readFileSync(`${path}.1`, 'utf8'))[0].event, 'server_started')
    const events = linesOf(readFileSync(path, 'utf8')).map(({ event }) => event)
    assert.deepEqual(events, ['access_changed', 'server_stopped'])
  })
})

test('--audit stdout mixes no line with the log', async (t) => {
  const folder = await testFolder(t, 'audit')
  const server = await ServerProcess.start(join(folder, 'data'), ['--audit', 'stdout'])
  t.after(() => server.killNine())
  const create = (role: string) =>
    fetch(`${server.url}/v1/query`, { method: 'POST', body: `CREATE ROLE ${role}` })
  // No more than two at a time: on a slow machine many that write one catalog meet others too often.
  let count = 0
  for (let at = 0; at < 20; at += 1) {
    const made = await Promise.all([create(`a${at}`), create(`b${at}`)])
    count += made.filter(({ ok }) => ok).length
  }
  assert.equal(await server.stop(), 0)
  assert.ok(count >= 20, `${count} of 40`)
  const lines = server.said
    .split('\n')
    .slice(0, -1)
    .map((line) => JSON.parse(line))
  assert.equal(lines.filter(({ event }) => event === 'access_changed').length, count)
  assert.equal(lines.filter(({ msg }) => msg === 'stopped').length, 1)
})
