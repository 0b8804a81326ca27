// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { Answer, Sending } from '../../server/test-server.ts'
import type { TokenClient } from '../../server/token-server.ts'
import { pathPart } from './claims.ts'
import type { RuledTable } from './ruled-table.ts'
import { conditionFor } from './rules.ts'
import {
  type About,
  isOfRange,
  keyOf,
  randomWriting,
  rowOf,
  type Statement,
  tellsOfRows,
} from './statements.ts'
import { bodyOf, shown, type TwoServers } from './two-servers.ts'

/** What rules by row leave open: that a key or a value of a unique index is taken, or that a row is not theirs. */
export const LEFT_OPEN: ReadonlySet<string> = new Set([
  'already_exists',
  'rule_violated',
  'unique_violation',
])

/** The first principal writes on both, and on each exactly what it may. */
export async function writeAsFirst(
  servers: TwoServers,
  table: RuledTable,
  about: About,
): Promise<void> {
  const write = about.choose.percent(75) ? statement(about) : rowRequest(about)
  const hiddenBefore = await servers.hidden(table)
  const answer = await servers.a.client.send(write)
  const label = `${JSON.stringify(write)}: ${answer.text}`
  await checkWritten(servers, table, { hiddenBefore, label })
  const { code } = answer.body ?? {}
  const sql = (write.json as { sql?: string } | undefined)?.sql ?? ''
  if (!table.may('READ') && tellsOfRows(sql)) {
    assert.notEqual(answer.status, 200, `told without READ: ${label}`)
  }
  if (!table.isOneRule(servers.a.claims)) {
    if (answer.status >= 400 && code !== 'not_permitted') {
      assert.equal(await servers.align(table), 0, `refused, and has written: ${label}`)
    } else await servers.align(table)
    return
  }
  if (!isRuledByKeyColumns(table) && JSON.stringify(write).includes('NOTIFY ')) {
    // Whether the rule hides the row would need a look at it, which NOTIFY does not take.
    assert.equal(code, 'not_permitted', label)
    return
  }
  if (code === 'rule_violated') {
    // A range has no hidden rows, so one that is seen has to leave it.
    if (table.exactness === 'key' || hiddenBefore.length === 0 || isOfRange(sql)) {
      await checkViolation(servers, table, { write, label })
    }
    assert.equal(await servers.align(table), 0, `refused, and has written: ${label}`)
    return
  }
  if (table.exactness === 'row' && LEFT_OPEN.has(code)) return
  const skips = JSON.stringify(write).includes('DO NOTHING')
  const other = await servers.alone.send(write)
  if (table.exactness === 'row' && skips) {
    await servers.align(table)
    return
  }
  assert.equal(shown(answer), shown(other), label)
  assert.equal(await servers.align(table), 0, `other rows afterwards: ${label}`)
}

/** Whether the key of a row is enough to know whether the rule shows it. */
function isRuledByKeyColumns({ exactness, grants, table }: RuledTable): boolean {
  const inKey = new Set(table.primaryKey.map(({ column }) => column.name))
  const named = grants.flatMap(({ rule }) => rule?.columns ?? [])
  return exactness === 'all' || named.every((name) => inKey.has(name))
}

/** No row that was hidden is another one; a row that comes out of sight has met the rule of WRITE. */
async function checkWritten(
  servers: TwoServers,
  table: RuledTable,
  { hiddenBefore, label }: { readonly hiddenBefore: readonly string[]; readonly label: string },
): Promise<void> {
  const hidden = await servers.hidden(table)
  if (table.isOneRule(servers.a.claims)) {
    assert.deepEqual(hidden, hiddenBefore, `a hidden row has changed: ${label}`)
    return
  }
  const rule = conditionFor(table.grants, 'WRITE', servers.a.claims)
  if (rule === '') return
  const scan = `SCAN * FROM ${table.name} USE PRIMARY KEY WHERE NOT (${rule ?? 'FALSE'})`
  const closed = (await servers.full.admin.rows(scan)).map((row) => JSON.stringify(row))
  const before = new Set(hiddenBefore)
  const come = hidden.filter((row) => !before.has(row) && closed.includes(row))
  assert.deepEqual(come, [], `written against the rule: ${label}`)
}

/** Where no hidden row is in the way, what is refused would have made a row that is not theirs. */
async function checkViolation(
  { alone, a }: TwoServers,
  { name, grants, table }: RuledTable,
  { write, label }: { readonly write: Sending; readonly label: string },
): Promise<void> {
  const { sql, params } = (write.json ?? {}) as Partial<Statement>
  if (sql === undefined || sql.includes('DO NOTHING')) return
  const opened = await alone.send({ method: 'POST', path: '/v1/transactions', json: {} })
  const { transaction } = opened.body
  const rule = conditionFor(grants, 'WRITE', a.claims)
  const scan = `SCAN COUNT(*) AS n FROM ${name} USE PRIMARY KEY WHERE NOT (${rule})`
  /** How many rows are outside afterwards; undefined where it tells nothing. */
  const deps = async (statement: Statement): Promise<number | undefined> => {
    const done = await alone.query(statement.sql, { ...bodyOf(statement), transaction })
    if (done.status !== 200 || done.body.results[0].rowsAffected === 0) return undefined
    return (await alone.query(scan, { transaction })).body.results[0].rows[0].n
  }
  let count = await deps({ sql, ...(params && { params }) })
  const [inserting, onConflict] = sql.split(' ON CONFLICT ')
  if (count === 0 && inserting !== undefined && onConflict !== undefined) {
    // A new row has to meet the rule even where it only changes the one that is there.
    const anyRow = `${table.primaryKey[0]?.column.name} IS NOT NULL`
    await alone.query(`DELETE FROM ${name} USE PRIMARY KEY WHERE ${anyRow}`, { transaction })
    count = await deps({ sql: inserting })
  }
  await alone.send({ method: 'DELETE', path: `/v1/transactions/${transaction}` })
  assert.notEqual(count, 0, `refused without need: ${label}`)
}

/** Somebody else writes, and the other server has what of that is seen. */
export async function writeAsSecond(
  servers: TwoServers,
  table: RuledTable,
  about: About,
): Promise<void> {
  await servers.b.client.query(randomWriting(about).sql)
  if (about.choose.percent(30)) await servers.full.admin.query(randomWriting(about).sql)
  await servers.align(table)
}

function statement(about: About): Sending {
  return { method: 'POST', path: '/v1/query', json: bodyOf(randomWriting(about)) }
}

function rowRequest(about: About): Sending {
  const { choose, table } = about
  const rows = `/v1/tables/${table.name}/rows`
  if (choose.percent(25)) return { method: 'POST', path: rows, json: rowOf(about) }
  const key = keyOf(about)
  const parts = table.primaryKey.map(({ column }, at) => pathPart(column.type, key[at]))
  const path = `${rows}/${parts.join(',')}`
  const headers = choose.oneOf([{}, {}, { 'if-match': '*' }, { 'if-none-match': '*' }])
  if (choose.percent(30)) {
    return { method: 'DELETE', path, ...('if-match' in headers && { headers }) }
  }
  const inKey = new Set(table.primaryKey.map(({ column }) => column.name))
  const json = Object.fromEntries(Object.entries(rowOf(about)).filter(([name]) => !inKey.has(name)))
  const isPatch = choose.percent(50)
  const others = isPatch && 'if-none-match' in headers ? {} : headers
  return {
    method: isPatch ? 'PATCH' : 'PUT',
    path,
    json,
    headers: others as Sending['headers'] & {},
  }
}

/** Sent twice with one key it is done once, and another has a key of that text for itself. */
export async function writeTwice(
  servers: TwoServers,
  table: RuledTable,
  { about, key }: { readonly about: About; readonly key: string },
): Promise<void> {
  const json = bodyOf(randomWriting(about))
  const send = (client: TokenClient): Promise<Answer> =>
    client.send({ method: 'POST', path: '/v1/query', json, headers: { 'idempotency-key': key } })
  const first = await send(servers.a.client)
  if (first.status === 200 && first.body.commitTimestamp !== undefined) {
    assert.equal((await send(servers.a.client)).text, first.text, `again: ${json.sql}`)
    const foreign = await send(servers.b.client)
    assert.equal(
      foreign.headers['idempotent-replayed'],
      undefined,
      `replayed to another: ${json.sql}`,
    )
  }
  await servers.align(table)
}
