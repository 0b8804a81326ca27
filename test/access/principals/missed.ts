// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { condition } from '../../differential/random/two-texts.ts'
import type { TokenClient } from '../../server/token-server.ts'
import type { RuledTable } from './ruled-table.ts'
import type { About, JsonRow } from './statements.ts'
import { type Side, shownBody, type TwoServers } from './two-servers.ts'
import { writeAsFirst, writeAsSecond } from './writing.ts'

/** How long changes may take to arrive; they take some milliseconds. */
const ARRIVES_MS_MAX = 5_000

/**
 * What has changed since a stamp, as lines over HTTP: with it, the rows of then become those of now, and none of the
 * lines has a row that is hidden.
 */
export async function compareMissed(
  servers: TwoServers,
  table: RuledTable,
  about: About,
): Promise<void> {
  const { ours, parameters } = condition(about.choose, table.table.terms)
  const sql = `SCAN * FROM ${table.name} USE PRIMARY KEY WHERE ${ours}`
  const params = parameters ?? {}
  const scanned = async (): Promise<readonly JsonRow[] | undefined> =>
    (await servers.alone.query(sql, { params })).body.results?.[0].rows
  const search = (more: Readonly<Record<string, string>> = {}) =>
    `/v1/changes?${new URLSearchParams({ sql, params: JSON.stringify(params), ...more })}`
  const full = { side: servers.full, client: servers.a.client }
  const own = { side: servers.own, client: servers.alone }
  const [since, sinceOfOwn] = [await positionOf(full, search()), await positionOf(own, search())]
  const before = await scanned()
  await writeAsSecond(servers, table, { ...about, claims: servers.b.claims })
  await writeAsFirst(servers, table, about)
  const [now, hidden] = [await scanned(), await servers.hidden(table)]
  const sides = [
    { ...full, path: search(since) },
    { ...own, path: search(sinceOfOwn) },
  ]
  if (before === undefined || now === undefined) {
    const [one, other] = [await refused(sides[0] as Request), await refused(sides[1] as Request)]
    assert.equal(one, other, sql)
    return
  }
  const keyOf = (row: JsonRow) =>
    JSON.stringify(table.table.primaryKey.map(({ column }) => row[column.name]))
  const rowsByKey = (rows: readonly JsonRow[]) =>
    new Map(rows.map((row) => [keyOf(row), JSON.stringify(row)]))
  for (const each of sides) {
    const label = `${each.path}, hidden: ${hidden}`
    await follow(each, rowsByKey(before), { wanted: rowsByKey(now), label })
  }
}

type Request = { readonly side: Side; readonly client: TokenClient; readonly path: string }

/** A stamp of now, with the view that it is of where a rule hides rows. */
async function positionOf(
  of: Omit<Request, 'path'>,
  path: string,
): Promise<Record<string, string>> {
  const stamp = (await of.side.admin.query('SHOW TABLES')).body.readTimestamp
  const answer = await opened({ ...of, path })
  const reader = (answer.body as ReadableStream<Uint8Array>).getReader()
  const { value } = await reader.read()
  await reader.cancel()
  const [line = ''] = new TextDecoder().decode(value).split('\n')
  const { view } = JSON.parse(line) as { view?: string }
  return { since: String(stamp), ...(view !== undefined && { view }) }
}

async function opened({ side, client, path }: Request): Promise<Response> {
  const { url } = await side.tokens.server.listen()
  const signal = AbortSignal.timeout(ARRIVES_MS_MAX)
  return await fetch(`${url}${path}`, { headers: client.headers, signal })
}

async function refused(asked: Request): Promise<string> {
  const answer = await opened(asked)
  assert.notEqual(answer.status, 200, asked.path)
  return shownBody((await answer.json()) as Record<string, unknown>)
}

/** Applies the lines to the rows until they are those that are wanted. */
async function follow(
  asked: Request,
  rows: Map<string, string>,
  { wanted, label }: { readonly wanted: ReadonlyMap<string, string>; readonly label: string },
): Promise<void> {
  const answer = await opened(asked)
  assert.equal(answer.status, 200, label)
  const isThere = () => text(rows) === text(wanted)
  const decoder = new TextDecoder()
  let left = ''
  try {
    for await (const chunk of answer.body as ReadableStream<Uint8Array>) {
      const lines = (left + decoder.decode(chunk, { stream: true })).split('\n')
      left = lines.pop() ?? ''
      for (const line of lines) apply(JSON.parse(line), rows, label)
      if (isThere()) return
    }
  } catch (error) {
    if ((error as Error).name !== 'TimeoutError') throw error
  }
  assert.equal(text(rows), text(wanted), label)
}

function apply(
  line: { type: string; changes?: ReadonlyArray<{ key: unknown; row?: unknown }> },
  rows: Map<string, string>,
  label: string,
): void {
  assert.ok(['subscribed', 'change', 'progress'].includes(line.type), `${line.type}: ${label}`)
  for (const { key, row } of line.changes ?? []) {
    if (row !== undefined) rows.set(JSON.stringify(key), JSON.stringify(row))
    else
      assert.ok(rows.delete(JSON.stringify(key)), `${JSON.stringify(key)} was not told: ${label}`)
  }
}

function text(rows: ReadonlyMap<string, string>): string {
  return [...rows]
    .map(([key, row]) => `${key} ${row}`)
    .sort()
    .join('\n')
}
