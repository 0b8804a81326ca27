// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { SqlSession } from '../../../../test/sql-session.ts'
import { loadContract } from './contract.ts'
import { objectAt } from './document.ts'

const SCHEMA = '#/components/schemas/Explanation'
const { document, validator } = loadContract()

const STATEMENTS = [
  'GET * FROM trade WHERE id = 1',
  "SCAN t.id, s.name FROM trade AS t LOOKUP security AS s BY s.symbol = t.symbol OPTIONAL WHERE t.symbol > 'a'",
  "SCAN id, note FROM trade WHERE symbol = 'A' AND id != 3 AND price > 2 ORDER BY price LIMIT 2",
  'SCAN symbol, sum(price) AS p FROM trade USE PRIMARY KEY GROUP BY symbol HAVING sum(price) > 1 ORDER BY p LIMIT 9',
  "SCAN id FROM trade WHERE symbol = 'A' LIMIT 5",
  'SET price = 3 ON trade WHERE id = 1 RETURNING *',
  'SET price = price + 1 ON trade WHERE id > 1',
  "INSERT INTO trade (id, symbol, price) VALUES (9, 'B', 1)",
  'DELETE FROM trade WHERE id > 1',
  'CHECK price > 0 ON trade WHERE id = 1',
  "SCAN * FROM trade USE INDEX bySymbol WHERE symbol < 'B' OR (symbol = 'B' AND id < 1)",
]

describe('what EXPLAIN tells', () => {
  let session: SqlSession
  before(async () => {
    session = await SqlSession.open(
      'CREATE TABLE security (symbol TEXT PRIMARY KEY, name TEXT)',
      'CREATE TABLE trade (id INTEGER PRIMARY KEY, symbol TEXT NOT NULL, price INTEGER CHECK (price > 0), note TEXT)',
      'CREATE INDEX bySymbol ON trade (symbol)',
      "INSERT INTO security (symbol, name) VALUES ('A', 'a')",
      "INSERT INTO trade (id, symbol, price) VALUES (1, 'A', 5), (2, 'A', 7)",
    )
  })
  after(() => session.close())

  it('is what openapi.yaml says of it, and there is nothing that it never tells', async () => {
    const told = new Set<string>()
    for (const sql of STATEMENTS) {
      for (const explain of ['EXPLAIN', 'EXPLAIN ANALYZE']) {
        const [row] = (await session.run(`${explain} ${sql}`)).rows
        const plan = JSON.parse(row?.[1] as string)
        assert.deepEqual(validator.check(SCHEMA, plan), undefined, sql)
        for (const name of Object.keys(plan)) told.add(name)
      }
    }
    const described = Object.keys(objectAt(document.json, `${SCHEMA}/properties`))
    // Only roles have rules.
    assert.deepEqual(told.add('rowRule'), new Set(described))
  })
})
