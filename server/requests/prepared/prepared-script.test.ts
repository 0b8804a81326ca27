// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { createParser } from '../../../parser/parser.ts'
import { systemClock } from '../../../storage/storage.ts'
import { TurnQueue, Turns, turnTaker } from '../../guard/budgets/turns.ts'
import { PreparedScript } from './prepared-script.ts'
import { knownRequest, preparedRequest, type QueryRequest } from './query-request.ts'

const parser = createParser()
const GET = 'GET * FROM t WHERE id = :id'
const SET = 'SET a = :a ON t WHERE id = :id'

const listOf = (...ids: number[]): QueryRequest => ({
  statements: [
    { sql: 'BEGIN' },
    ...ids.map((id) => ({ sql: GET, params: { id } })),
    { sql: 'COMMIT' },
  ],
})

async function parametersOf(request: QueryRequest): Promise<unknown[]> {
  const turns = new Turns(new TurnQueue(systemClock), turnTaker())
  const script = (await preparedRequest(parser, request, turns)).script(request)
  return script.statements.map(({ parameters }) => parameters)
}

test('a list of texts that comes again is the script that it was, each statement with its own values', async () => {
  assert.deepEqual(await parametersOf(listOf(1, 2)), [{ id: 1 }, { id: 2 }])
  const prepared = knownRequest(parser, listOf(1, 2))
  assert.deepEqual(await parametersOf(listOf(3, 4)), [{ id: 3 }, { id: 4 }])
  assert.equal(knownRequest(parser, listOf(5, 6)), prepared)
})

test('lists that begin alike are told apart, and a list of one text is that text', async () => {
  const pair = {
    statements: [
      { sql: GET, params: { id: 1 } },
      { sql: SET, params: { id: 1, a: 2 } },
    ],
  }
  assert.deepEqual(await parametersOf(pair), [{ id: 1 }, { id: 1, a: 2 }])
  assert.deepEqual(await parametersOf({ statements: [{ sql: GET, params: { id: 7 } }] }), [
    { id: 7 },
  ])
  assert.equal(
    knownRequest(parser, { statements: [{ sql: GET }] }),
    PreparedScript.of(parser.parseScript(GET)),
  )
  assert.equal(knownRequest(parser, pair)?.length, 2)
})

test('a text that nobody has sent before makes its list unknown', () => {
  assert.equal(
    knownRequest(parser, { statements: [{ sql: GET }, { sql: 'GET * FROM new' }] }),
    undefined,
  )
})
