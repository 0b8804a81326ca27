// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import type { Chooser } from '../../differential/random/random-table.ts'
import type { Answer } from '../../server/test-server.ts'
import { type TokenClient, TokenServer } from '../../server/token-server.ts'
import { JwtIssuer } from '../jwt-issuer.ts'
import { CLAIMS, type HeldClaims, literalOf } from './claims.ts'
import type { Everywhere, RuledTable } from './ruled-table.ts'
import { JSON_COLUMN, type JsonRow, type Statement } from './statements.ts'

export type Side = { readonly tokens: TokenServer; readonly admin: TokenClient }

/** One that asks, on a server. */
export type Principal = { readonly client: TokenClient; readonly claims: HeldClaims }

/** All rows on one server, and on the other those that the first principal sees. */
export class TwoServers {
  readonly full: Side
  readonly own: Side
  readonly everywhere: Everywhere = { rights: [] }
  /** The first principal on both, and the second one. */
  readonly a: Principal
  readonly alone: TokenClient
  readonly b: Principal

  private constructor(
    { full, own }: { readonly full: Side; readonly own: Side },
    { a, b, alone }: Pick<TwoServers, 'a' | 'b' | 'alone'>,
  ) {
    this.full = full
    this.own = own
    this.a = a
    this.b = b
    this.alone = alone
  }

  /** One of the two, at random, shows a JWT with more claims, and the other a token of the server. */
  static async start(t: TestContext, choose: Chooser): Promise<TwoServers> {
    let tokens: TokenServer | undefined
    const issuer = await JwtIssuer.create(t, () => (tokens?.clock.wallMicros() ?? 0) / 1_000)
    tokens = await TokenServer.startGuarded(t, issuer.flags)
    const full = { tokens, admin: tokens.as(tokens.token) }
    const alone = await TokenServer.start(t)
    const own = { tokens: alone, admin: alone.as(alone.token) }
    await run(full.admin, 'CREATE ROLE member FOR JWT')
    await run(own.admin, 'CREATE ROLE member')
    const isJwtFirst = choose.percent(50)
    const principal = async (name: keyof typeof CLAIMS, isJwt: boolean): Promise<Principal> => {
      const { sub, ...others } = CLAIMS[name]
      const token = isJwt
        ? await issuer.token(sub, 'member', others)
        : await full.tokens.made(`CREATE TOKEN ${sub} ROLE member EXPIRES IN 9 DAYS`)
      return { client: full.tokens.as(token), claims: isJwt ? CLAIMS[name] : { sub } }
    }
    return new TwoServers(
      { full, own },
      {
        a: await principal('a', isJwtFirst),
        b: await principal('b', !isJwtFirst),
        alone: alone.as(await alone.made('CREATE TOKEN a ROLE member EXPIRES IN 9 DAYS')),
      },
    )
  }

  /** Asks both as the first principal, and compares all that is not of a stamp. */
  async same(
    what: string,
    ask: (client: TokenClient) => Promise<Answer>,
    show: (answer: Answer) => string = shown,
  ): Promise<Answer> {
    const [one, other] = [await ask(this.a.client), await ask(this.alone)]
    assert.equal(show(one), show(other), what)
    return one
  }

  /** Rows of the full server that someone sees, which an administrator finds by the condition itself. */
  async visible(table: RuledTable, claims: HeldClaims, asOf?: number): Promise<readonly JsonRow[]> {
    const condition = table.conditionFor(claims)
    const where = condition === '' ? '' : ` WHERE ${condition}`
    const more = asOf === undefined ? {} : { asOf }
    return this.full.admin.rows(`SCAN * FROM ${table.name} USE PRIMARY KEY${where}`, more)
  }

  /** The rows of the full server that the first principal does not see; reads all of them anew. */
  async hidden(table: RuledTable): Promise<readonly string[]> {
    table.rows = await this.full.admin.rows(`SCAN * FROM ${table.name} USE PRIMARY KEY`)
    const seen = new Set(
      (await this.visible(table, this.a.claims)).map((row) => JSON.stringify(row)),
    )
    return table.rows.map((row) => JSON.stringify(row)).filter((row) => !seen.has(row))
  }

  /** Gives the other server the rows that are seen now. Returns how many rows that changed. */
  async align(table: RuledTable): Promise<number> {
    if (!table.isThere) return 0
    const rows = async (client: TokenClient) =>
      (await client.rows(`SCAN * FROM ${table.name} USE PRIMARY KEY`)) as readonly JsonRow[]
    const wanted = new Map(
      (await this.visible(table, this.a.claims)).map((row) => [text(row), row]),
    )
    const there = new Map((await rows(this.own.admin)).map((row) => [text(row), row]))
    const gone = [...there].filter(([key]) => !wanted.has(key)).map(([, row]) => row)
    const come = [...wanted].filter(([key]) => !there.has(key)).map(([, row]) => row)
    if (gone.length + come.length === 0) return 0
    const { columns, primaryKey } = table.table
    const deletes = gone.map((row) => {
      const key = primaryKey.map(
        ({ column }) => `${column.name} = ${literalOf(column.type, row[column.name])}`,
      )
      return `DELETE FROM ${table.name} WHERE ${key.join(' AND ')}`
    })
    const held = [...columns, { name: JSON_COLUMN, type: 'JSON' } as const]
    const names = held.map(({ name }) => name).join(', ')
    const inserts = come.map((row) => {
      const values = held.map(({ name, type }) => literalOf(type, row[name]))
      return `INSERT INTO ${table.name} (${names}) VALUES (${values.join(', ')})`
    })
    await run(this.own.admin, [...deletes, ...inserts].join('; '))
    return gone.length + come.length
  }
}

/** Has to succeed. */
export async function run(client: TokenClient, sql: string): Promise<Answer> {
  const answer = await client.query(sql)
  assert.equal(answer.status, 200, `${sql}: ${answer.text}`)
  return answer
}

/** The body of a query. */
export function bodyOf({ sql, params }: Statement): Statement {
  return params === undefined || Object.keys(params).length === 0 ? { sql } : { sql, params }
}

const text = (row: JsonRow) => JSON.stringify(row)

/** An answer without what differs between any two servers. */
export function shown({ status, text, body }: Answer): string {
  if (body === undefined) return `${status} ${text.replaceAll(STAMPS, '')}`
  return `${status} ${shownBody(body)}`
}

/** The same of a body, or of a frame. */
export function shownBody(body: Readonly<Record<string, unknown>>): string {
  const { readTimestamp: _, commitTimestamp: __, cursor: ___, attempts: ____, ...rest } = body
  const { id: _____, transaction: ______, expiresAt: _______, ...without } = rest
  return JSON.stringify(without).replaceAll(STAMPS, '')
}

/** Of a snapshot, and in the ETag of a row. */
const STAMPS = /"readTimestamp":\d+|\d{16}-/g
