// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { SERVER_LIMITS } from '../../limits.ts'
import { loadContract } from '../http/openapi/contract.ts'
import { BadFrame, ClientFrameReader } from './client-frame.ts'

const reader = new ClientFrameReader(loadContract().validator)
const read = (json: unknown) => reader.read(Buffer.from(JSON.stringify(json)))
/** Without what a frame knows of its text. */
const plain = (frame: unknown) => JSON.parse(JSON.stringify(frame))

test('frames of every type are read as they are meant', () => {
  assert.deepEqual(plain(read({ type: 'query', id: '1', sql: 'SHOW TABLES', minTimestamp: 7 })), {
    type: 'query',
    id: '1',
    request: { sql: 'SHOW TABLES', minTimestamp: 7 },
  })
  const request = { sql: 'SCAN * FROM t', params: [1], since: 5, integers: 'string' }
  assert.deepEqual(plain(read({ type: 'subscribe', id: '1', ...request })), {
    type: 'subscribe',
    id: '1',
    request,
  })
  const observed = plain(read({ type: 'observe', id: '1', observer: 'o' }))
  assert.equal(observed.request.leaseMs, SERVER_LIMITS.observerLeaseMsDefault)
  assert.deepEqual(read({ type: 'unsubscribe', id: '1' }), { type: 'unsubscribe', id: '1' })
  assert.deepEqual(read({ type: 'auth', token: 'x' }), { type: 'auth', token: 'x' })
})

test('any bytes are a frame, a frame with a mistake, or a bad frame, and nothing else happens', () => {
  const id = fc.oneof(fc.string({ minLength: 1, maxLength: 128 }), fc.jsonValue())
  const type = fc.oneof(
    fc.constantFrom('query', 'subscribe', 'unsubscribe', 'auth', '__proto__', 'toString'),
    fc.jsonValue(),
  )
  const fields = ['sql', 'params', 'since', 'snapshot', 'statements', 'integers', 'transaction']
  const frame = fc
    .tuple(type, id, fc.dictionary(fc.constantFrom(...fields, 'other'), fc.jsonValue()))
    .map(([ofType, ofId, rest]) => Buffer.from(JSON.stringify({ type: ofType, id: ofId, ...rest })))
  const bytes = fc.uint8Array().map((array) => Buffer.from(array))
  fc.assert(
    fc.property(fc.oneof(frame, bytes), (sent) => {
      try {
        const read = reader.read(sent)
        if (read.type === 'auth') return
        assert.ok(read.id.length >= 1 && read.id.length <= 128)
      } catch (error) {
        assert.ok(error instanceof BadFrame, String(error))
        assert.ok(Buffer.byteLength(error.message) <= 123, 'it is the reason of a close')
      }
    }),
    { numRuns: 2_000 },
  )
})

test('a mistake in a field is told with the name of the field', () => {
  for (const [fields, detail] of [
    [{ type: 'subscribe' }, 'The frame must have "sql".'],
    [{ type: 'subscribe', sql: 1 }, "The frame's /sql must be a string."],
    [{ type: 'subscribe', sql: 'x', snapshot: 1 }, 'The frame\'s "snapshot" must be a boolean.'],
    [{ type: 'subscribe', sql: 'x', limit: 1 }, 'The frame must not have "limit".'],
    [{ type: 'unsubscribe', sql: 'x' }, 'The frame must not have "sql".'],
    [
      { type: 'query', sql: 'x', minTimestamp: 'x' },
      "The frame's /minTimestamp must be an integer.",
    ],
    [{ type: 'query', sql: 'x', other: 1 }, 'The frame must not have "other".'],
  ] as const) {
    const frame = read({ id: '1', ...fields })
    assert.equal(frame.type === 'invalid' && frame.error.message, detail)
  }
})

test('a frame of very many fields is refused by its id, and none of them is copied', () => {
  const names = Object.fromEntries(Array.from({ length: 1_000 }, (_, at) => [`n${at}`, at]))
  const frame = reader.read(Buffer.from(JSON.stringify({ type: 'query', id: 'a', ...names })))
  assert.ok(frame.type === 'invalid' && frame.id === 'a')
  assert.equal(frame.error.message, 'A frame has at most 64 fields.')
})
