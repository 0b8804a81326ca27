// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { SqlSession } from '../../../test/sql-session.ts'

async function opened(t: { after(end: () => Promise<void>): void }) {
  const session = await SqlSession.open(
    `CREATE TABLE item (id DECIMAL(10, 2), price DECIMAL(18, 2) DEFAULT -0.5, rate DECIMAL(38, 19), n INTEGER, r REAL,
      PRIMARY KEY (id DESC), CONSTRAINT cheap CHECK (price < 1000000.005))`,
    'CREATE UNIQUE INDEX byPrice ON item (price, n)',
    `INSERT INTO item (id, price, rate, n, r) VALUES (1.5, 78119.51, 0.3333333333333333333, 3, 0.1),
      (2, 3, NULL, -7, 2.5), (-0.01, NULL, 9999999999999999999.9999999999999999999, 0, 0)`,
  )
  t.after(() => session.close())
  return session
}

/** As PostgreSQL 15 has them. */
const ANSWERS: ReadonlyArray<readonly [string, string]> = [
  ['price + 0.005', '78119.515'],
  ['price - n', '78116.51'],
  ['n * 1.5 + price', '78124.01'],
  ['price * 1.19', '92962.2169'],
  ['price / n', '26039.836666666667'],
  ['n / price', '0.000038402698634438439258'],
  ['price / rate', '234358.5300000000000234359'],
  ['price % 0.4', '0.31'],
  ['-price % n', '-2.51'],
  ['abs(-price)', '78119.51'],
  ['round(price)', '78120'],
  ['round(-2.5::DECIMAL)', '-3'],
  ['round(price * 1.005, 3)', '78510.108'],
  ['round(price, 4)', '78119.5100'],
  ['trunc(price, 1)', '78119.5'],
  ['trunc(-price)', '-78119'],
  ['floor(-price)', '-78120'],
  ['ceil(price)', '78120'],
  ['mod(price, 100)', '19.51'],
  ['sign(-price)', '-1'],
  ['greatest(price, 78119.6, n)', '78119.6'],
  ['coalesce(NULL, price, 1)', '78119.51'],
  ['CASE WHEN n = 3 THEN 0.90 ELSE 1 END * price', '70307.5590'],
  ['price::INTEGER', '78120'],
  ['price::REAL', '78119.51'],
  ['price::JSON', '78119.51'],
  ["('1e3'::DECIMAL) + 0.0", '1000.0'],
  ["'12.345'::DECIMAL(5, 2)", '12.35'],
  ['(r + 0.2::REAL)::DECIMAL', '0.3'],
  ["('-0.10'::JSON)::DECIMAL", '-0.10'],
  ["price > '78119.505'", 'true'],
  ['price IN (1, 78119.510)', 'true'],
  ['price BETWEEN 78119.509 AND n * 30000', 'true'],
]

test('a DECIMAL is reckoned with exactly, and by the scales of PostgreSQL', async (t) => {
  const session = await opened(t)
  for (const [text, answer] of ANSWERS) {
    const { rows } = await session.run(`GET (${text})::TEXT AS it FROM item WHERE id = 1.50`)
    assert.equal(rows[0]?.[0], answer, text)
  }
})

test('equal numbers are one value whatever their digits: in groups, lists, keys and unique indexes', async (t) => {
  const session = await opened(t)
  const rows = async (sql: string, params = {}) => await session.rows(sql, params)
  await session.run('INSERT INTO item (id, price, n) VALUES (7, 3.00, 1)')
  const groups = await rows('SCAN price, COUNT(*) AS c FROM item USE INDEX byPrice GROUP BY price')
  assert.deepEqual(groups, [
    { price: null, c: 1 },
    { price: '3.00', c: 2 },
    { price: '78119.51', c: 1 },
  ])
  assert.deepEqual(
    await rows('SCAN COUNT(DISTINCT price * 1.0) AS c, SUM(price) AS s, AVG(price) AS a FROM item'),
    [{ c: 2, s: '78125.51', a: '26041.836666666667' }],
  )
  const list = { list: [1.5, '1.50', 1.5, 2.001, null] }
  assert.deepEqual(await rows('GET id FROM item WHERE id IN :list', list), [{ id: '1.50' }])
  assert.deepEqual(await rows('SCAN id FROM item WHERE id >= 1.495 AND id < 2.005'), [
    { id: '2.00' },
    { id: '1.50' },
  ])
  assert.deepEqual(await rows('SCAN id FROM item WHERE id = 1.505'), [])
  assert.deepEqual(await rows('SCAN id FROM item WHERE price > 1e30'), [])
  const again = session.run('INSERT INTO item (id, price, n) VALUES (8, 3.000, 1)')
  await assert.rejects(again, { code: 'unique_violation' })
  const parameters = { by: 5, most: '3.0' }
  const text = `SCAN price * (1 + :by / 1000.0) AS p FROM item USE PRIMARY KEY WHERE price <= 1.5 * :most AND id < 3`
  assert.deepEqual(await rows(text, parameters), [{ p: '3.0150000000000000000000' }])
  assert.deepEqual(await rows("SET n = 1 ON item WHERE id = '9.100' RETURNING id, price"), [
    { id: '9.10', price: '-0.50' },
  ])
})

test('what a column would have to round, or cannot hold, is out_of_range', async (t) => {
  const session = await opened(t)
  const refused: ReadonlyArray<readonly [string, string]> = [
    ['SET price = price * 1.005 ON item WHERE id = 1.5', 'out_of_range'],
    ['INSERT INTO item (id) VALUES (100000000)', 'out_of_range'],
    ['SET n = 1 ON item WHERE id = 1.505', 'out_of_range'],
    ['SET price = 12345678901234567 ON item WHERE id = 2', 'out_of_range'],
    ['SET price = 1000000.01 ON item WHERE id = 2', 'check_failed'],
    ['SET price = r ON item WHERE id = 2', 'type_mismatch'],
    ['SCAN price * r AS x FROM item', 'type_mismatch'],
    ['SCAN rate * rate * rate * 1e300 * 1e300 * 1e300 * 1e300 AS x FROM item', 'out_of_range'],
    ['SCAN price / 0.0 AS x FROM item', 'division_by_zero'],
    ["SCAN '1e99999999'::DECIMAL AS x FROM item", 'out_of_range'],
    ["SCAN '1,5'::DECIMAL AS x FROM item", 'type_mismatch'],
    ["SCAN '1000'::DECIMAL(4, 1) AS x FROM item", 'out_of_range'],
    ['ALTER TABLE item ADD COLUMN c DECIMAL(4, 1) DEFAULT 0.25', 'out_of_range'],
  ]
  for (const [sql, code] of refused) await assert.rejects(session.run(sql), { code }, sql)
  await session.run('ALTER TABLE item ADD COLUMN c DECIMAL(4, 1) DEFAULT 7')
  assert.deepEqual(await session.rows('GET c FROM item WHERE id = 2'), [{ c: '7.0' }])
})
