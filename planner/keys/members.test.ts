// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import fc from 'fast-check'
import { openedIndexes } from '../../test/index-session.ts'

const TABLE = 'CREATE TABLE post (id INTEGER PRIMARY KEY, at INTEGER, tags JSON, meta JSON)'
const ROWS = `INSERT INTO post (id, at, tags, meta) VALUES
  (1, 30, '["x","y","x"]', '{"tags":["x"]}'), (2, 20, '["x", ["y"], null]', NULL), (3, 10, '{"x":["y"]}', '{}'),
  (4, 5, '[5.0, "5", true, 5]', '{"tags":"x"}'), (5, 1, NULL, '{"tags":[]}'), (6, 2, '"x"', '{"tags":["\\u0078"]}')`
const BY_TAG = 'CREATE INDEX byTag ON post (EACH tags, at DESC)'
const BY_META = "CREATE INDEX byMeta ON post (at, EACH meta->'tags') STORING (meta)"

describe('an index of the members of a JSON value', () => {
  const bounded: ReadonlyArray<readonly [string, string, string, bigint[], boolean]> = [
    ['= ANY', "'x' = ANY (tags)", 'byTag', [1n, 2n, 3n, 6n], true],
    ['?', "tags ? 'y'", 'byTag', [1n], true],
    ['a text that looks like a number', "tags ? '5'", 'byTag', [4n], true],
    ['@> of one member', 'tags @> \'["x"]\'', 'byTag', [1n, 2n], false],
    ['@> of a number, however it is written', "tags @> '[50e-1]'", 'byTag', [4n], false],
    ['@> of null', "tags @> '[null]'", 'byTag', [2n], false],
    ['the first of two members', "tags ? 'x' AND 'y' = ANY (tags)", 'byTag', [1n], false],
    ['the column behind it', "'x' = ANY (tags) AND at > 10", 'byTag', [1n, 2n], true],
    ['NULL, of which nothing is known', 'tags ? NULL', 'byTag', [], true],
    ['a path behind a column', "at IN (1, 2, 5) AND meta->'tags' ? 'x'", 'byMeta', [6n, 4n], true],
  ]
  for (const [what, where, index, ids, covering] of bounded) {
    it(`is bounded by ${what}`, async (t) => {
      const { first, explain } = await openedIndexes(t, TABLE, BY_TAG, BY_META, ROWS)
      const text = `SCAN id FROM post WHERE ${where}`
      const plan = await explain(text)
      assert.match(plan.key as string, new RegExp(`^INDEX ${index} `))
      assert.equal(plan.covering, covering)
      assert.deepEqual(await first(text), index === 'byTag' ? ids : ids.toSorted().toReversed())
      const walked = await first(text.replace('WHERE', 'USE PRIMARY KEY WHERE'))
      assert.deepEqual(walked, ids.toSorted())
    })
  }
  const unbounded = ['tags @> \'{"x":["y"]}\'', "tags @> '[]'", 'at > 4', "NOT tags ? 'x'"]
  for (const where of unbounded) {
    it(`is not bounded by ${where}`, async (t) => {
      const { session } = await openedIndexes(t, TABLE, BY_TAG, ROWS)
      const work = session.run(`SCAN id FROM post WHERE ${where}`)
      await assert.rejects(work, { code: 'unbounded_scan' })
    })
  }
  it('gives the order behind the member, either way, and is suggested where it is missing', async (t) => {
    const { first, session } = await openedIndexes(t, TABLE, ROWS)
    const text = "SCAN id FROM post WHERE 'x' = ANY (tags) ORDER BY at DESC"
    const refused = await session.run(text).catch((error) => error)
    assert.equal(
      refused.fields.suggestedIndex,
      'CREATE INDEX postByTagsAt ON post (EACH tags, at DESC)',
    )
    await session.run(refused.fields.suggestedIndex)
    assert.deepEqual(await first(text), [1n, 2n, 3n, 6n])
    assert.deepEqual(await first(text.replace('DESC', 'ASC')), [6n, 3n, 2n, 1n])
  })
  it('is shown as it was made', async (t) => {
    const { session, first } = await openedIndexes(t, TABLE, BY_TAG, BY_META)
    const shown = await first('SHOW CREATE TABLE post')
    assert.deepEqual(shown.slice(1), [BY_TAG, BY_META])
    assert.equal((await session.run('SHOW INDEXES FROM post')).rows[0]?.[2], 'EACH tags, at DESC')
  })
  const refused: ReadonlyArray<readonly [string, string]> = [
    ['CREATE UNIQUE INDEX i ON post (EACH tags)', 'cannot be unique'],
    ["CREATE INDEX i ON post (EACH tags, EACH meta->'tags')", 'two parts of EACH'],
    ['CREATE INDEX i ON post (EACH at)', '"at" is INTEGER, and only JSON'],
    ["CREATE INDEX i ON post (EACH tags->>'a')", 'does not lead to JSON'],
    ['SCAN id FROM post USE INDEX byTag', 'rows are found by one member'],
  ]
  for (const [text, message] of refused) {
    it(`refuses ${text}`, async (t) => {
      const { session } = await openedIndexes(t, TABLE, BY_TAG)
      await assert.rejects(session.run(text), { message: new RegExp(message) })
    })
  }
  it('has at most a thousand members of a row', async (t) => {
    const { session, first } = await openedIndexes(t, TABLE, BY_TAG)
    const tags = (count: number) => JSON.stringify(Array.from({ length: count }, (_, at) => at))
    const put = (id: number, count: number) =>
      session.run(`INSERT INTO post (id, tags, meta) VALUES (${id}, '${tags(count)}', '{}')`)
    await put(1, 1000)
    const refused = await put(2, 1001).catch((error) => error)
    assert.equal(refused.code, 'limit_exceeded')
    assert.equal(refused.fields.limit, 'indexMembersMax')
    assert.deepEqual(await first("SCAN id FROM post WHERE tags @> '[999]'"), [1n])
  })
})

/** Texts of tags, few so that they meet, and values that are no array. */
const TAGS = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.constantFrom('a', 'b', 'ä"\\', '5', 5, null, ['a'])) },
  { weight: 1, arbitrary: fc.constantFrom('a', { a: 1 }, { b: ['a'] }, 5, []) },
)
const CHANGE = fc.record({
  kind: fc.constantFrom('put', 'put', 'set', 'delete', 'index'),
  id: fc.integer({ min: 0, max: 5 }),
  at: fc.integer({ min: 0, max: 3 }),
  tags: TAGS,
})

it('finds the rows of a model after any changes, built before them or between', async (t) => {
  const seed = Date.now() % 1_000_000
  await fc.assert(
    fc.asyncProperty(fc.array(CHANGE, { maxLength: 20 }), async (changes) => {
      const { session, first } = await openedIndexes({ after: (end) => void ends.push(end) }, TABLE)
      const model = new Map<number, { at: number; tags: unknown }>()
      for (const { kind, id, at, tags } of [...changes, { kind: 'index', id: 0, at: 0, tags: 0 }]) {
        const parameters = { id, at, tags }
        if (kind === 'index') {
          const has = (await session.run('SHOW INDEXES FROM post')).rows.length > 0
          if (!has) await session.run('CREATE INDEX byTag ON post (EACH tags, at)')
        } else if (kind === 'delete') {
          await session.run(`DELETE FROM post WHERE id = ${id}`)
          model.delete(id)
        } else if (kind === 'put' && !model.has(id)) {
          await session.run('INSERT INTO post (id, at, tags) VALUES (:id, :at, :tags)', parameters)
          model.set(id, { at, tags })
        } else if (model.has(id)) {
          await session.run('SET at = :at, tags = :tags ON post WHERE id = :id', parameters)
          model.set(id, { at, tags })
        }
      }
      for (const tag of ['a', 'b', 'ä"\\', '5']) {
        const rows = [...model].filter(([, { tags }]) => hasMember(tags, tag))
        const found = await session.run(
          'SCAN at, id FROM post WHERE :tag = ANY (tags) ORDER BY at, id',
          { tag },
        )
        const expected = rows
          .map(([id, { at }]) => [at, id])
          .sort(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d)
        assert.deepEqual(
          found.rows.map((row) => row.map(Number)),
          expected,
        )
        const count = await first(`SCAN COUNT(*) FROM post WHERE tags ? '${tag}'`)
        assert.deepEqual(count, [BigInt(rows.length)])
      }
      for (const end of ends.splice(0)) await end()
    }),
    { seed, numRuns: 20 },
  )
  t.diagnostic(`seed ${seed}`)
})

const ends: Array<() => Promise<void>> = []

function hasMember(json: unknown, tag: string): boolean {
  if (Array.isArray(json)) return json.includes(tag)
  return typeof json === 'object' && json !== null ? Object.hasOwn(json, tag) : json === tag
}
