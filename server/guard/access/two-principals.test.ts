// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { GRANTS, RandomStatements, TABLES } from '../../../test/access/random-statements.ts'
import { SeededRandomness } from '../../../test/seeded-randomness.ts'
import { openSocket, type SocketClient } from '../../../test/server/socket-client.ts'
import { type Answer, startTestServer, type TestServer } from '../../../test/server/test-server.ts'
import { type TokenClient, TokenServer } from '../../../test/server/token-server.ts'

// A server with the rows of two principals, and one that holds only those of the first: what the first is
// answered is the same on both, whatever it asks and by whichever door.

const STEPS = Number(process.env.TWO_PRINCIPALS_STEPS ?? 100)
const SEEDS = (process.env.TWO_PRINCIPALS_SEEDS ?? '1').split(',').map(Number)

type Asking = { query(sql: string, more?: object): Promise<Answer> } & Pick<TestServer, 'send'>

/** What rules by row leave open: that a key or a value of a unique index is taken, or that a row is not theirs. */
const LEFT_OPEN = new Set(['already_exists', 'rule_violated', 'unique_violation'])

class TwoServers {
  readonly full: TokenClient
  readonly own: TestServer
  readonly bob: TokenClient
  readonly statements: RandomStatements

  constructor(full: TokenClient, own: TestServer, bob: TokenClient, random: SeededRandomness) {
    this.full = full
    this.own = own
    this.bob = bob
    this.statements = new RandomStatements(random)
  }

  /** The same of both, but for stamps and what they sign. */
  async same(what: string, ask: (server: Asking) => Promise<Answer>): Promise<Answer> {
    const [one, other] = [await ask(this.full), await ask(this.own)]
    assert.equal(`${one.status} ${shown(one)}`, `${other.status} ${shown(other)}`, what)
    return one
  }

  async read(): Promise<void> {
    const { statements } = this
    const table = statements.table()
    const sql = statements.reading(table)
    await this.same(sql, (server) => server.query(sql))
    const post = (accept: string) => (server: Asking) =>
      server.send({ method: 'POST', path: '/v1/query', json: { sql }, headers: { accept } })
    if (statements.chance(3)) await this.same(`csv ${sql}`, post('text/csv'))
    if (statements.chance(3)) await this.same(`ndjson ${sql}`, post('application/x-ndjson'))
    if (statements.chance(3)) {
      const where = encodeURIComponent(statements.where().replace('WHERE ', ''))
      const path = `/v1/tables/${table}/rows?where=${where}&index=${table}A`
      await this.same(path, (server) => server.send({ path }))
    }
    if (statements.chance(3)) {
      const key = table === 'keyed' ? `${statements.owner()},1` : '1'
      const path = `/v1/tables/${table}/rows/${key}`
      await this.same(path, (server) => server.send({ path }))
    }
    if (statements.chance(4)) await this.pages(table)
  }

  async pages(table: string): Promise<void> {
    const sql = `SCAN * FROM ${table} ${this.statements.where()}`
    const all = async (server: Asking) => {
      const rows: unknown[] = []
      let cursor: string | undefined
      do {
        const { body } = await server.query(sql, { pageSize: 1, ...(cursor && { cursor }) })
        if (body.results === undefined) return body.code
        rows.push(...body.results[0].rows)
        cursor = body.cursor
      } while (cursor !== undefined)
      return rows
    }
    assert.deepEqual(await all(this.full), await all(this.own), `pages of ${sql}`)
  }

  /** The first writes on both; what is refused for what it may not know is not done on its own server either. */
  async write(): Promise<void> {
    const table = this.statements.table()
    const sql = this.statements.writing(table, 'ann')
    const answer = await this.full.query(sql)
    const { code } = answer.body ?? {}
    if (code === 'rule_violated' || (table === 'filtered' && LEFT_OPEN.has(code))) return
    const skipped = table === 'filtered' && sql.includes('DO NOTHING')
    const other = await this.own.query(sql)
    if (skipped) {
      const count = (one: Answer) => one.body.results?.[0]?.rowsAffected
      if (count(answer) !== count(other)) await this.align()
      return
    }
    assert.equal(`${answer.status} ${shown(answer)}`, `${other.status} ${shown(other)}`, sql)
  }

  /** A key was taken by a row that is hidden: the own server has it only here. */
  async align(): Promise<void> {
    const rows = async (server: Asking) =>
      (await server.query('SCAN id FROM filtered USE PRIMARY KEY')).body.results[0].rows
    const seen = new Set((await rows(this.full)).map(({ id }: { id: number }) => id))
    for (const { id } of await rows(this.own)) {
      if (!seen.has(id)) await this.own.query(`DELETE FROM filtered WHERE id = ${id}`)
    }
  }

  /** Several statements in a transaction of several requests, read and written, and another's writes in between. */
  async transaction(): Promise<void> {
    const opened = await Promise.all(
      [this.full, this.own].map((server) =>
        server.send({ method: 'POST', path: '/v1/transactions', json: {} }),
      ),
    )
    const [one, other] = opened.map(({ body }) => body.transaction)
    for (let n = 0; n < 3; n += 1) {
      const sql = this.statements.reading(this.statements.table())
      const answers = [
        await this.full.query(sql, { transaction: one }),
        await this.own.query(sql, { transaction: other }),
      ] as const
      assert.equal(shown(answers[0]), shown(answers[1]), `in a transaction: ${sql}`)
      await this.bob.query(this.statements.writing(this.statements.table(), 'bob'))
    }
    for (const [server, id] of [
      [this.full, one],
      [this.own, other],
    ] as const) {
      const path = `/v1/transactions/${id}/commit`
      assert.equal((await server.send({ method: 'POST', path })).status, 200)
    }
  }
}

/** An answer without what differs between any two servers. */
function shown({ text, body }: Answer): string {
  if (body === undefined) return text.replace(/"readTimestamp":\d+/, '')
  const { readTimestamp: _, commitTimestamp: __, cursor: ___, attempts: ____, ...rest } = body
  return JSON.stringify(rest)
}

/** What a subscriber has been told of rows, in their order. */
function changesOf(socket: SocketClient, id: string): string[] {
  return socket.unread
    .filter((frame) => frame.id === id && frame.type === 'change')
    .flatMap(({ changes }) =>
      changes.map(({ op, key, row }: { op: string; key: unknown; row?: unknown }) =>
        JSON.stringify([op, key, row]),
      ),
    )
}

for (const seed of SEEDS) {
  test(`two principals, ${STEPS} steps, seed ${seed}: each is alone in what it sees`, async (t) => {
    const random = new SeededRandomness(seed)
    const tokens = await TokenServer.start(t)
    const own = await startTestServer(t)
    for (const sql of TABLES) {
      await tokens.query(sql)
      await own.query(sql)
    }
    for (const sql of GRANTS) await tokens.query(sql)
    for (const table of ['keyed', 'filtered']) {
      await own.indexesBuilt(table)
      await tokens.as(tokens.token).query(`SCAN COUNT(*) FROM ${table}`)
    }
    const client = async (name: string) =>
      tokens.as(await tokens.made(`CREATE TOKEN ${name} ROLE member EXPIRES IN 9 DAYS`))
    const servers = new TwoServers(await client('ann'), own, await client('bob'), random)
    const { statements, full } = servers

    const sockets = [
      await openSocket(t, (await tokens.server.listen()).port, { headers: full.headers }),
      await openSocket(t, (await own.listen()).port),
    ]
    // By key: of rows that cross the edge of a rule by row, a subscriber is told in other words.
    const subscribed = 'SCAN id, t FROM keyed WHERE a > 2'
    for (const socket of sockets) await socket.subscribe('s', subscribed)

    for (let step = 0; step < STEPS; step += 1) {
      await servers.bob.query(statements.writing(statements.table(), 'bob'))
      await servers.write()
      await servers.read()
      if (statements.chance(10)) await servers.transaction()
    }
    const last = "INSERT INTO keyed (owner, id, a, t) VALUES ('ann', 999, 3, 'the end')"
    await servers.same(last, (server) => server.query(last))
    for (const socket of sockets) {
      const isLast = () => changesOf(socket, 's').at(-1)?.includes('the end')
      while (!isLast()) await new Promise((resolve) => setTimeout(resolve, 5))
    }
    const [told, toldAlone] = sockets.map((socket) => changesOf(socket, 's'))
    assert.deepEqual(told, toldAlone)
    t.diagnostic(`${told?.length} changes told`)
  })
}
