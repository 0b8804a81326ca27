// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { percolite } from '../../test/cli/percolite.ts'
import { startTestServer } from '../../test/server/test-server.ts'
import { runCommandLine } from '../run-command-line.ts'

const SQL = 'SCAN * FROM account USE PRIMARY KEY'

/** `percolite watch`, as it writes. */
class Watching {
  readonly lines: string[] = []
  errors = ''
  readonly code: Promise<number | undefined>

  constructor(...args: readonly string[]) {
    this.code = runCommandLine(
      ['watch', ...args],
      {},
      {
        input: Readable.from([]),
        output: { write: (text) => this.lines.push(text) },
        errors: { write: (text) => (this.errors += text) },
      },
    )
  }

  async line(index: number) {
    while (this.lines[index] === undefined) await sleep(5)
    return JSON.parse(this.lines[index])
  }

  /** As by Ctrl-C. */
  async end(): Promise<number | undefined> {
    process.emit('SIGINT')
    return await this.code
  }
}

async function bank(t: TestContext) {
  const server = await startTestServer(t)
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER, j JSON)')
  await server.query("INSERT INTO account (id, balance) VALUES ('bob', 10)")
  const { url } = await server.listen()
  return { server, url }
}

describe('percolite watch', () => {
  test('prints the rows and then each commit, and ends by Ctrl-C with the last stamp', async (t) => {
    const { server, url } = await bank(t)
    const watching = new Watching(url, SQL, '--snapshot')
    assert.deepEqual(await watching.line(0), {
      kind: 'rows',
      rows: [{ key: ['bob'], row: { id: 'bob', balance: 10, j: null } }],
    })
    assert.equal((await watching.line(1)).kind, 'snapshot')
    const j = '{"n":12345678901234567890}'
    await server.query(
      `INSERT INTO account (id, balance, j) VALUES ('eve', 9223372036854775807, '${j}')`,
    )
    const { timestamp } = await watching.line(2)
    const row = `{"id":"eve","balance":"9223372036854775807","j":${j}}`
    assert.equal(
      watching.lines[2],
      `{"kind":"commit","timestamp":${timestamp},"changes":[{"op":"insert","key":["eve"],"row":${row}}]}\n`,
    )
    await server.query("DELETE FROM account WHERE id = 'eve'")
    const deleted = await watching.line(3)
    assert.deepEqual(deleted.changes, [{ op: 'delete', key: ['eve'] }])
    assert.equal(await watching.end(), 130)
    assert.match(watching.errors, /^percolite: go on with --since \d+ --history [\w.]+\n$/)
    assert.ok(Number(/since (\d+)/.exec(watching.errors)?.[1]) >= deleted.timestamp)
  })

  test('goes on behind a stamp, so that two runs leave nothing out', async (t) => {
    const { server, url } = await bank(t)
    const first = new Watching(url, SQL, '--snapshot')
    await first.line(1)
    await first.end()
    const [, since = '', history = ''] = /--since (\d+) --history (\w+)/.exec(first.errors) ?? []
    await server.query("SET balance = 11 ON account WHERE id = 'bob'")
    const second = new Watching(url, SQL, '--since', since, '--history', history)
    assert.equal((await second.line(0)).changes[0].row.balance, 11)
    await second.end()
  })

  test('prints a result as its list and patches, and goes on from its digest', async (t) => {
    const { server, url } = await bank(t)
    await server.query("INSERT INTO account (id, balance) VALUES ('joe', 5)")
    const sql = 'SCAN id, balance FROM account USE PRIMARY KEY ORDER BY balance LIMIT 2'
    const first = new Watching(url, sql)
    const rows = [
      { id: 'joe', balance: 5 },
      { id: 'bob', balance: 10 },
    ]
    assert.deepEqual(await first.line(0), { kind: 'rows', rows })
    const { timestamp, digest } = await first.line(1)
    await first.end()
    assert.match(first.errors, /--since \d+ --history [\w.]+ --mode result --digest=\S+\n$/)
    await server.query("DELETE FROM account WHERE id = 'joe'")
    const more = ['--mode', 'result', '--since', String(timestamp), `--digest=${digest}`]
    const second = new Watching(url, sql, ...more)
    const patch = await second.line(0)
    assert.deepEqual([patch.kind, patch.splice], ['patch', [[0, 1, []]]])
    await second.end()
  })

  test('ends with 1 for what cannot be watched, with 2 for a wrong call and with 3 without a connection', async (t) => {
    const { url } = await bank(t)
    assert.equal((await percolite(['watch', url, 'SCAN * FROM nothing'])).code, 1)
    assert.equal((await percolite(['watch', url])).code, 2)
    assert.equal((await percolite(['watch', url, SQL, '--since', 'now'])).code, 2)
    assert.equal((await percolite(['watch', url, SQL, '--mode', 'list'])).code, 2)
    assert.equal((await percolite(['watch', 'http://127.0.0.1:9', SQL])).code, 3)
  })
})
