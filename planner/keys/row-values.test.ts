// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import { SeededRandomness } from '../../test/seeded-randomness.ts'
import { SqlSession } from '../../test/sql-session.ts'
import type { Explanation } from '../plan/explain.ts'

const TABLE = `CREATE TABLE post (id INTEGER PRIMARY KEY, board TEXT NOT NULL, at INTEGER NOT NULL, likes INTEGER,
  body TEXT)`

async function opened(t: { after(end: () => Promise<void>): void }, ...scripts: string[]) {
  const session = await SqlSession.open(TABLE, ...scripts)
  t.after(() => session.close())
  const explain = async (where: string, from = 'SCAN id FROM post'): Promise<Explanation> =>
    JSON.parse((await session.run(`EXPLAIN ${from} WHERE ${where}`)).rows[0]?.[1] as string)
  const ids = async (text: string) => (await session.run(text)).rows.map(([id]) => Number(id))
  return { session, explain, ids }
}

describe('a row of values', () => {
  const BY_AT = 'CREATE INDEX byAt ON post (board, at, likes)'
  const NEWEST = 'CREATE INDEX newest ON post (at DESC, id)'
  const bounded: ReadonlyArray<readonly [string, string, string[], string[]]> = [
    [
      'behind a fixed column',
      "board = 'a' AND (at, id) > (3, 7)",
      ["board = 'a'", 'at >= 3'],
      ['(at, id) > (3, 7)'],
    ],
    ['of what a key begins with', "(board, at) > ('a', 3)", ["(board, at) > ('a', 3)"], []],
    ['the other way round', "('a', 3) >= (board, at)", ["('a', 3) >= (board, at)"], []],
    [
      'with a column that may be NULL, below',
      "(board, at, likes) < ('a', 3, 1)",
      ["(board, at, likes) < ('a', 3, 1)"],
      ["(board, at, likes) < ('a', 3, 1)"],
    ],
    [
      'with a column that may be NULL, above',
      "(board, at, likes) > ('a', 3, 1)",
      ["(board, at, likes) > ('a', 3, 1)"],
      [],
    ],
    [
      'longer than the key',
      "(board, at, body) > ('a', 3, 'x')",
      ["(board, at) >= ('a', 3)"],
      ["(board, at, body) > ('a', 3, 'x')"],
    ],
    ['of two directions', '(at, id) < (3, 7)', ['at <= 3'], ['(at, id) < (3, 7)']],
    [
      'as a choice of two directions',
      'at < 3 OR (at = 3 AND id > 7)',
      ['at <= 3'],
      ['((at < 3) OR ((at = 3) AND (id > 7)))'],
    ],
    [
      'among several',
      "(at, board) IN ((3, 'a'), (4, 'b'))",
      ["(at, board) IN ((3, 'a'), (4, 'b'))"],
      [],
    ],
  ]
  for (const [what, where, bounds, filters] of bounded) {
    it(`bounds a key, ${what}`, async (t) => {
      const { explain } = await opened(t, BY_AT, NEWEST)
      const plan = await explain(where)
      const filter = [...(plan.entryFilter ?? []), ...plan.filter]
      assert.deepEqual([plan.bounds, filter], [bounds, filters])
    })
  }

  it('among several gets rows by a key of several columns, in the order asked', async (t) => {
    const table =
      'CREATE TABLE seat (hall INTEGER, row INTEGER, n INTEGER, PRIMARY KEY (hall, row))'
    const values =
      'INSERT INTO seat (hall, row, n) VALUES (1, 1, 11), (1, 2, 12), (2, 1, 21), (2, 2, 22)'
    const { ids, session } = await opened(t, table, values)
    const where = 'WHERE (row, hall) IN ((2, 1), (1, 2), (2, 1), (NULL, 1), (9, 9))'
    assert.deepEqual(await ids(`GET n FROM seat ${where}`), [12, 21])
    assert.deepEqual(await ids(`SCAN n FROM seat ${where} ORDER BY hall DESC, row DESC`), [21, 12])
    assert.deepEqual(await ids('GET n FROM seat WHERE (hall, row) = (2, 2)'), [22])
    const rows = Array.from({ length: 300 }, (_, n) => `(${n}, ${n})`).join(', ')
    const [explained] = (
      await session.run(`EXPLAIN ANALYZE GET n FROM seat WHERE (hall, row) IN (${rows})`)
    ).rows
    assert.equal(JSON.parse(explained?.[1] as string).measured.rowsRead, 2)
  })

  it('is refused with what it is compared with, where the lengths differ, and alone', async (t) => {
    const { session } = await opened(t)
    for (const where of [
      '(at, id) > (1)',
      '(at, id) = (1, 2, 3)',
      '(at, id) IN (1, 2)',
      '(at, id) IN :list',
      '(at, id)',
    ]) {
      await assert.rejects(session.run(`SCAN id FROM post USE PRIMARY KEY WHERE ${where}`), {
        code: 'invalid_request',
      })
    }
  })
})

/** What PostgreSQL 15 says of each. */
const TRUTHS: ReadonlyArray<readonly [string, boolean | null]> = [
  ['(1, 2) < (1, 3)', true],
  ['(1, 2) >= (1, 3)', false],
  ['(1, NULL) < (2, 0)', true],
  ['(1, NULL) < (1, 0)', null],
  ['(NULL, 1) < (2, 0)', null],
  ['(1, NULL) > (2, 0)', false],
  ['(1, 2) <= (1, NULL)', null],
  ['(1, NULL) = (1, 2)', null],
  ['(1, NULL) = (2, NULL)', false],
  ['(1, NULL) <> (2, NULL)', true],
  ['(1, 2) <> (1, NULL)', null],
  ['(1, 2) IN ((1, NULL), (1, 3))', null],
  ['(1, 2) IN ((1, NULL), (1, 2))', true],
  ['(1, 2) IN ((2, NULL), (1, 3))', false],
  ['(1, 2) NOT IN ((2, NULL), (1, 3))', true],
  ['(1, 2) NOT IN ((1, NULL))', null],
  ['NOT (1, 2) > (1, NULL)', null],
  ["(1, 'b') > (1.0, 'a')", true],
]

it('a comparison of rows with NULL is unknown where NULL decides, as in PostgreSQL', async (t) => {
  const { session } = await opened(t, "INSERT INTO post (id, board, at) VALUES (1, 'a', 1)")
  for (const [text, truth] of TRUTHS) {
    const { rows } = await session.run(`GET ${text} AS it FROM post WHERE id = 1`)
    assert.equal(rows[0]?.[0], truth, text)
  }
})

it('pages behind the last row have each row once, in both directions, with equal keys', async (t) => {
  const seed = Number(process.env.PAGES_SEED ?? Math.floor(Math.random() * 2 ** 31))
  t.diagnostic(`PAGES_SEED=${seed}`)
  for (let round = 0; round < 8; round += 1) {
    const random = new SeededRandomness(seed + round)
    const isDescending = random.below(2) === 1
    const order = isDescending ? 'at DESC, id DESC' : 'at, id'
    const table = `CREATE TABLE note (id INTEGER, board TEXT NOT NULL, at INTEGER NOT NULL,
      PRIMARY KEY (id${isDescending ? ' DESC' : ''}))`
    const index = `CREATE INDEX walked ON note (${random.below(2) === 1 ? `board, ${order}` : order})`
    const { session, explain } = await opened(t, table, index)
    const count = 1 + random.below(60)
    const values = Array.from({ length: count }, (_, id) => `(${id}, 'b', ${random.below(4)})`)
    await session.run(`INSERT INTO note (id, board, at) VALUES ${values.join(', ')}`)
    for (const [sort, operator] of [
      ['at, id', '>'],
      ['at DESC, id DESC', '<'],
    ]) {
      const size = 1 + random.below(7)
      const seen: string[] = []
      const where = (last: string) => `board = 'b' AND (at, id) ${operator} (${last})`
      const { bounds, filter } = await explain(
        where('1, 2'),
        'SCAN at, id FROM note USE INDEX walked',
      )
      assert.ok(
        bounds.includes(`(at, id) ${operator} (1, 2)`) &&
          !filter.some((each) => each.includes('at')),
      )
      for (let last: string | undefined; ; last = seen.at(-1)) {
        const bound = last === undefined ? "board = 'b'" : where(last)
        const text = `SCAN at, id FROM note USE INDEX walked WHERE ${bound} ORDER BY ${sort} LIMIT ${size}`
        const { rows } = await session.run(text)
        seen.push(...rows.map((row) => row.join(', ')))
        if (rows.length < size) break
      }
      const all = await session.run(
        `SCAN at, id FROM note USE INDEX walked WHERE board = 'b' ORDER BY ${sort}`,
      )
      assert.deepEqual(
        seen,
        all.rows.map((row) => row.join(', ')),
        `PAGES_SEED=${seed + round}`,
      )
      assert.equal(new Set(seen).size, count)
    }
  }

  it('among rows gives each row once, also where values of one column are equal', async (t) => {
    const session = await SqlSession.open(
      'CREATE TABLE item (id INTEGER PRIMARY KEY, price DECIMAL(9, 2), tag BYTES, n INTEGER)',
      'CREATE INDEX byPrice ON item (price, n)',
      'CREATE INDEX byTag ON item (tag, n)',
      "INSERT INTO item (id, price, tag, n) VALUES (1, 1.5, x'01', 1), (2, 1.5, x'01', 2)",
    )
    t.after(() => session.close())
    const rows = [{ id: 1 }, { id: 2 }]
    const prices = '(price, id) IN ((1.5, 1), (1.50, 2))'
    assert.deepEqual(
      await session.rows(`SCAN id FROM item USE INDEX byPrice WHERE ${prices}`),
      rows,
    )
    const tags = "(tag, id) IN ((x'01', 1), (x'01', 2))"
    assert.deepEqual(await session.rows(`SCAN id FROM item USE INDEX byTag WHERE ${tags}`), rows)
  })
})
