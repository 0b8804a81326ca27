// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { describe, type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { KEYWORDS } from '../../console/query/dialect-words.ts'
import type { Statement } from '../../parser/ast.ts'
import { createParser } from '../../parser/parser.ts'
import { FUNCTION_NAMES } from '../../planner/planner.ts'
import { JwtIssuer } from '../access/jwt-issuer.ts'
import { type Sending, startTestServer, type TestServer } from '../server/test-server.ts'
import { testFolder } from '../test-folder.ts'

// docs/llms.txt lets a language model write right statements at the first try: each runs, and none is missing.

const ROOT = new URL('../../', import.meta.url)
const read = (path: string) => readFileSync(new URL(path, ROOT), 'utf8')

const PAGE = read('docs/llms.txt')
const LINES_MAX = 280
const CHARACTERS_MAX = 24_000

const BLOCKS = [...PAGE.matchAll(/^```sql\n([\s\S]*?)^```$/gm)].map(([, text = '']) => text)
const STATEMENTS = BLOCKS.join('\n')

/** Those that stand alone; what has a BEGIN, INTO or EXPLAIN SCRIPT is one request. */
const REQUESTS = BLOCKS.flatMap((block) =>
  /^BEGIN|INTO :|EXPLAIN SCRIPT/.test(block) ? [block] : block.split(/;\n/).filter(Boolean),
)

/** Each kind of statement, of which the compiler misses none. */
const KINDS = {
  ...{ begin: 1, commit: 1, rollback: 1, get: 1, scan: 1, set: 1, insert: 1, delete: 1 },
  ...{ check: 1, notify: 1, explain: 1, describe: 1 },
  ...{ createTable: 1, dropTable: 1, addColumn: 1, dropColumn: 1, addCheck: 1, dropConstraint: 1 },
  ...{ alterColumn: 1, setNotNull: 1, restartIdentity: 1, renameColumn: 1, renameTable: 1 },
  ...{ createIndex: 1, dropIndex: 1, createObserver: 1, dropObserver: 1, pauseObserver: 1 },
  ...{ resumeObserver: 1, replayObserver: 1, createSchedule: 1, pauseSchedule: 1 },
  ...{ resumeSchedule: 1, dropSchedule: 1, createToken: 1, alterToken: 1, rotateToken: 1 },
  ...{ dropToken: 1, rotateSecret: 1, alterStore: 1, createRole: 1, alterRole: 1, dropRole: 1 },
  ...{ grant: 1, revoke: 1, createBlock: 1, dropBlock: 1, createRelay: 1, pauseRelay: 1 },
  ...{ resumeRelay: 1, rotateRelay: 1, dropRelay: 1, showTables: 1, showIndexes: 1 },
  ...{ showCreateTable: 1, showObservers: 1, showSchedules: 1, showTokens: 1, showRoles: 1 },
  ...{ showBlocks: 1, showRelays: 1, showGrants: 1 },
} satisfies Record<Statement['kind'], 1>

/** Words in capitals, outside of texts. */
function wordsOf(text: string): ReadonlySet<string> {
  return new Set(text.replaceAll(/'[^']*'/g, ' ').match(/\b[A-Z]{2,}\b/g) ?? [])
}

/** Mistakes of typing, which no page lists. */
const SLIPS = new Set(['CUSTOMER', 'FORM'])

const PAGE_WORDS = wordsOf(PAGE.replaceAll("'", ' '))
const DIALECT = new Set(KEYWORDS.toUpperCase().split(' '))

/** What the list of usual SQL has, by its headings: the statement, and the one that is suggested. */
const HABITS = read('test/server/habits-of-sql.txt')
const SUGGESTIONS = [...HABITS.matchAll(/^ {2}> (.+)$/gm)].map(([, text = '']) => text)
const UNKNOWN = [...HABITS.matchAll(/^(.+)\n {2}! /gm)].map(([, text = '']) => text)
const FORTY = [...read('docs/forty-statements.md').matchAll(/```sql\n([\s\S]*?)```/g)].map(
  ([, text = '']) => text,
)

const VALUES: Readonly<Record<string, unknown>> = {
  last: 'a',
  customer: 'ann',
  customers: ['ann', 'bob'],
  placed: '2026-03-02T00:00:00Z',
  id: 'ann',
}

class Reader {
  readonly #server: TestServer
  readonly #token: string
  #moment = 0

  private constructor(server: TestServer, token: string) {
    this.#server = server
    this.#token = token
  }

  /** Of a server that has all that statements need: an issuer of JWTs, and relays that may be sent. */
  static async start(t: TestContext): Promise<Reader> {
    const data = { engine: 'sqlite', data: await testFolder(t, 'llms') }
    const before = await startTestServer(t, { flags: data })
    const [{ token }] = await before.rows('CREATE TOKEN first ROLE admin EXPIRES IN 1 DAY')
    await before.server.close()
    const { flags } = await JwtIssuer.create(t)
    const relays = { 'relay-to': 'https://hooks.example' }
    return new Reader(await startTestServer(t, { flags: { ...data, ...flags, ...relays } }), token)
  }

  /** Runs it, which has to succeed. */
  async run(sql: string): Promise<void> {
    const given = new Set([...sql.matchAll(/INTO :(\w+)/g)].map(([, name]) => name))
    const names = [...sql.matchAll(/(?<!:):([a-z]+)/g)].map(([, name = '']) => name)
    const values: Readonly<Record<string, unknown>> = { ...VALUES, moment: this.#moment }
    const params = Object.fromEntries(
      names.filter((name) => !given.has(name)).map((name) => [name, values[name]]),
    )
    const json = { sql, ...(Object.keys(params).length > 0 && { params }) }
    const { status, body, text } = await this.#send({
      method: 'POST',
      path: '/v1/query',
      json,
    })
    assert.equal(status, 200, `${sql}\n${text}`)
    this.#moment = body.readTimestamp
    if (/^CREATE (UNIQUE )?INDEX|\bUNIQUE\b/.test(sql)) await this.#indexesBuilt()
  }

  /** No plan counts on one that is being built. */
  async #indexesBuilt(): Promise<void> {
    for (;;) {
      const { text } = await this.#send({ path: '/v1/tables' })
      if (!text.includes('"state":"building"')) return
      await setTimeout(20)
    }
  }

  #send(sending: Sending) {
    return this.#server.send({ ...sending, headers: { authorization: `Bearer ${this.#token}` } })
  }
}

describe('docs/llms.txt', () => {
  test('is a page', () => {
    const lines = PAGE.split('\n')
    assert.ok(lines.length <= LINES_MAX, `${lines.length} lines`)
    assert.ok(PAGE.length <= CHARACTERS_MAX, `${PAGE.length} characters`)
    assert.match(lines[0] ?? '', /^# Percolite$/)
  })

  test('is what a server gives to whoever asks', async (t) => {
    const { status, headers, text } = await (await startTestServer(t)).get('/llms.txt')
    assert.deepEqual([status, headers['content-type']], [200, 'text/plain; charset=utf-8'])
    assert.equal(text, PAGE)
  })

  test('has statements that run, one after the other', async (t) => {
    const reader = await Reader.start(t)
    assert.ok(REQUESTS.length > 100)
    for (const sql of REQUESTS) await reader.run(sql)
  })

  test('has a statement of each kind', () => {
    const parser = createParser()
    const known = new Set(
      REQUESTS.flatMap((sql) => parser.parseScript(sql).map(({ kind }) => kind)),
    )
    const missing = Object.keys(KINDS).filter((kind) => !known.has(kind as Statement['kind']))
    assert.deepEqual(missing, [])
  })

  test('has the words of the forty statements, and of what is suggested for usual SQL', () => {
    const used = wordsOf([...FORTY, ...SUGGESTIONS].join('\n'))
    const own = wordsOf(STATEMENTS)
    const missing = [...used].filter((word) => DIALECT.has(word) && !own.has(word))
    assert.ok(SUGGESTIONS.length > 250)
    assert.deepEqual(missing, [])
  })

  test('names every function', () => {
    const missing = FUNCTION_NAMES.filter((name) => !new RegExp(`\\b${name}\\b`).test(PAGE))
    assert.deepEqual(missing, [])
  })

  test('has a heading for each part of the list of usual SQL', () => {
    const parts = [...HABITS.matchAll(/^-- (.+)$/gm)].map(([, name]) => name)
    const headings = [...PAGE.matchAll(/^### (.+)$/gm)].map(([, name]) => name)
    assert.deepEqual(headings, parts)
  })

  test('names what usual SQL has and the dialect has not', () => {
    const foreign = UNKNOWN.map((sql) => ({
      sql,
      words: [...wordsOf(sql)].filter((word) => !DIALECT.has(word) && !SLIPS.has(word)),
    })).filter(({ words }) => words.length > 0)
    const missing = foreign
      .filter(({ words }) => !PAGE_WORDS.has(words[0] ?? ''))
      .map(({ sql }) => sql)
    assert.ok(foreign.length > 100)
    assert.deepEqual(missing, [])
  })
})
