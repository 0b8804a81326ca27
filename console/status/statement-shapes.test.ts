// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { Schemas } from '../../client-sdk/client.ts'
import { createParser } from '../../parser/parser.ts'
import { accessText, errorsText, explainOf, meanMs } from './statement-shapes.ts'

const SHAPE: Schemas['ShapeStatistics'] = {
  ...{ statement: 'GET * FROM account WHERE id = ?', count: 4, errors: {}, totalMs: 10 },
  ...{ p50Ms: 1, p99Ms: 5, maxMs: 6, rowsReturned: 4, rowsWritten: 0 },
}

describe('the shape of a statement', () => {
  it('can be explained, with parameters for its literals', () => {
    for (const [shape, explained] of [
      ['GET * FROM account WHERE id = ?', 'EXPLAIN GET * FROM account WHERE id = :value1'],
      [
        'SCAN * FROM account WHERE id IN (?, …) AND owner = :owner LIMIT ?',
        'EXPLAIN SCAN * FROM account WHERE id IN (:value1, :value2) AND owner = :owner LIMIT :value3',
      ],
      [
        'GET "a?b" FROM t WHERE id = $2 AND a = ?',
        'EXPLAIN GET "a?b" FROM t WHERE id = $2 AND a = $3',
      ],
      [
        'GET a FROM t WHERE b = ? AND c = :value',
        'EXPLAIN GET a FROM t WHERE b = :value_1 AND c = :value',
      ],
      ['EXPLAIN GET a FROM t WHERE b = ?', 'EXPLAIN GET a FROM t WHERE b = :value1'],
      ['INSERT INTO t (id) VALUES (?)', 'EXPLAIN INSERT INTO t (id) VALUES (:value1)'],
    ] as const) {
      assert.equal(explainOf(shape), explained)
    }
  })

  it('cannot where it does not say enough', () => {
    for (const shape of [
      'INSERT INTO t (id, a) VALUES (?, …), …',
      'getRow: GET account',
      'SCAN a, b, c, d …',
    ]) {
      assert.equal(explainOf(shape), undefined)
    }
  })

  it('is what the parser makes of a text, and its explanation is well-formed', () => {
    const parser = createParser()
    for (const text of [
      "SCAN * FROM a WHERE x IN (1, 2, 3) AND y LIKE 'b%' AND z = x'00' LIMIT 5",
      "SET a = 7, b = 'x' ON t WHERE id = 1 RETURNING *",
      'DELETE FROM t WHERE id BETWEEN 1 AND 5',
      `GET * FROM t AS OF '2026-11-27T16:33:05Z' WHERE "a?" = 1`,
    ]) {
      parser.parseScript(text)
      const explained = explainOf(parser.shapeOf(text)) as string
      assert.equal(parser.parseScript(explained)[0]?.kind, 'explain', explained)
    }
  })

  it('has its figures in words', () => {
    assert.equal(meanMs(SHAPE), 2.5)
    const errors = { write_conflict: 2, statement_timeout: 1 }
    assert.equal(errorsText(errors), 'write_conflict 2, statement_timeout 1')
    assert.equal(accessText(SHAPE), '')
    const access = { access: 'point get', key: 'PRIMARY KEY (id)' } as const
    assert.equal(accessText({ ...SHAPE, ...access }), 'point get, PRIMARY KEY (id)')
  })
})
