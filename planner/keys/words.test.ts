// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { MemoryCellStore } from '../../storage/cells/memory/memory-cell-store.ts'
import { openGateway } from '../../storage/storage.ts'
import { decodeTable, encodeTable } from '../../storage/tables/bytes/table-codec.ts'
import { requireTable } from '../../storage/tables/tables.ts'
import { openedIndexes } from '../../test/index-session.ts'
import { SqlSession } from '../../test/sql-session.ts'
import type { Explanation } from '../plan/explain.ts'

const TABLE = 'CREATE TABLE page (id INTEGER PRIMARY KEY, at INTEGER, body TEXT, meta JSON)'
const ROWS = `INSERT INTO page (id, at, body, meta) VALUES
  (1, 30, 'Percolator, with OBSERVERS', '{"title":"One page"}'), (2, 20, 'observed; percolator observes', NULL),
  (3, 10, 'the ﬁrst Café in 東京 opens at 10.5', '{}'), (4, 5, NULL, NULL), (5, 1, '', '{"title":"Another page"}')`
const WORDS = 'CREATE INDEX words ON page (WORDS body, at DESC)'
const TITLES = "CREATE INDEX titles ON page (at, WORDS meta->>'title') STORING (meta)"

describe('an index of the words of a text', () => {
  const bounded: ReadonlyArray<readonly [string, string, bigint[]]> = [
    ['one word', "body MATCH 'Percolator!'", [1n, 2n]],
    ['two words', "body MATCH 'observers percolator'", [1n]],
    ['the beginning of one, each row once', "body MATCH 'OBSERV*'", [1n, 2n]],
    ['a word and a beginning', "body MATCH 'percolator observe*'", [1n, 2n]],
    ['the column behind it', "body MATCH 'obs* ' AND at > 20", [1n]],
    ['compatible forms and accents', "body MATCH 'first CAFE\u0301 ex*'", []],
    ['words that no blank divides', "body MATCH '東京 first cafe\u0301'", [3n]],
    ['a number', "body MATCH '10.5'", [3n]],
    ['two patterns', "body MATCH 'percolator' AND body MATCH 'observed'", [2n]],
    ['NULL, of which nothing is known', 'body MATCH NULL', []],
    ['a path behind a column', "at IN (1, 30) AND meta->>'title' MATCH 'page'", [5n, 1n]],
  ]
  for (const [what, where, ids] of bounded) {
    it(`is bounded by ${what}`, async (t) => {
      const { first, explain } = await openedIndexes(t, TABLE, WORDS, TITLES, ROWS)
      const text = `SCAN id FROM page WHERE ${where}`
      assert.match((await explain(text)).key, /^INDEX (words|titles) /)
      assert.deepEqual(await first(text), ids)
      const walked = await first(text.replace('WHERE', 'USE PRIMARY KEY WHERE'))
      assert.deepEqual(walked, ids.toSorted())
    })
  }
  const unbounded = [
    "body NOT MATCH 'the'",
    "body MATCH 'the' OR at = 1",
    'at > 4',
    'body MATCH body',
    "lower(body) MATCH 'the'",
  ]
  for (const where of unbounded) {
    it(`is not bounded by ${where}`, async (t) => {
      const { session } = await openedIndexes(t, TABLE, WORDS, ROWS)
      const work = session.run(`SCAN id FROM page WHERE ${where}`)
      await assert.rejects(work, { code: 'unbounded_scan' })
    })
  }
  it('gives the order behind the words, either way, and is suggested where it is missing', async (t) => {
    const { first, session } = await openedIndexes(t, TABLE, ROWS)
    const text = "SCAN id FROM page WHERE body MATCH 'percolator obs*' ORDER BY at DESC"
    const { fields } = await session.run(text).catch((error) => error)
    assert.equal(
      fields.suggestedIndex,
      'CREATE INDEX pageByBodyWordsAt ON page (WORDS body, at DESC)',
    )
    await session.run(fields.suggestedIndex)
    assert.deepEqual(await first(text), [1n, 2n])
    assert.deepEqual(await first(text.replace('DESC', 'ASC')), [2n, 1n])
  })
  it('is advised where a MATCH only filters, and not where there is one', async (t) => {
    const { session, explain } = await openedIndexes(t, TABLE, ROWS)
    const text = "SCAN id FROM page WHERE id > 1 AND body MATCH 'café'"
    const { filter, advice } = await explain(text)
    assert.deepEqual(filter, ["body MATCH 'café'"])
    assert.equal(
      advice,
      "CREATE INDEX pageByBodyWords ON page (WORDS body) bounds body MATCH 'café'",
    )
    await session.run(WORDS)
    assert.equal((await explain(text)).advice, undefined)
    const named = text.replace('FROM page', 'FROM page USE PRIMARY KEY')
    assert.equal((await explain(named)).advice, undefined)
  })
  it('is shown as it was made', async (t) => {
    const { session, first } = await openedIndexes(t, TABLE, WORDS, TITLES)
    assert.deepEqual((await first('SHOW CREATE TABLE page')).slice(1), [WORDS, TITLES])
    const shown = (await session.run('SHOW INDEXES FROM page')).rows[0]?.[2]
    assert.equal(shown, 'WORDS body, at DESC')
  })
  const refused: ReadonlyArray<readonly [string, string, string?]> = [
    ['CREATE UNIQUE INDEX i ON page (WORDS body)', 'WORDS, and cannot be unique'],
    ['CREATE INDEX i ON page (WORDS body, EACH meta)', 'two parts of EACH or WORDS'],
    ['CREATE INDEX i ON page (WORDS at)', '"at" is INTEGER, and only TEXT has WORDS'],
    ["CREATE INDEX i ON page (WORDS meta->'title')", 'does not lead to a text'],
    ['SCAN id FROM page USE INDEX words', 'rows are found by their words'],
    ["SCAN id FROM page WHERE body MATCH '?!'", 'no word', '?!'],
    ['SCAN id FROM page WHERE body MATCH :q', 'no word', ''],
    ['SCAN id FROM page WHERE body MATCH :q', 'behind the last word', 'ob* x'],
    ['SCAN id FROM page WHERE body MATCH :q', 'behind the last word', 'ob *'],
    ['SCAN id FROM page WHERE body MATCH :q', 'behind the last word', '*'],
    ['SCAN id FROM page WHERE at MATCH :q', 'TEXT is wanted', 'x'],
  ]
  for (const [text, message, q] of refused) {
    it(`refuses ${text} of ${q?.slice(0, 10)}`, async (t) => {
      const { session } = await openedIndexes(t, TABLE, WORDS)
      const work = session.run(text, q === undefined || text.includes(`'`) ? {} : { q })
      await assert.rejects(work, { message: new RegExp(message) })
    })
  }
  for (const [limit, q] of [
    ['matchCharactersMax', 'a'.repeat(10_001)],
    ['matchWordsMax', Array.from({ length: 101 }, (_, at) => `w${at}`).join(' ')],
  ] as const) {
    it(`takes a pattern within ${limit}, also of no row`, async (t) => {
      const { session } = await openedIndexes(t, TABLE, WORDS)
      const asked = session.run('SCAN id FROM page WHERE body MATCH :q', { q })
      const { code, fields } = await asked.catch((error) => error)
      assert.deepEqual([code, fields.limit], ['limit_exceeded', limit])
      const fitting = q.slice(0, q.lastIndexOf(' '))
      assert.deepEqual(
        (await session.run(`SCAN id FROM page WHERE body MATCH '${fitting}'`)).rows,
        [],
      )
    })
  }
  it('has at most ten thousand words of a row, and of a text what can be paid for', async (t) => {
    const { session, first } = await openedIndexes(t, TABLE, WORDS)
    const put = (id: number, body: string) =>
      session.run('INSERT INTO page (id, body) VALUES (:id, :body)', { id, body })
    const words = (count: number) => Array.from({ length: count }, (_, at) => `w${at}`).join(' ')
    await put(1, words(10_000))
    const many = await put(2, words(10_001)).catch((error) => error)
    assert.equal(many.fields.limit, 'indexWordsMax')
    const long = await put(2, 'a '.repeat(200_001)).catch((error) => error)
    assert.equal(long.fields.limit, 'indexTextCharactersMax')
    assert.deepEqual(await first("SCAN id FROM page WHERE body MATCH 'w9999 w10*'"), [1n])
    const begun = await first("SCAN id FROM page WHERE body MATCH 'w*'").catch((error) => error)
    assert.equal(begun.fields.limit, 'matchPrefixWordsMax')
  })
  it('has fewer words of a row where each entry is locked', async (t) => {
    const gateway = await openGateway(new MemoryCellStore())
    t.after(() => gateway.close())
    const session = SqlSession.over(gateway)
    await session.run(TABLE)
    await session.run(WORDS)
    const put = (count: number) =>
      session.run('SET body = :body ON page WHERE id = 1', {
        body: Array.from({ length: count }, (_, at) => `w${at}`).join(' '),
      })
    await put(500)
    const refused = await put(501).catch((error) => error)
    assert.equal(refused.fields.limit, 'indexWordsLockedMax')
  })
  it('has failed where another version of ICU had found the words', async (t) => {
    const { session } = await openedIndexes(t, TABLE, WORDS)
    const table = requireTable(await session.catalog(), 'page')
    const stored = encodeTable(table)
      .toString()
      .replace(/"words":\d+/, '"words":1')
    const [index] = decodeTable(Buffer.from(stored)).indexes
    assert.equal(index?.state, 'failed')
    assert.match(index?.failure ?? '', /another version of ICU/)
  })
  it('compares the first hundred characters of a word, and reads accents in linear time', async (t) => {
    const { session, first } = await openedIndexes(t, TABLE, WORDS)
    const body = `${'x'.repeat(5_000)} ${'\u{1d49c}'.repeat(60)} a${'\u0301\u0316'.repeat(100_000)}`
    await session.run('INSERT INTO page (id, body) VALUES (1, :body)', { body })
    for (const q of [
      'x'.repeat(100),
      'x'.repeat(4_000),
      `${'x'.repeat(99)}*`,
      '\u{1d49c}'.repeat(70),
    ]) {
      assert.deepEqual(await first('SCAN id FROM page WHERE body MATCH :q', { q }), [1n])
    }
  })
  it('reads of a frequent word what the rare one asks for', async (t) => {
    const { session } = await openedIndexes(t, TABLE, WORDS)
    const rows = Array.from(
      { length: 2_000 },
      (_, id) => `(${id}, 1, '${id % 500 === 7 ? 'rare' : ''} often')`,
    )
    await session.run(`INSERT INTO page (id, at, body) VALUES ${rows.join()}`)
    const [row] = (
      await session.run("EXPLAIN ANALYZE SCAN id FROM page WHERE body MATCH 'often rare'")
    ).rows
    const { measured } = JSON.parse(row?.[1] as string) as Explanation
    assert.equal(measured?.rowsReturned, 4)
    assert.ok((measured?.entriesRead ?? 0) < 200, `${measured?.entriesRead}`)
  })
})

const BODY = fc.oneof(
  fc
    .array(fc.constantFrom('a', 'b', 'ab', 'AC', 'ac', 'ä', 'abc'), { maxLength: 4 })
    .map((words) => words.join(' ')),
  fc.constantFrom(null, ''),
)
const CHANGE = fc.record({
  kind: fc.constantFrom('put', 'put', 'put', 'set', 'delete', 'index'),
  id: fc.integer({ min: 0, max: 30 }),
  at: fc.integer({ min: 0, max: 2 }),
  body: BODY,
})
const PATTERNS = ['a', 'A*', 'ab', 'a b', 'ac a*', 'b ab a*', 'ä', 'x*', 'b x']

it('finds the rows of a model after any changes, page by page, in either order', async (t) => {
  const seed = Date.now() % 1_000_000
  await fc.assert(
    fc.asyncProperty(
      fc.array(CHANGE, { maxLength: 60 }),
      fc.integer({ min: 1, max: 3 }),
      async (changes, rows) => {
        const { session } = await openedIndexes({ after: (end) => void ends.push(end) }, TABLE)
        const model = new Map<number, { at: number; body: string | null }>()
        const index = { kind: 'index', id: 0, at: 0, body: '' }
        for (const { kind, id, at, body } of [...changes, index]) {
          if (kind === 'index') {
            const has = (await session.run('SHOW INDEXES FROM page')).rows.length > 0
            if (!has) await session.run('CREATE INDEX words ON page (WORDS body, at)')
          } else if (kind === 'delete') {
            await session.run(`DELETE FROM page WHERE id = ${id}`)
            model.delete(id)
          } else {
            await session.run('SET at = :at, body = :body ON page WHERE id = :id', { id, at, body })
            model.set(id, { at, body })
          }
        }
        for (const q of PATTERNS) {
          for (const order of ['ASC', 'DESC']) {
            const expected = [...model]
              .filter(([, { body }]) => hasWords(body, q))
              .map(([id, { at }]) => [at, id])
              .sort(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d)
            const text = `SCAN at, id FROM page WHERE body MATCH :q ORDER BY at ${order}, id ${order}`
            const found: unknown[][] = []
            for await (const page of session.pages(text, rows, { q })) found.push(...page.rows)
            assert.deepEqual(
              found.map((row) => row.map(Number)),
              order === 'ASC' ? expected : expected.toReversed(),
            )
          }
        }
        for (const end of ends.splice(0)) await end()
      },
    ),
    { seed, numRuns: 20 },
  )
  t.diagnostic(`seed ${seed}`)
})

const LETTERS = [
  'a',
  'b',
  ' ',
  '.',
  "'",
  'é',
  '\u0301',
  'ﬁ',
  '東',
  '京',
  'ก',
  '\ufdfa',
  '\u{1d49c}',
  'Σ',
  '-',
  '1',
]
const TEXT = fc
  .array(fc.oneof(fc.constantFrom(...LETTERS, 'x'.repeat(99)), fc.string({ maxLength: 2 })))
  .map((letters) => letters.join(''))

it('finds by the index what the filter finds, of any text', async (t) => {
  const seed = Date.now() % 1_000_000
  await fc.assert(
    fc.asyncProperty(fc.array(TEXT, { minLength: 1 }), fc.nat(), async (bodies, chosen) => {
      const { session } = await openedIndexes({ after: (end) => void ends.push(end) }, TABLE)
      await session.run('CREATE INDEX words ON page (WORDS body DESC)')
      for (const [id, body] of bodies.entries())
        await session.run('SET body = :body ON page WHERE id = :id', { id, body })
      const asked = (bodies[chosen % bodies.length] as string).slice(chosen % 3)
      for (const q of [asked, `${asked.slice(0, 4)}*`, `${asked}*`]) {
        const [byIndex, byFilter] = ['', 'USE PRIMARY KEY'].map(async (hint) => {
          const text = `SCAN id FROM page ${hint} WHERE body MATCH :q ORDER BY id DESC`
          return await session.run(text, { q }).then(({ rows }) => rows, String)
        })
        assert.deepEqual(await byIndex, await byFilter, q)
      }
      for (const end of ends.splice(0)) await end()
    }),
    { seed, numRuns: 30 },
  )
  t.diagnostic(`seed ${seed}`)
})

const ends: Array<() => Promise<void>> = []

function hasWords(body: string | null, pattern: string): boolean {
  if (body === null) return false
  const words = body.toLowerCase().split(' ')
  return pattern
    .toLowerCase()
    .split(' ')
    .every((asked) =>
      words.some((word) =>
        asked.endsWith('*') ? word.startsWith(asked.slice(0, -1)) : word === asked,
      ),
    )
}
