// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { SeededRandomness } from '../seeded-randomness.ts'
import { ServerProcess } from '../server/server-process.ts'
import { openSocket, type SocketClient } from '../server/socket-client.ts'
import { testFolder } from '../test-folder.ts'

/**
 * `kill -9` while rights and tokens are given and taken away. What was answered holds after the restart;
 * what was not has happened whole or not at all, whichever way it is asked for.
 */
const CYCLES = Number(process.env.KILL_CYCLES ?? 3)
const SEED = Number(process.env.KILL_SEED ?? Date.now() % 1_000_000)
/** The server is killed so long after a statement was sent, at most: most are answered within that. */
const AFTER_SENT_MS_MAX = 6
/** Before the next statement, so that of some the answer has just come. */
const PAUSE_MS_MAX = 30

const SCAN = 'SCAN * FROM note USE PRIMARY KEY'

/** A right or a token that is given and taken away alternately. */
type Toggle = {
  readonly name: string
  /** Shown by whom it is about. */
  token: string
  readonly give: string
  readonly take: string
  /** What the last answer says; undefined while a statement has no answer. */
  isGiven: boolean | undefined
  /** Before the last statement. */
  wasGiven?: boolean
}

type Answered = { readonly status: number; readonly body: { readonly results?: never } }

async function query(url: string, token: string, sql: string, more: object = {}) {
  const answer = await fetch(`${url}/v1/query`, {
    method: 'POST',
    body: JSON.stringify({ sql, ...more }),
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
  })
  return { status: answer.status, body: (await answer.json()) as never } as Answered
}

async function must(url: string, token: string, sql: string) {
  const { status, body } = await query(url, token, sql)
  assert.equal(status, 200, `${sql}: ${JSON.stringify(body)}`)
  const { results } = body as { results: [{ rows: [{ token: string }?] }] }
  return results[0].rows[0]?.token ?? ''
}

type Killer = {
  readonly isKilled: () => boolean
  readonly sent: () => void
  readonly pauseMs: () => number
}

/** Gives and takes away until the server is killed; `sent` is told of each statement that takes away. */
async function toggleUntilKilled(
  url: string,
  admin: string,
  toggle: Toggle,
  { isKilled, sent, pauseMs }: Killer,
): Promise<void> {
  while (!isKilled()) {
    const wasGiven = toggle.isGiven === true
    toggle.isGiven = undefined
    toggle.wasGiven = wasGiven
    const asked = query(url, admin, wasGiven ? toggle.take : toggle.give)
    if (wasGiven) sent()
    const answer = await asked.catch(() => undefined)
    if (answer === undefined) return
    if ((answer.body as { retryable?: boolean }).retryable === true) {
      toggle.isGiven = wasGiven
      continue
    }
    assert.equal(answer.status, 200, `${toggle.name}: ${JSON.stringify(answer.body)}`)
    toggle.isGiven = !wasGiven
    const { results } = answer.body as { results?: [{ rows: [{ token?: string }?] }] }
    toggle.token = results?.[0].rows[0]?.token ?? toggle.token
    await delay(pauseMs())
  }
}

/** Whether this holder is let in and may read and write, by each way that there is. */
async function ways(t: TestContext, url: string, { token }: Toggle, asOf: number) {
  const headers = { authorization: `Bearer ${token}` }
  const found: Record<string, boolean> = {
    statement: (await query(url, token, SCAN)).status === 200,
    past: (await query(url, token, SCAN, { asOf })).status === 200,
    write: (await query(url, token, "SET text = 'b' ON note WHERE id = 1")).status === 200,
    row: (await fetch(`${url}/v1/tables/note/rows/1`, { headers })).status === 200,
  }
  const socket = await opened(t, url, token)
  found.socket = socket !== undefined && (await socket.query(SCAN)).type === 'result'
  found.subscription = (await socket?.subscribe('s', SCAN))?.type === 'subscribed'
  socket?.socket.close()
  return found
}

/** Undefined where the token is none. */
async function opened(t: TestContext, url: string, token: string) {
  const headers = { authorization: `Bearer ${token}` }
  const { port } = new URL(url)
  const status = await new Promise<number>((resolve) => {
    const socket = new WebSocket(`ws://127.0.0.1:${port}/v1/socket`, { headers })
    socket.on('open', () => {
      socket.close()
      resolve(101)
    })
    socket.on('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode))
    socket.on('error', () => resolve(0))
  })
  if (status !== 101) return undefined
  return (await openSocket(t, Number(port), { headers })) as SocketClient
}

async function prepare(url: string, admin: string): Promise<Toggle[]> {
  for (const sql of [
    'CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)',
    "INSERT INTO note (id, text) VALUES (1, 'a')",
    ...['one', 'all', 'steady'].map((role) => `CREATE ROLE ${role}`),
    'GRANT READ, WRITE ON note TO steady',
  ]) {
    await must(url, admin, sql)
  }
  const tokenOf = async (role: string) =>
    await must(url, admin, `CREATE TOKEN ${role} ROLE ${role} EXPIRES IN 9 DAYS`)
  return [
    {
      name: 'of a table',
      token: await tokenOf('one'),
      give: 'GRANT READ, WRITE ON note TO one',
      take: 'REVOKE ALL ON note FROM one',
      isGiven: false,
    },
    {
      name: 'of all tables',
      token: await tokenOf('all'),
      give: 'GRANT READ, WRITE ON ALL TABLES TO all',
      take: 'REVOKE ALL ON ALL TABLES FROM all',
      isGiven: false,
    },
    {
      name: 'a token',
      token: await tokenOf('steady'),
      give: 'CREATE TOKEN steady ROLE steady EXPIRES IN 9 DAYS',
      take: 'DROP TOKEN steady',
      isGiven: true,
    },
  ]
}

async function killOverAndOver(t: TestContext, commit: string): Promise<void> {
  const random = new SeededRandomness(SEED)
  const folder = await testFolder(t, 'kill-revoke')
  const file = join(folder, 'token')
  const start = () =>
    ServerProcess.start(join(folder, 'data'), ['--commit', commit, '--admin-token-file', file])
  let server = await start()
  t.after(() => server.killNine())
  const admin = readFileSync(file, 'utf8').trim()
  const toggles = await prepare(server.url, admin)
  const asOf = ((await query(server.url, admin, SCAN)).body as { readTimestamp: number })
    .readTimestamp
  const totals = { answered: 0, inDoubt: 0, done: 0 }

  for (let cycle = 1; cycle <= CYCLES; cycle += 1) {
    const due = performance.now() + 100 + random.below(300)
    const dying = Promise.withResolvers<void>()
    let [isDying, isKilled] = [false, false]
    const pauseMs = () => random.below(PAUSE_MS_MAX)
    const sent = () => {
      if (isDying || performance.now() < due) return
      isDying = true
      setTimeout(() => {
        isKilled = true
        server.killNine().then(dying.resolve)
      }, random.below(AFTER_SENT_MS_MAX))
    }
    await Promise.all([
      ...toggles.map((toggle) =>
        toggleUntilKilled(server.url, admin, toggle, { isKilled: () => isKilled, sent, pauseMs }),
      ),
      dying.promise,
    ])
    server = await start()
    for (const toggle of toggles) {
      const found = await ways(t, server.url, toggle, asOf)
      const [first, ...others] = Object.values(found) as [boolean, ...boolean[]]
      const said = `${toggle.name}: ${JSON.stringify(found)}`
      assert.ok(
        others.every((each) => each === first),
        `whole or not at all, ${said}`,
      )
      if (toggle.isGiven === undefined) {
        totals.inDoubt += 1
        const isThere = await isNamed(server.url, admin, toggle)
        if (isThere !== toggle.wasGiven) totals.done += 1
        // The text of a token that was being made is not known to anybody.
        const isUnknown = toggle.name === 'a token' && !toggle.wasGiven
        if (isUnknown && isThere) await must(server.url, admin, toggle.take)
        else assert.equal(first, isThere, `as the administrator is told, ${said}`)
        toggle.isGiven = first
      } else {
        totals.answered += 1
        assert.equal(first, toggle.isGiven, `what was answered holds, ${said}`)
      }
    }
    const check = await fetch(`${server.url}/v1/check`, {
      headers: { authorization: `Bearer ${admin}` },
    })
    assert.deepEqual(((await check.json()) as { problems: unknown[] }).problems, [])
  }
  assert.equal(await server.stop(), 0)
  t.diagnostic(`${CYCLES} kills: ${JSON.stringify(totals)}`)
}

/** As the administrator is told of it. */
async function isNamed(url: string, admin: string, { name }: Toggle): Promise<boolean> {
  const { body } = await query(url, admin, name === 'a token' ? 'SHOW TOKENS' : 'SHOW GRANTS')
  const text = JSON.stringify(body)
  if (name === 'a token') return text.includes('"name":"steady"')
  return text.includes(name === 'of a table' ? '"role":"one"' : '"role":"all"')
}

for (const commit of ['one-phase', 'two-phase']) {
  test(`kill -9 around REVOKE and DROP TOKEN: what was answered holds, all else is whole, --commit ${commit} (KILL_SEED=${SEED})`, (t) =>
    killOverAndOver(t, commit))
}
