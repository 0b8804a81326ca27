// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import test from 'node:test'
import fc from 'fast-check'
import { openStorage, readIdempotencyRecord } from '../../../storage/storage.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { parseJson } from '../../doors/http/bodies/body.ts'
import { TurnQueue, Turns, turnTaker } from '../../guard/budgets/turns.ts'
import { PIECE_CHARACTERS } from '../answers/text-pieces.ts'
import { distinctPieces } from './distinct-pieces.ts'
import { fingerprintOf } from './fingerprint.ts'

const LENGTH = 8 * PIECE_CHARACTERS

test('the pieces of a body are its text, however long its values and names are', () => {
  const units = fc.constantFrom('\n', '"', '\u0001', '日', '😀', '\ud800')
  const longText = units.map((unit) => unit.repeat(PIECE_CHARACTERS + 1))
  const value = fc.oneof(fc.jsonValue({ maxDepth: 2 }), longText)
  const names = fc.oneof({ weight: 5, arbitrary: fc.string() }, longText)
  const body = fc.oneof(
    value,
    fc.array(value, { maxLength: 4 }),
    fc.dictionary(names, fc.array(value, { maxLength: 2 }), { maxKeys: 3 }),
  )
  fc.assert(
    fc.property(body, (json) => {
      // A difference of such texts would take minutes to be told.
      assert.ok([...distinctPieces(json)].join('') === JSON.stringify(json))
    }),
    { numRuns: 50, endOnFailure: true },
  )
  const rounded = parseJson(Buffer.from('{"a": 12345678901234567890, "b": [ "x" ]}'))
  assert.deepEqual([...distinctPieces(rounded)], ['{"a":12345678901234567890,"b":["x"]}'])
  const short = parseJson(Buffer.from('{"b": [ "x" ], "a": 1}'))
  assert.deepEqual([...distinctPieces(short)], ['{"b":["x"],"a":1}'])
})

test('a long body is written and hashed in many pieces, with turns between them', async () => {
  for (const unit of ['\n', '\u0001', '日']) {
    const long = unit.repeat(LENGTH)
    for (const body of [long, { sql: long }, { params: { [long]: 1 } }, [[long]]]) {
      const lengths = [...distinctPieces(body)].map((piece) => piece.length)
      assert.ok(lengths.length > LENGTH / PIECE_CHARACTERS, `${lengths.length}`)
      assert.ok(Math.max(...lengths) <= 6 * PIECE_CHARACTERS)
    }
  }
  // Beside a number that may be rounded everything is read from the text.
  for (const unit of ['\\n', '\\/', '","', '"], ["']) {
    const text = `[[1.0, 12345678901234567890, "${unit.repeat(2 * PIECE_CHARACTERS)}"]]`
    const pieces = [...distinctPieces(parseJson(Buffer.from(text)))]
    assert.ok(Math.max(...pieces.map((piece) => piece.length)) <= 2 * PIECE_CHARACTERS)
    assert.ok(pieces.join('') === text.replaceAll('\\/', '/').replaceAll(', ', ','))
  }
  const body = { sql: '\n'.repeat(LENGTH) }
  let nowMs = 0
  let pauses = 0
  const clock = { monotonicMs: () => (nowMs += 10) }
  const taker = { ...turnTaker(), hasTurn: () => (pauses += 1) }
  const turns = new Turns(new TurnQueue(clock), taker)
  const hash = createHash('sha256').update(JSON.stringify(body)).digest('hex')
  assert.equal(await fingerprintOf(distinctPieces(body), turns), hash)
  assert.ok(pauses >= LENGTH / PIECE_CHARACTERS, `${pauses}`)
})

test('the fingerprint is the one that earlier versions have stored', async (t) => {
  const storage = await openStorage({ engine: 'memory' })
  const server = await startTestServer(t, { deps: { storage } })
  await server.query('CREATE TABLE note (id TEXT PRIMARY KEY, body TEXT)')
  const json = { sql: 'SET body = :body ON note WHERE id = :id', params: { id: 'a', body: 'é\n' } }
  const headers = { 'idempotency-key': 'k' }
  await server.send({ method: 'POST', path: '/v1/query', json, headers })
  const transaction = await storage.begin()
  const record = await readIdempotencyRecord(transaction, { scope: 'anonymous', key: 'k' })
  transaction.rollback()
  const text = '{"sql":"SET body = :body ON note WHERE id = :id","params":{"id":"a","body":"é\\n"}}'
  assert.equal(record?.fingerprint, createHash('sha256').update(text, 'utf8').digest('hex'))
})
