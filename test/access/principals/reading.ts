// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { SocketClient } from '../../server/socket-client.ts'
import type { Answer } from '../../server/test-server.ts'
import type { TokenClient } from '../../server/token-server.ts'
import { pathPart } from './claims.ts'
import { anyReading, randomLookup } from './lookups.ts'
import type { RuledTable } from './ruled-table.ts'
import { type About, keyOf, keyText, randomWhere, type Statement } from './statements.ts'
import { hideAnother } from './touch-hidden.ts'
import { bodyOf, shown, shownBody, type TwoServers } from './two-servers.ts'

/** A way to the rows of a table: the same question on both servers, and answers that are compared. */
export type Door = (asked: {
  readonly servers: TwoServers
  readonly table: RuledTable
  readonly about: About
  readonly sockets: readonly [one: SocketClient, alone: SocketClient, second: SocketClient]
}) => Promise<void>

const post =
  (json: object, accept = 'application/json') =>
  (client: TokenClient): Promise<Answer> =>
    client.send({ method: 'POST', path: '/v1/query', json, headers: { accept } })

const query: Door = async ({ servers, about }) => {
  const statement = anyReading(about)
  requireRead(about, statement, await servers.same(told(statement), post(bodyOf(statement))))
}

const lookups: Door = async ({ servers, about }) => {
  const statement = randomLookup(about)
  requireRead(about, statement, await servers.same(told(statement), post(bodyOf(statement))))
}

/** Both servers would answer the same without READ too. */
function requireRead({ mayRead, other }: About, statement: Statement, { status }: Answer): void {
  const isOther = statement.sql.includes(` LOOKUP ${other.table.name} `)
  const may = mayRead && (!isOther || other.mayRead)
  if (!may) assert.notEqual(status, 200, `told without READ: ${told(statement)}`)
}

/** What a row has decides what is read then; one that is hidden is none. */
const into: Door = async ({ servers, about }) => {
  const { choose, table } = about
  const { name } = choose.oneOf(table.columns)
  const found = choose.oneOf([
    `GET ${name} FROM ${table.name} WHERE ${keyText(about)} INTO :found`,
    `SCAN COUNT(*) AS n FROM ${table.name} USE PRIMARY KEY INTO :found`,
    `SCAN ${name} FROM ${table.name} USE PRIMARY KEY LIMIT 1 INTO :found`,
  ])
  const compared = found.startsWith('SCAN COUNT') ? 'COUNT(*) AS n, :found + 0 AS m' : '*'
  const where = compared === '*' ? ` WHERE ${name} = :found` : ''
  const sql = `${found}; SCAN ${compared} FROM ${table.name} USE PRIMARY KEY${where}`
  await servers.same(sql, post({ sql }))
}

const streams: Door = async ({ servers, about }) => {
  const statement = anyReading(about)
  const accept = about.choose.oneOf(['text/csv', 'application/x-ndjson'])
  await servers.same(`${accept} ${told(statement)}`, post(bodyOf(statement), accept))
}

const pages: Door = async ({ servers, about }) => {
  const { sql, params } = randomWhere(about)
  const scan = bodyOf({
    sql: `SCAN * FROM ${about.table.name} USE PRIMARY KEY WHERE ${sql}`,
    ...(params && { params }),
  })
  const all = async (client: TokenClient) => {
    const rows: unknown[] = []
    let cursor: string | undefined
    do {
      const more = { pageSize: 1, ...(cursor === undefined ? {} : { cursor }) }
      const { body } = await post({ ...scan, ...more })(client)
      if (body.results === undefined) return [...rows, body.code]
      rows.push(...body.results[0].rows)
      cursor = body.cursor
    } while (cursor !== undefined)
    return rows
  }
  const [one, other] = [await all(servers.a.client), await all(servers.alone)]
  assert.deepEqual(one, other, `pages of ${scan.sql}`)
}

const rowsPath: Door = async ({ servers, about, table }) => {
  const { choose } = about
  const { sql, params = {} } = randomWhere(about)
  const [index] = choose.some(table.table.indexes, 1)
  const search = new URLSearchParams({
    where: sql,
    index: index !== undefined && choose.percent(50) ? index.name : 'primary',
    ...(Object.keys(params).length > 0 && { params: JSON.stringify(params) }),
    ...(choose.percent(30) && { format: choose.oneOf(['csv', 'ndjson']) }),
  })
  const path = `/v1/tables/${table.name}/rows?${search}`
  await servers.same(path, (client) => client.send({ path }))
}

const oneRow: Door = async ({ servers, about, table }) => {
  const key = keyOf(about)
  const parts = table.table.primaryKey.map(({ column }, at) => pathPart(column.type, key[at]))
  const path = `/v1/tables/${table.name}/rows/${parts.join(',')}?described=true`
  await servers.same(path, (client) => client.send({ path }))
}

const definitions: Door = async ({ servers, table }) => {
  const { name } = table
  // The ids of tables are made with a secret of each store.
  const shownAs = (answer: Answer) =>
    shown(answer)
      .replaceAll(/"backfilled":\w+/g, '')
      .replaceAll(/"id":"[\w-]{16}",(?="columns":)/g, '')
  await servers.same('tables', (client) => client.send({ path: '/v1/tables' }), shownAs)
  await servers.same('observers', (client) => client.query('SHOW OBSERVERS'), shownAs)
  for (const sql of [
    'SHOW TABLES',
    'SHOW OBSERVERS',
    `DESCRIBE ${name}`,
    `SHOW INDEXES FROM ${name}`,
  ]) {
    await servers.same(sql, (client) => client.query(sql))
  }
  const path = `/v1/tables/${name}`
  await servers.same(path, (client) => client.send({ path }), shownAs)
}

/** The plan is that of a server without the other rows, but for the rule itself. */
const explained: Door = async ({ servers, about, table }) => {
  const { choose, other } = about
  const { sql, params } = choose.percent(other.isRuled ? 70 : 40)
    ? randomLookup(about)
    : anyReading(about)
  const analyze = choose.percent(80)
  const text = `EXPLAIN ${analyze ? 'ANALYZE ' : ''}${sql}`
  const body = bodyOf({ sql: text, ...(analyze && params && { params }) })
  const answer = await servers.same(told(body), post(body), shownPlan)
  const isOther = other.isRuled && sql.includes(`LOOKUP ${other.table.name} `)
  if (analyze && answer.status === 200 && (isOther || table.exactness !== 'all')) {
    const { rowsRead, lookups: ofLookups } = measuredOf(answer) as Record<string, unknown>
    assert.deepEqual([rowsRead, ofLookups], [undefined, undefined], `counts hidden rows: ${sql}`)
  }
  if (!analyze || table.exactness !== 'key' || answer.status !== 200) return
  // By key not even what was looked at depends on the rows that are hidden.
  await hideAnother(servers, table, about)
  const again = await post(body)(servers.a.client)
  assert.deepEqual(measuredOf(again), measuredOf(answer), told(body))
}

function measuredOf({ body }: Answer): unknown {
  const { milliseconds: _, ...measured } = body.results[0].rows[0].plan.measured
  return measured
}

type Ruled = { readonly rowRule?: unknown; readonly covering?: unknown }

function shownPlan({ status, body }: Answer): string {
  const [row] = body.results?.[0]?.rows ?? []
  if (row === undefined) return `${status} ${shownBody(body)}`
  const { bounds, filter, entryFilter, rowRule, covering, access, measured, ...plan } = row.plan
  plan.lookups = plan.lookups?.map(({ rowRule: _, covering: __, ...lookup }: Ruled) => lookup)
  // Columns that the rule fixes count where an end of the walk decides.
  if (plan.groups?.startsWith('all rows are one')) {
    plan.groups = ''
    plan.order = ''
  }
  return JSON.stringify([plan, measured?.rowsReturned, measured?.rowsAffected])
}

const socketQuery: Door = async ({ about, sockets }) => {
  const { sql, ...more } = bodyOf(anyReading(about))
  const [one, other] = [await sockets[0].query(sql, more), await sockets[1].query(sql, more)]
  assert.equal(shownBody(one), shownBody(other), `on a socket: ${sql}`)
}

/** A snapshot and its end, as lines over HTTP. */
const changes: Door = async ({ servers, about, table }) => {
  const { sql, params } = randomWhere(about)
  const search = new URLSearchParams({
    sql: `SCAN * FROM ${table.name} USE PRIMARY KEY WHERE ${sql}`,
    snapshot: 'true',
    ...(params && Object.keys(params).length > 0 && { params: JSON.stringify(params) }),
  })
  const path = `/v1/changes?${search}`
  const lines = await Promise.all([
    snapshotLines(servers.full.tokens, servers.a.client, path),
    snapshotLines(servers.own.tokens, servers.alone, path),
  ])
  assert.deepEqual(lines[0], lines[1], path)
}

async function snapshotLines(
  { server }: TwoServers['full']['tokens'],
  { headers }: TokenClient,
  path: string,
): Promise<unknown> {
  const { url } = await server.listen()
  const answer = await fetch(`${url}${path}`, { headers })
  if (answer.status !== 200) return shownBody((await answer.json()) as Record<string, unknown>)
  let text = ''
  const decoder = new TextDecoder()
  for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
    text += decoder.decode(chunk, { stream: true })
    if (/"type":"(snapshotEnd|error)".*\n/.test(text)) break
  }
  const lines = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  return lines.map(({ timestamp: _, history: __, shape: ___, view: ____, ...line }) => line)
}

/** Each with how often it is taken. */
export const READING_DOORS: ReadonlyArray<readonly [door: Door, share: number]> = [
  [query, 8],
  [lookups, 4],
  [into, 2],
  [streams, 2],
  [pages, 2],
  [rowsPath, 2],
  [oneRow, 2],
  [definitions, 1],
  [explained, 5],
  [socketQuery, 2],
  [changes, 1],
]

export function told({ sql, params }: Statement): string {
  return `${sql} ${JSON.stringify(params ?? {})}`
}
