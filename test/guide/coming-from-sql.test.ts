// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { ServerProcess } from '../server/server-process.ts'

// The tables of the page: what SQL has in the first column, and what is written instead in the second one.

const page = readFileSync(new URL('../../docs/coming-from-sql.md', import.meta.url), 'utf8')

/** The statements that make the tables of the page, and their rows. */
const SCHEMA = [...page.matchAll(/```sql\n([\s\S]*?)```/g)].slice(0, 2).map(([, text = '']) => text)

/** Values for the parameters of statements. */
const VALUES: Readonly<Record<string, unknown>> = {
  values: ['ann', 'bob'],
  last: 'o1',
  id: 'new',
  name: 'New',
}

/** What begins as a statement, without dots for what is left out. */
const STATEMENT =
  /^(?:GET|SCAN|SET|INSERT|DELETE|CREATE|ALTER|DROP|GRANT|DESCRIBE|EXPLAIN|BEGIN|COMMIT)\b(?!.*…)/

const BUILD_MS_MAX = 10_000

type Row = { readonly sql: string; readonly here: readonly string[] }

const ROWS: readonly Row[] = page.split('\n').flatMap((line) => {
  const [, first = '', second = ''] = line.split(/(?<!\\)\|/).map((cell) => cell.trim())
  const sql = /^`([^`]+)`$/.exec(first)?.[1]
  const written = [...second.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text)
  return sql === undefined ? [] : [{ sql, here: written.filter((text) => STATEMENT.test(text)) }]
})

type Answer = { readonly code?: string; readonly hint?: string; readonly suggestion?: string }

async function ask(server: ServerProcess, sql: string, params?: unknown): Promise<Answer> {
  const response = await fetch(`${server.url}/v1/query`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ sql, params }),
  })
  return (await response.json()) as Answer
}

/** A hint suggests what has a plan now, and no plan counts on an index that is being built. */
async function indexesBuilt({ url }: ServerProcess): Promise<void> {
  const deadline = Date.now() + BUILD_MS_MAX
  for (;;) {
    const tables = await (await fetch(`${url}/v1/tables`)).text()
    if (!tables.includes('"state":"building"')) return
    assert.ok(Date.now() < deadline, 'the indexes are built')
    await setTimeout(20)
  }
}

function paramsOf(sql: string): unknown {
  if (sql.includes('$1')) return ['ann']
  const given = new Set([...sql.matchAll(/INTO :(\w+)/g)].map(([, name]) => name))
  const names = [...sql.matchAll(/(?<!:):(\w+)/g)].map(([, name = '']) => name)
  const asked = names.filter((name) => !given.has(name))
  return asked.length === 0
    ? undefined
    : Object.fromEntries(asked.map((name) => [name, VALUES[name]]))
}

/** A transaction begins and ends in one request. */
function asRequest(sql: string): string {
  if (sql.startsWith('BEGIN')) return `${sql}; COMMIT`
  return sql === 'COMMIT' ? 'BEGIN; COMMIT' : sql
}

describe('docs/coming-from-sql.md has beside a statement of SQL', () => {
  let server: ServerProcess
  before(async () => {
    server = await ServerProcess.start(undefined, ['--engine', 'memory'])
    for (const sql of SCHEMA) assert.equal((await ask(server, sql)).code, undefined)
    await indexesBuilt(server)
  })
  after(() => server.stop())

  for (const { sql, here } of ROWS) {
    test(`what its hint suggests, and runs: ${sql}`, async () => {
      const { code, hint, suggestion } = await ask(server, sql)
      assert.equal(code, 'syntax_error')
      assert.ok(hint !== undefined, 'it has a hint')
      if (suggestion !== undefined) assert.equal(suggestion, here[0])
      for (const statement of here) {
        const answer = await ask(server, asRequest(statement), paramsOf(statement))
        assert.equal(answer.code, undefined, `${statement}: ${JSON.stringify(answer)}`)
      }
    })
  }

  test('and so for many', () => assert.ok(ROWS.length > 60, `${ROWS.length} rows`))
})
