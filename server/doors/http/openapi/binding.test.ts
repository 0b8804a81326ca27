// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import Fastify from 'fastify'
import { bindOperations } from './binding.ts'
import { loadContract } from './contract.ts'

const { document, validator } = loadContract()

function bindOnly(ids: readonly string[]): void {
  const handlers = Object.fromEntries(ids.map((id) => [id, async () => null]))
  bindOperations(Fastify(), document, validator, handlers)
}

const ids = document.operations.map(({ id }) => id)

test('every operation with its handler is bound', () => bindOnly(ids))

test('an operation without a handler stops the start', () => {
  assert.throws(() => bindOnly(ids.slice(1)), /has no handler/)
})

test('a handler without an operation stops the start', () => {
  assert.throws(() => bindOnly([...ids, 'forgotten']), /No operation is named forgotten/)
})

const QUERY = '#/components/schemas/QueryRequest'
const MISTAKES: ReadonlyArray<readonly [unknown, string, RegExp]> = [
  [{ sql: 1 }, '/sql', /must be a string/],
  [{ sql: '1', zzz: 2 }, '', /must not have "zzz"/],
  [{ sql: 'x', pageSize: '10' }, '/pageSize', /must be an integer/],
  [{ sql: 'x', pageSize: 0 }, '/pageSize', /must be >= 1/],
  [{ sql: 'x', params: 7 }, '/params', /must be an array or an object/],
  [{ sql: 'x', integers: 'float' }, '/integers', /must be one of number, string/],
  [{ statements: [{ sql: 'x' }, { sql: null }] }, '/statements/1/sql', /must be a string/],
  [{ statements: [] }, '/statements', /must have 1 or more items/],
  [[], '', /must be an object/],
  [null, '', /must be an object/],
  [{}, '', /required property/],
]

for (const [body, pointer, message] of MISTAKES) {
  test(`the mistake of ${JSON.stringify(body)} is told at "${pointer}"`, () => {
    const violation = validator.check(QUERY, body)
    assert.equal(violation?.pointer, pointer)
    assert.match(violation.message, message)
  })
}

test('the mistake of a value that may be of two types is that of its own', () => {
  const rows = '#/components/schemas/NewRows'
  const message = (value: unknown) => validator.check(rows, value)?.message
  assert.equal(message([]), 'must have 1 or more items')
  assert.equal(message(7), 'must be an object or an array')
  assert.equal(message([7]), 'must be an object')
})

test('a body is taken as it is, a parameter is text and becomes what its schema says', () => {
  assert.equal(validator.check(QUERY, { sql: 'x', params: { a: [null, 1.5] } }), undefined)
  const limit = '#/paths/~1v1~1locks/get/parameters/0/schema'
  assert.deepEqual(validator.coerce(limit, '7'), { value: 7 })
  assert.ok('violation' in validator.coerce(limit, 'seven'))
  assert.ok('violation' in validator.coerce(limit, '0'))
})
