// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { createParser } from '../../../parser/parser.ts'
import { problemOf } from '../../errors/error-response.ts'
import { readInnerScript, readScript } from './script.ts'

const parser = createParser()
const CREATE = 'CREATE TABLE t (id INTEGER PRIMARY KEY)'
const SET = 'SET a = 1 ON t WHERE id = 1'

function statementsOf(text: string) {
  return parser.parseScript(text).map((statement) => ({ statement, parameters: [] }))
}

function kindOf(text: string): string {
  try {
    const script = readScript(statementsOf(text))
    return script.kind === 'transaction' ? script.end : script.kind
  } catch (error) {
    return problemOf(error).code
  }
}

function openingKindOf(text: string): string {
  try {
    return readScript(statementsOf(text), true).kind
  } catch (error) {
    return problemOf(error).code
  }
}

function innerKindOf(text: string): string {
  try {
    return readInnerScript(statementsOf(text)).end ?? 'open'
  } catch (error) {
    return problemOf(error).code
  }
}

const OUTSIDE: ReadonlyArray<readonly [string, string]> = [
  ['BEGIN', 'open'],
  [SET, 'commit'],
  [`${SET}; ${SET}`, 'commit'],
  [`BEGIN; ${SET}; COMMIT`, 'commit'],
  [`BEGIN; ${SET}; ROLLBACK`, 'rollback'],
  ['BEGIN; COMMIT', 'commit'],
  [`BEGIN; ${SET}`, 'transaction_not_closed'],
  ['BEGIN; BEGIN', 'transaction_not_closed'],
  [`BEGIN; ${SET}; COMMIT; ${SET}`, 'script_mixture'],
  [`BEGIN; COMMIT; BEGIN; COMMIT`, 'script_mixture'],
  [`${SET}; BEGIN; COMMIT`, 'script_mixture'],
  [`${SET}; COMMIT`, 'script_mixture'],
  ['COMMIT', 'script_mixture'],
  ['ROLLBACK', 'script_mixture'],
  [CREATE, 'definitions'],
  [`${CREATE}; DROP TABLE t`, 'definitions'],
  [`${CREATE}; ${SET}`, 'script_mixture'],
  [`BEGIN; ${CREATE}; COMMIT`, 'script_mixture'],
  ['', 'invalid_request'],
  [' ; ;', 'invalid_request'],
]

for (const [text, kind] of OUTSIDE) {
  test(`a request of its own: "${text}" is ${kind}`, () => assert.equal(kindOf(text), kind))
}

const INSIDE: ReadonlyArray<readonly [string, string]> = [
  [SET, 'open'],
  [`${SET}; COMMIT`, 'commit'],
  [`${SET}; ROLLBACK`, 'rollback'],
  ['COMMIT', 'commit'],
  [`COMMIT; ${SET}`, 'script_mixture'],
  ['BEGIN', 'script_mixture'],
  [CREATE, 'script_mixture'],
]

for (const [text, kind] of INSIDE) {
  test(`inside a transaction: "${text}" is ${kind}`, () => assert.equal(innerKindOf(text), kind))
}

test('the error names the statement and its place', () => {
  try {
    readScript(statementsOf(`${SET};\n  COMMIT`))
    assert.fail('it is accepted')
  } catch (error) {
    const { statement, line, column } = problemOf(error)
    assert.deepEqual({ statement, line, column }, { statement: 1, line: 2, column: 3 })
  }
})

const READS = [
  'GET * FROM t WHERE id = 1',
  'SCAN * FROM t',
  'SHOW TABLES',
  'DESCRIBE t',
  `EXPLAIN ${SET}`,
  'EXPLAIN ANALYZE SCAN * FROM t',
]
const DOES_MORE = [
  SET,
  CREATE,
  'INSERT INTO t (id) VALUES (1)',
  'DELETE FROM t WHERE id = 1',
  'CHECK a = 1 ON t WHERE id = 1',
  'NOTIFY o ON t WHERE id = 1',
  'GET * FROM t WHERE id = 1 FOR UPDATE',
  `EXPLAIN ANALYZE ${SET}`,
  'DROP TOKEN a',
]

for (const begin of ['BEGIN READ ONLY', 'BEGIN AS OF 1', 'BEGIN READ ONLY AS OF 1']) {
  test(`${begin} is refused before it runs, with the place of what does more than read`, () => {
    assert.equal(kindOf(`${begin}; ${READS.join('; ')}; COMMIT`), 'commit')
    assert.equal(openingKindOf(`${begin}; ${READS.join('; ')}`), 'open')
    for (const statement of DOES_MORE) {
      const text = `${begin}; SHOW TABLES;\n  ${statement}`
      assert.equal(openingKindOf(text), 'read_only_transaction')
      try {
        readScript(statementsOf(`${text}; COMMIT`))
        assert.fail(`${statement} is accepted`)
      } catch (error) {
        const { code, statement: index, line, column } = problemOf(error)
        assert.deepEqual([code, index, line, column], ['read_only_transaction', 2, 2, 3], statement)
      }
    }
  })
}

test('a text that is a script is told where it runs, and no other', () => {
  const hintOf = (text: string) => {
    try {
      return readScript(statementsOf(text)).kind
    } catch (error) {
      return problemOf(error).hint
    }
  }
  for (const text of [`${CREATE}; ${SET}`, `${CREATE}; BEGIN; ${SET}; COMMIT; DROP TABLE t`]) {
    assert.match(`${hintOf(text)}`, /^POST \/v1\/scripts /, text)
  }
  for (const text of [
    `BEGIN; ${CREATE}; COMMIT`,
    `${CREATE}; COMMIT`,
    `${CREATE}; BEGIN; ${SET}`,
  ]) {
    assert.equal(hintOf(text), undefined, text)
  }
})

const OPENING: ReadonlyArray<readonly [string, string]> = [
  ['BEGIN', 'open'],
  [`BEGIN; ${SET}; ${SET}`, 'open'],
  ['BEGIN READ ONLY; GET * FROM t WHERE id = 1', 'open'],
  [SET, 'invalid_request'],
  [`BEGIN; ${SET}; COMMIT`, 'invalid_request'],
  ['BEGIN; ROLLBACK', 'invalid_request'],
  ['BEGIN; BEGIN', 'script_mixture'],
  [`BEGIN; ${CREATE}`, 'script_mixture'],
]

test('a request that keeps its transaction open begins with BEGIN and does not end it', () => {
  for (const [text, kind] of OPENING) assert.equal(openingKindOf(text), kind, text)
})
