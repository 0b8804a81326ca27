// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { chmodSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { pino } from 'pino'
import { ForwardingCellStore } from '../../../bench/engines/forwarding-cell-store.ts'
import { CellStoreError, type RowMutations } from '../../../storage/cells/cell-store.ts'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import {
  openGateway,
  openStorage,
  type Storage,
  systemRandomness,
} from '../../../storage/storage.ts'
import { newTokenText } from '../../../storage/tables/access/access.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'

const DAY_MS = 24 * 3_600_000

async function tokenPath(t: TestContext): Promise<string> {
  return join(await testFolder(t, 'first-token'), 'token')
}

const readToken = (path: string) => readFileSync(path, 'utf8').trim()
const newToken = () => newTokenText(systemRandomness).text

/** One store, over which one server after the other is started. */
class Restarts {
  readonly #t: TestContext
  readonly #store = new MemoryCellStore()
  #clock = new ManualClock()
  #server: TestServer | undefined
  log = ''

  constructor(t: TestContext) {
    this.#t = t
  }

  async start(path: string): Promise<TestServer> {
    await this.#server?.server.close()
    const clock = this.#clock
    const storage = await openGateway(new Kept(this.#store), { clock })
    const write = (line: string) => {
      this.log += line
    }
    const deps = { clock, storage, log: pino({ base: null }, { write }) }
    const flags = { 'admin-token-file': path }
    this.#server = await startTestServer(this.#t, { flags, deps })
    return this.#server
  }

  /** Without a server meanwhile. */
  async pass(ms: number): Promise<void> {
    await this.#server?.server.close()
    this.#clock = new ManualClock({ wallMicros: this.#clock.wallMicros() + ms * 1_000 })
  }

  async refused(path: string, message: RegExp): Promise<void> {
    await assert.rejects(this.start(path), { name: 'UsageError', message })
  }
}

/** Outlives the gateway over it. */
class Kept extends ForwardingCellStore {
  readonly atomicScope = 'row'

  override async close(): Promise<void> {}
}

/** What a statement of this holder is answered. */
async function ask(server: TestServer, token: string, sql = 'SHOW TOKENS') {
  const headers = { authorization: `Bearer ${token}` }
  return await server.send({ method: 'POST', path: '/v1/query', json: { sql }, headers })
}

async function made(server: TestServer, token: string, sql: string): Promise<string> {
  const { body, text } = await ask(server, token, sql)
  assert.ok(body.results !== undefined, text)
  return body.results[0].rows[0].token
}

async function tokens(server: TestServer, token: string): Promise<unknown[]> {
  const { body, text } = await ask(server, token)
  assert.ok(body.results !== undefined, text)
  return body.results[0].rows.map(({ name }: { name: string }) => name)
}

describe('--admin-token-file', () => {
  test('makes a token for its owner alone, for a day, and the server is closed without it', async (t) => {
    const before = process.umask(0)
    t.after(() => process.umask(before))
    const restarts = new Restarts(t)
    const path = await tokenPath(t)
    const server = await restarts.start(path)
    const { mode } = statSync(path)
    assert.equal(mode & 0o777, 0o600)
    const token = readToken(path)
    assert.deepEqual(await tokens(server, token), ['first'])
    assert.equal((await server.get('/v1/tables')).status, 401)
    const [, id] = token.split('_')
    const [line = '', ...more] = restarts.log
      .split('\n')
      .filter((text) => text.includes('token') && !text.includes('"audit":true'))
    const { level: _, time: __, ...said } = JSON.parse(line)
    assert.deepEqual(said, { token: id, path, msg: 'a first token was made' })
    assert.deepEqual(more, [])
    const [{ created, expires }] = (await ask(server, token)).body.results[0].rows
    assert.equal(Date.parse(expires) - Date.parse(created), DAY_MS)
  })

  test('takes the token of a file that is there, as containers give their secrets', async (t) => {
    const restarts = new Restarts(t)
    const path = await tokenPath(t)
    const token = newToken()
    writeFileSync(path, `${token}\n`, { mode: 0o400 })
    const server = await restarts.start(path)
    assert.deepEqual(await tokens(server, token), ['first'])
    assert.equal(readFileSync(path, 'utf8'), `${token}\n`)
    assert.match(restarts.log, /a first token was taken from its file/)
    assert.ok(!restarts.log.includes(token))
  })

  test('lets a server start that others can reach, and memory take the same token at each start', async (t) => {
    const path = await tokenPath(t)
    for (let start = 0; start < 2; start += 1) {
      const flags = {
        ...{ host: '0.0.0.0', auth: 'required', 'behind-proxy': 'true' },
        ...{ engine: 'memory', 'admin-token-file': path },
      } as const
      const server = await startTestServer(t, { flags })
      assert.equal((await server.get('/v1/tables')).status, 401)
      await server.server.close()
    }
    const server = await startTestServer(t, { flags: { 'admin-token-file': path } })
    assert.deepEqual(await tokens(server, readToken(path)), ['first'])
    await assert.rejects(
      startTestServer(t, { flags: { 'admin-token-file': path, 'no-auth': 'true' } }),
      /--no-auth and --admin-token-file contradict each other/,
    )
  })

  test('does nothing, and does not look at the file, while an administrator has a valid token', async (t) => {
    const restarts = new Restarts(t)
    const path = await tokenPath(t)
    const first = await restarts.start(path)
    const token = readToken(path)
    const other = await made(first, token, 'CREATE TOKEN ops ROLE admin EXPIRES IN 90 DAYS')
    await ask(first, other, 'DROP TOKEN first')
    chmodSync(path, 0o666)
    const server = await restarts.start(path)
    assert.deepEqual(await tokens(server, other), ['ops'])
    assert.equal((await ask(server, token)).status, 401)
  })

  test('brings a token back that has only expired, for another day from the start on', async (t) => {
    const restarts = new Restarts(t)
    const path = await tokenPath(t)
    await restarts.start(path)
    const token = readToken(path)
    await restarts.pass(2 * DAY_MS)
    const server = await restarts.start(path)
    assert.deepEqual(await tokens(server, token), ['first'])
    const [{ created, expires }] = (await ask(server, token)).body.results[0].rows
    assert.equal(Date.parse(expires) - Date.parse(created), 3 * DAY_MS)
  })

  test('makes another one where the file is gone, beside those that have expired', async (t) => {
    const restarts = new Restarts(t)
    const path = await tokenPath(t)
    await restarts.start(path)
    await restarts.pass(2 * DAY_MS)
    const server = await restarts.start(`${path}2`)
    assert.deepEqual(await tokens(server, readToken(`${path}2`)), ['first', 'first_2'])
    assert.equal((await ask(server, readToken(path))).body.code, 'token_expired')
  })

  test('brings no token back that was dropped, rotated or made for another role', async (t) => {
    const restarts = new Restarts(t)
    const path = await tokenPath(t)
    const first = await restarts.start(path)
    const token = readToken(path)
    const short = await made(first, token, 'CREATE TOKEN ops ROLE admin EXPIRES IN 9 DAYS')
    await ask(first, short, 'DROP TOKEN first')
    await ask(first, short, 'CREATE ROLE app')
    const web = await made(first, short, 'CREATE TOKEN web ROLE app EXPIRES IN 9 DAYS')
    await made(first, short, 'ROTATE TOKEN ops')
    await restarts.pass(10 * DAY_MS)
    await restarts.refused(path, /its token was dropped; remove it, or put another one there\.$/)
    writeFileSync(path, web)
    await restarts.refused(path, /its token has the role app, and not admin;/)
    writeFileSync(path, short)
    await restarts.refused(path, /its token was rotated away;/)
    assert.equal(readToken(path), short)
  })
})

/** Takes no row of a token. */
class FullForTokens extends ForwardingCellStore {
  readonly atomicScope = 'row'

  override async mutateRows(entries: readonly RowMutations[]) {
    for (const { row } of entries) this.#check(row)
    return await super.mutateRows(entries)
  }

  override async checkAndMutateRow(...call: Parameters<ForwardingCellStore['checkAndMutateRow']>) {
    this.#check(call[0])
    return await super.checkAndMutateRow(...call)
  }

  #check(row: Uint8Array): void {
    if (!Buffer.from(row).includes('access/token')) return
    throw new CellStoreError('full', 'the store has no room')
  }
}

describe('two servers that start at once', () => {
  const CASES = [
    ['with a file each: one of them has the token, and the other one none', ['a', 'b']],
    ['with one file: both take its token', ['a', 'a']],
  ] as const
  for (const [name, files] of CASES) {
    test(name, async (t) => {
      const folder = await testFolder(t, 'first-token')
      const store = new MemoryCellStore()
      const storages = [await openGateway(store), await openGateway(store)]
      const servers = await Promise.all(
        files.map((file, at) =>
          startTestServer(t, {
            flags: { 'admin-token-file': join(folder, file) },
            deps: { storage: storages[at] as Storage },
          }),
        ),
      )
      const written = ['a', 'b']
        .map((file) => join(folder, file))
        .filter((path) => existsSync(path))
      assert.equal(written.length, 1)
      const token = readToken(written[0] as string)
      for (const server of servers) assert.deepEqual(await tokens(server, token), ['first'])
    })
  }
})

describe('a token that cannot be kept', () => {
  test('leaves nothing in a file that was made for it, and everything in one that was there', async (t) => {
    const path = await tokenPath(t)
    const start = async () => {
      const storage = await openGateway(new FullForTokens(new MemoryCellStore()))
      await startTestServer(t, { flags: { 'admin-token-file': path }, deps: { storage } })
    }
    await assert.rejects(start(), { code: 'disk_full' })
    assert.equal(existsSync(path), false)
    const given = newToken()
    writeFileSync(path, given, { mode: 0o600 })
    await assert.rejects(start(), { code: 'disk_full' })
    assert.equal(readToken(path), given)
  })

  test('is not made for a database that has been moved away', async (t) => {
    const path = await tokenPath(t)
    const storage = await openStorage({ engine: 'memory' })
    await storage.moveTo(new MemoryCellStore(), {
      to: 'there',
      url: '',
      follow: false,
      compare: false,
    })
    assert.ok(storage.movedTo !== undefined)
    await startTestServer(t, { flags: { 'admin-token-file': path }, deps: { storage } })
    assert.equal(existsSync(path), false)
  })
})
