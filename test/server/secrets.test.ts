// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { systemRandomness } from '../../storage/storage.ts'
import { newTokenText } from '../../storage/tables/access/access.ts'
import { testFolder } from '../test-folder.ts'
import { ServerProcess } from './server-process.ts'
import { openSocket } from './socket-client.ts'

const MAIN = fileURLToPath(new URL('../../cli/cli.ts', import.meta.url))
const run = promisify(execFile)
const MADE = /pct_[a-z2-7]{10}_[0-9A-Za-z]{49}/

/** Every secret that was made, and all that the server has said where none may be. */
class Secrets {
  readonly all: string[] = []
  readonly texts = new Map<string, string>()

  add(token: string | undefined): string {
    assert.ok(token !== undefined)
    assert.match(token, MADE)
    this.all.push(token)
    return token
  }

  /** Whole tokens, and what is secret of them: their ids are public. */
  assertNowhere(): void {
    assert.ok(this.all.length >= 8 && this.texts.size > 20, 'there is something to search')
    for (const [where, text] of this.texts) {
      for (const token of this.all) {
        assert.ok(!text.includes(token.slice(15, 58)), `${where} has a secret: ${text}`)
      }
    }
  }
}

type Sent = { readonly headers?: Record<string, string>; readonly body?: string }

async function send(url: string, path: string, { headers = {}, body }: Sent = {}) {
  const more = body === undefined ? {} : { method: 'POST', body }
  const answer = await fetch(url + path, { headers, ...more })
  return { status: answer.status, text: await answer.text() }
}

async function start(data: string, file: string, format: string): Promise<ServerProcess> {
  const flags = ['--admin-token-file', file, '--log-level', 'debug', '--log-format', format]
  return await ServerProcess.start(data, flags)
}

/** Makes tokens in every way; returns those that count. */
async function makeAll(t: TestContext, url: string, first: string, secrets: Secrets) {
  const headers = { authorization: `Bearer ${first}` }
  const query = (body: string, path = '/v1/query') => send(url, path, { headers, body })
  const made = async (sql: string, path?: string) => {
    const { status, text } = await query(sql, path)
    assert.equal(status, 200, text)
    return secrets.add(MADE.exec(text)?.[0])
  }
  const web = await made('CREATE TOKEN web ROLE admin EXPIRES IN 9 DAYS')
  for (const format of ['table', 'json']) {
    await made(`CREATE TOKEN ${format} ROLE admin EXPIRES IN 9 DAYS`, `/v1/query?format=${format}`)
  }
  const kept = await made('ROTATE TOKEN web KEEP 1 HOUR')
  await made('ROTATE TOKEN json')
  await query('DROP TOKEN table')
  const { port } = new URL(url)
  const socket = await openSocket(t, Number(port), { headers })
  const { results } = await socket.query('CREATE TOKEN socket ROLE admin EXPIRES IN 9 DAYS')
  secrets.add(results[0].rows[0].token)
  socket.send({ type: 'auth', token: first })
  socket.socket.close()
  return [first, web, kept]
}

const PATHS = [
  ...['/v1/status', '/v1/running', '/v1/transactions', '/v1/locks', '/v1/conflicts', '/v1/check'],
  ...['/v1/subscriptions', '/v1/observers', '/v1/statements'],
]

/** Shows tokens in every wrong place, and asks everything that may be asked; none of it may be answered with one. */
async function askAll(url: string, token: string, secrets: Secrets): Promise<void> {
  const headers = { authorization: `Bearer ${token}` }
  const note = async (path: string, sent: Sent = {}) => {
    const { status, text } = await send(url, path, { headers, ...sent })
    secrets.texts.set(`${path} ${JSON.stringify(sent)}`, `${status} ${text}`)
  }
  for (const path of PATHS) {
    await note(path)
  }
  for (const path of ['/metrics', '/v1/tables', '/', '/healthz', '/readyz', '/v1/whoami']) {
    await note(path)
  }
  for (const sql of ['SHOW TOKENS', 'SHOW ROLES', 'SHOW GRANTS']) {
    for (const format of ['json', 'table', 'csv', 'ndjson']) {
      await note(`/v1/query?format=${format}`, { body: sql })
    }
  }
  await note('/v1/query', { body: 'CREATE TOKEN web ROLE admin EXPIRES IN 9 DAYS' })
  await note('/v1/query', {
    body: 'CREATE TOKEN twice ROLE admin EXPIRES IN 9 DAYS',
    headers: { ...headers, 'idempotency-key': 'k' },
  })
  // What a client has sent may come back to it, but is in no log.
  for (const path of [`/v1/tables/${token}`, `/${token}`, `/v1/tables?access_token=${token}`]) {
    await send(url, path, { headers })
  }
  for (const body of [`SHOW ${token}`, `GET * FROM a WHERE id = '${token}'`, `{"sql":"${token}`]) {
    await send(url, '/v1/query', { headers, body })
    await send(url, '/v1/query', {
      headers: { ...headers, 'content-type': 'application/json' },
      body,
    })
  }
  const [, id] = token.split('_')
  for (const authorization of [
    `Basic ${token}`,
    `Bearer ${token}x`,
    `Bearer ${newTokenText(systemRandomness, id).text}`,
  ]) {
    const { status, text } = await send(url, '/v1/tables', { headers: { authorization } })
    secrets.texts.set(authorization, `${status} ${text}`)
  }
  await send(url, '/v1/query', {
    headers: { ...headers, 'idempotency-key': token, 'percolite-history': token },
    body: 'SHOW TABLES',
  })
}

for (const format of ['json', 'pretty']) {
  test(`a secret is in its one response, and in no other, no ${format} log and no file of the database`, async (t) => {
    const folder = await testFolder(t, 'secrets')
    const secrets = new Secrets()
    const [file, data] = [join(folder, 'token'), join(folder, 'data')]
    const servers: ServerProcess[] = []
    t.after(() => Promise.all(servers.map((server) => server.killNine())))
    const started = async (at: string) => {
      const server = await start(data, at, format)
      servers.push(server)
      return server
    }

    const server = await started(file)
    const first = secrets.add(readFileSync(file, 'utf8').trim())
    const counting = await makeAll(t, server.url, first, secrets)
    for (const token of counting) await askAll(server.url, token, secrets)
    await server.killNine()

    const created = await run(process.execPath, [MAIN, 'token', 'create', 'ops', '--data', data])
    secrets.add(created.stdout.trim())
    secrets.texts.set('errors of token create', created.stderr)
    const again = await started(file)
    await askAll(again.url, first, secrets)
    await again.stop()

    for (const { said } of servers) {
      assert.match(said, /answered/, 'each request has a line')
      secrets.texts.set(said.slice(0, 80), said)
    }
    for (const name of readdirSync(data)) {
      secrets.texts.set(name, readFileSync(join(data, name), 'latin1'))
    }
    secrets.assertNowhere()
  })
}

test('a secret that was given in a file is in no line about that file', async (t) => {
  const folder = await testFolder(t, 'secrets')
  const file = join(folder, 'token')
  const { text } = newTokenText(systemRandomness)
  const start = async (mode: number, given: string) => {
    writeFileSync(file, given)
    const args = [MAIN, 'serve', '--engine', 'memory', '--port', '0', '--admin-token-file', file]
    await run('chmod', [mode.toString(8), file])
    return await run(process.execPath, args).then(
      () => assert.fail('it started'),
      (error) => error,
    )
  }
  for (const [mode, given] of [
    [0o644, text],
    [0o600, `${text}x`],
    [0o600, text.slice(0, -1)],
  ] as const) {
    const { code, stdout, stderr } = await start(mode, given)
    assert.deepEqual([code, stdout], [2, ''])
    assert.match(stderr, /^percolite: --admin-token-file .*\n$/)
    assert.ok(!stderr.includes(text.slice(15, 58)))
  }
})
