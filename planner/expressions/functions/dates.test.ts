// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { SqlSession } from '../../../test/sql-session.ts'

async function opened(t: { after(end: () => Promise<void>): void }) {
  const session = await SqlSession.open(
    `CREATE TABLE bill (id INTEGER, due DATE, placed DATE DEFAULT now(), at TIMESTAMP,
      PRIMARY KEY (id, placed DESC), CHECK (due >= placed - INTERVAL '1 day'))`,
    'CREATE INDEX byDue ON bill (due)',
    `INSERT INTO bill (id, due, placed, at) VALUES (1, '2026-01-31', '2026-01-01', '1969-12-31T23:59:59Z'),
      (2, NULL, '0001-01-01', NULL), (3, '9999-12-31', '2024-02-29', '2026-02-28T00:00:00Z')`,
  )
  t.after(() => session.close())
  return session
}

/** As PostgreSQL 15 has them, where it knows the function; an INTERVAL leaves a DATE a DATE here. */
const ANSWERS: ReadonlyArray<readonly [string, string]> = [
  ['due + 1', '2026-02-01'],
  ['1 + due', '2026-02-01'],
  ['due - 31', '2025-12-31'],
  ['due - placed', '30'],
  ["due - '2024-02-28'", '703'],
  ["due + INTERVAL '2 weeks 1 day'", '2026-02-15'],
  ["due + INTERVAL '1 month'", '2026-02-28'],
  ["due - INTERVAL '1 year 2 months 3 days'", '2024-11-27'],
  ["due + INTERVAL '1 month' - INTERVAL '1 quarter' + 1", '2025-11-29'],
  ["at + INTERVAL '2 months 1 hour'", '1970-03-01T00:59:59.000000Z'],
  ["'x' || due::TEXT || (due - INTERVAL '1 month')::TEXT", 'x2026-01-312025-12-31'],
  // A day beside a moment is its beginning.
  ['at < due', 'true'],
  ["due = '2026-01-31T00:00:00Z'::TIMESTAMP", 'true'],
  ["'2026-01-31T00:00:01Z'::TIMESTAMP IN (due, at)", 'false'],
  ['coalesce(NULL, due, at)', '2026-01-31T00:00:00.000000Z'],
  ['CASE WHEN id = 1 THEN at ELSE due END', '1969-12-31T23:59:59.000000Z'],
  ['add_months(due, 1)', '2026-02-28'],
  ['add_months(due, -23)', '2024-02-29'],
  ["date_trunc('month', due)", '2026-01-01'],
  ["extract('dow', due)", '6'],
  ['at::DATE', '1969-12-31'],
  ['due::TIMESTAMP', '2026-01-31T00:00:00.000000Z'],
  ["'2026-02-28'::DATE::TEXT", '2026-02-28'],
  ["due > '2026-01-30'", 'true'],
  ['to_json(due)', '"2026-01-31"'],
  ["coalesce(due, '2026-01-01')", '2026-01-31'],
]

test('a DATE is reckoned with in whole days', async (t) => {
  const session = await opened(t)
  for (const [text, answer] of ANSWERS) {
    const { rows } = await session.run(
      `GET (${text})::TEXT AS it FROM bill WHERE (id, placed) = (1, '2026-01-01')`,
    )
    assert.equal(rows[0]?.[0], answer, text)
  }
})

test('DATEs order keys and indexes, are their own default, and survive the text of their table', async (t) => {
  const session = await opened(t)
  const texts = async (sql: string) => (await session.run(sql)).rows.map(([text]) => text)
  assert.deepEqual(await texts("SCAN due::TEXT FROM bill WHERE due > '2000-01-01'"), [
    '2026-01-31',
    '9999-12-31',
  ])
  assert.deepEqual(
    await texts("SCAN placed::TEXT FROM bill WHERE id = 3 AND placed <= '2024-02-29'"),
    ['2024-02-29'],
  )
  await session.run("INSERT INTO bill (id, due) VALUES (4, '2030-01-01')")
  assert.deepEqual(await texts('SCAN placed::TEXT FROM bill WHERE id = 4'), ['2023-11-14'])
  const [made] = await texts('SHOW CREATE TABLE bill')
  assert.match(
    String(made),
    /due DATE.*placed DATE DEFAULT now\(\).*CHECK \(due >= \(placed - INTERVAL '1 days'\)\)/s,
  )
})

const REFUSED: ReadonlyArray<readonly [string, string]> = [
  ["due + INTERVAL '1 hour'", 'type_mismatch'],
  ["due + INTERVAL '999999999999999999 years'", 'out_of_range'],
  ["id + INTERVAL '1 month'", 'type_mismatch'],
  ['due + placed', 'type_mismatch'],
  ['due * 2', 'type_mismatch'],
  ["due = '2026-02-30'", 'type_mismatch'],
  ["due = '2026-01-31T00:00:00Z'", 'type_mismatch'],
  ['due + 3000000', 'out_of_range'],
]

test('a DATE has no hours, and is no number', async (t) => {
  const session = await opened(t)
  for (const [text, code] of REFUSED) {
    const work = session.run(`GET ${text} AS it FROM bill WHERE (id, placed) = (1, '2026-01-01')`)
    await assert.rejects(work, { code }, text)
  }
  await assert.rejects(
    session.run("INSERT INTO bill (id, due, placed) VALUES (5, '2026-01-01', '2026-02-01')"),
    {
      code: 'check_failed',
    },
  )
})
