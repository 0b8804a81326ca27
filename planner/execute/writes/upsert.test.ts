// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import { planError, SqlSession } from '../../../test/sql-session.ts'
import type { PlanError } from '../../plan-error.ts'

let session: SqlSession
beforeEach(async () => {
  session = await SqlSession.open(
    `CREATE TABLE hits (page TEXT PRIMARY KEY, n INTEGER NOT NULL DEFAULT 1, code INTEGER, at TIMESTAMP DEFAULT now(),
       note TEXT)`,
    'CREATE UNIQUE INDEX byCode ON hits (code)',
    "INSERT INTO hits (page, n, code) VALUES ('a', 10, 1), ('b', 20, 2), ('c', 30, NULL)",
  )
})
afterEach(() => session.close())

const affected = async (text: string): Promise<number> => (await session.run(text)).rowsAffected

async function hits(columns = 'page, n, code'): Promise<unknown[][]> {
  return (await session.rows(`SCAN ${columns} FROM hits`)).map((row) =>
    Object.values(row as object),
  )
}

const mistake = async (text: string): Promise<PlanError> =>
  session.run(text).then(
    () => assert.fail(text),
    (thrown: unknown) => thrown as PlanError,
  )

describe('INSERT … ON CONFLICT DO UPDATE', () => {
  test('adds rows, and changes those that are there, from what they were and what would be', async () => {
    const insert = `INSERT INTO hits (page, n) VALUES ('a', 1), ('x', 5), ('b', 2)
      ON CONFLICT DO UPDATE SET n = n + excluded.n, note = excluded.page || hits.page`
    assert.equal(await affected(insert), 3)
    assert.deepEqual(await hits('page, n, code, note'), [
      ['a', 11, 1, 'aa'],
      ['b', 22, 2, 'bb'],
      ['c', 30, null, null],
      ['x', 5, null, null],
    ])
    const opened = '2023-11-14T22:13:20.000000Z'
    assert.deepEqual(await session.rows("GET at FROM hits WHERE page = 'x'"), [{ at: opened }])
  })

  test('excluded has the defaults of what is not given', async () => {
    await session.run("SET n = 0, at = '2001-01-01T00:00:00Z' ON hits WHERE page = 'a'")
    const insert = `INSERT INTO hits (page) VALUES ('a')
      ON CONFLICT (page) DO UPDATE SET n = excluded.n, at = excluded.at, note = coalesce(excluded.note, 'none')`
    assert.equal(await affected(insert), 1)
    assert.deepEqual((await hits('n, at, note'))[0], [1, '2023-11-14T22:13:20.000000Z', 'none'])
  })

  test('IF leaves a row that is there as it is, and adds one that is not', async () => {
    const insert = `INSERT INTO hits (page, n) VALUES ('a', 9), ('b', 99), ('y', 0)
      ON CONFLICT (page) DO UPDATE SET n = excluded.n IF excluded.n > n RETURNING page, n`
    const { rows, rowsAffected } = await session.run(insert)
    assert.deepEqual(
      [rows, rowsAffected],
      [
        [
          ['b', 99n],
          ['y', 0n],
        ],
        2,
      ],
    )
  })

  test('finds rows by a unique index, where NULL is like no other', async () => {
    const insert = `INSERT INTO hits (page, n, code) VALUES ('p', 1, 2), ('q', 2, 7), ('r', 3, NULL)
      ON CONFLICT (code) DO UPDATE SET n = n + excluded.n, note = excluded.page RETURNING page, n`
    assert.deepEqual((await session.run(insert)).rows, [
      ['b', 21n],
      ['q', 2n],
      ['r', 3n],
    ])
    assert.deepEqual(await hits('page, code, note'), [
      ['a', 1, null],
      ['b', 2, 'p'],
      ['c', null, null],
      ['q', 7, null],
      ['r', null, null],
    ])
  })

  test('a duplicate of another key than that of the statement is an error, and nothing is changed', async () => {
    const before = await hits()
    for (const [text, code, row] of [
      [
        "INSERT INTO hits (page, code) VALUES ('z', 9), ('y', 1) ON CONFLICT (page) DO UPDATE SET n = 0",
        'unique_violation',
        1,
      ],
      [
        "INSERT INTO hits (page, code) VALUES ('z', 1), ('c', 9) ON CONFLICT (code) DO UPDATE SET n = 0",
        'already_exists',
        1,
      ],
      [
        "INSERT INTO hits (page, code) VALUES ('z', 8), ('z', 9) ON CONFLICT (code) DO UPDATE SET n = 0",
        'already_exists',
        1,
      ],
      [
        "INSERT INTO hits (page, code) VALUES ('b', 1) ON CONFLICT (page) DO UPDATE SET code = excluded.code",
        'unique_violation',
        undefined,
      ],
      [
        "INSERT INTO hits (page, code) VALUES ('z', 1) ON CONFLICT (page) DO NOTHING",
        'unique_violation',
        undefined,
      ],
    ] as const) {
      const { code: met, fields } = await mistake(text)
      assert.deepEqual([met, fields.row], [code, row], text)
      assert.deepEqual(await hits(), before, text)
    }
  })

  test('a row that two rows of one statement meet is an error, and is left out by DO NOTHING', async () => {
    const values = "INSERT INTO hits (page, code) VALUES ('z', 9), ('y', 8), ('z', 9)"
    const byPage = await mistake(`${values} ON CONFLICT DO UPDATE SET n = 0`)
    assert.deepEqual([byPage.code, byPage.fields.row], ['already_exists', 2])
    assert.match(byPage.hint ?? '', /cannot meet the same row/)
    const byCode = await mistake(`${values} ON CONFLICT (code) DO UPDATE SET n = 0`)
    assert.deepEqual([byCode.code, byCode.fields.values], ['unique_violation', [9]])
    assert.equal(await affected(`${values} ON CONFLICT (page) DO NOTHING`), 2)
    assert.equal(await affected(`${values} ON CONFLICT (code) DO NOTHING`), 0)
  })

  test('values of a unique index may move among the rows of one statement', async () => {
    const insert = `INSERT INTO hits (page, code) VALUES ('a', 2), ('n', 1), ('b', 3)
      ON CONFLICT (page) DO UPDATE SET code = excluded.code`
    assert.equal(await affected(insert), 3)
    assert.deepEqual(await hits('page, code'), [
      ['a', 2],
      ['b', 3],
      ['c', null],
      ['n', 1],
    ])
    const found = await session.rows('SCAN page FROM hits WHERE code > 0 ORDER BY code')
    assert.deepEqual(found, [{ page: 'n' }, { page: 'a' }, { page: 'b' }])
  })

  test('what it cannot be is refused with its place', async () => {
    for (const [text, code, column] of [
      ["INSERT INTO hits (page) VALUES ('a') ON CONFLICT (n) DO NOTHING", 'invalid_request', 51],
      [
        "INSERT INTO hits (page) VALUES ('a') ON CONFLICT (page, code) DO NOTHING",
        'invalid_request',
        51,
      ],
      [
        "INSERT INTO hits (page) VALUES ('a') ON CONFLICT (nosuch) DO NOTHING",
        'unknown_column',
        51,
      ],
      [
        "INSERT INTO hits (page) VALUES ('a') ON CONFLICT DO UPDATE SET page = 'b'",
        'invalid_request',
        64,
      ],
      [
        "INSERT INTO hits (page) VALUES ('a') ON CONFLICT DO UPDATE SET n = 1, n = 2",
        'invalid_request',
        71,
      ],
      [
        "INSERT INTO hits (page) VALUES ('a') ON CONFLICT DO UPDATE SET n = NULL",
        'not_null_violation',
        68,
      ],
      [
        "INSERT INTO hits (page) VALUES ('a') ON CONFLICT DO UPDATE SET n = excluded.x",
        'unknown_column',
        68,
      ],
      [
        "INSERT INTO hits (page) VALUES ('a') ON CONFLICT DO UPDATE SET n = other.n",
        'unknown_column',
        68,
      ],
      [
        "INSERT INTO hits (page, n) VALUES ('a', NULL) ON CONFLICT DO UPDATE SET n = 1",
        'not_null_violation',
        41,
      ],
      [
        "INSERT INTO hits (page) VALUES ('a') ON CONFLICT DO UPDATE SET n = 1 IF n",
        'type_mismatch',
        73,
      ],
      ["INSERT INTO hits (page) VALUES ('a') RETURNING excluded.n", 'unknown_column', 48],
    ] as const) {
      await assert.rejects(session.run(text), planError(code, { column }), text)
    }
    const { hint } = await mistake(
      "INSERT INTO hits (page) VALUES ('a') ON CONFLICT (n) DO NOTHING",
    )
    assert.match(hint ?? '', /PRIMARY KEY \(page\) or of UNIQUE INDEX byCode \(code\)/)
  })

  test('IF guards the row that it asks, and reads are batched', async () => {
    const insert = `EXPLAIN ANALYZE INSERT INTO hits (page, n) VALUES ('a', 1), ('b', 2), ('z', 3)
      ON CONFLICT DO UPDATE SET n = n + excluded.n IF n < 15`
    const [text, plan] = (await session.run(insert)).rows[0] as [string, string]
    assert.match(
      text,
      /writes: adds 3 rows, or sets n = n \+ excluded\.n of the one with its key if n < 15, and guards/,
    )
    const { roundTrips, rowsAffected } = JSON.parse(plan).measured
    assert.deepEqual([roundTrips, rowsAffected], [1, 2])
    const byCode = insert
      .replace('(page, n)', '(page, code)')
      .replace('CONFLICT', 'CONFLICT (code)')
    const [, ofCode] = (await session.run(byCode)).rows[0] as [string, string]
    assert.equal(JSON.parse(ofCode).key, 'UNIQUE INDEX byCode (code)')
  })
})
