// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type SqlType, typeText } from '../../storage/values/values.ts'
import { SqlSession } from '../../test/sql-session.ts'
import { arbitraryValue, KEY_TYPES } from '../../test/storage/arbitrary-values.ts'
import { sizeOf } from '../../test/storage/table-of.ts'
import { valueToJson } from './json-value.ts'
import { TIMESTAMP_MAX, TIMESTAMP_MIN } from './timestamp-text.ts'

const YEARS = fc.bigInt({ min: TIMESTAMP_MIN, max: TIMESTAMP_MAX })

/** A value as a client sends it. */
function wire(type: SqlType): fc.Arbitrary<unknown> {
  const values = type === 'TIMESTAMP' ? YEARS : arbitraryValue(type)
  return values.map((value) => JSON.parse(JSON.stringify(valueToJson(type, value))))
}

for (const type of KEY_TYPES) {
  test(`${type} comes back as it was sent: as a key, in an index either way, and beside it`, async () => {
    const written = typeText(type, sizeOf(type).size)
    const session = await SqlSession.open(
      `CREATE TABLE t (k ${written}, d ${written}, v ${written}, n INTEGER, j JSON, PRIMARY KEY (k, d DESC))`,
      'CREATE INDEX up ON t (v) STORING (j)',
      'CREATE UNIQUE INDEX down ON t (v DESC, n)',
    )
    try {
      const given = fc.record({ k: wire(type), d: wire(type), v: wire(type), j: wire('JSON') })
      await fc.assert(
        fc.asyncProperty(given, async (sent) => {
          const row = { ...sent, n: 7 }
          await session.run('INSERT INTO t (k, d, v, n, j) VALUES (:k, :d, :v, :n, :j)', row)
          const { k, d, v } = row
          const reads = [
            session.rows('GET * FROM t WHERE k = :k AND d = :d', { k, d }),
            session.rows('SCAN * FROM t WHERE k >= :k AND d <= :d', { k, d }),
            session.rows('SCAN * FROM t USE INDEX up WHERE v = :v', { v }),
            session.rows('GET * FROM t WHERE v = :v AND n = 7', { v }),
            session.rows('SCAN * FROM t USE INDEX down WHERE v BETWEEN :v AND :v', { v }),
          ]
          for (const rows of await Promise.all(reads)) assert.deepEqual(rows, [row])
          const { rowsAffected } = await session.run('DELETE FROM t WHERE v = :v', { v })
          assert.equal(rowsAffected, 1)
        }),
        { numRuns: 60 },
      )
    } finally {
      await session.close()
    }
  })
}
