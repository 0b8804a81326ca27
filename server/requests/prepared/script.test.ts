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
