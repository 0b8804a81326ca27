// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { SqlSession } from '../test/sql-session.ts'
import {
  type ExecutionContext,
  executeGets,
  type Parameters,
  type PlannedGet,
  type PlannedStatement,
  planStatement,
  readsTogether,
  type StatementResult,
} from './planner.ts'

let session: SqlSession
before(async () => {
  session = await SqlSession.open(
    'CREATE TABLE word (id INTEGER PRIMARY KEY, text TEXT)',
    'CREATE TABLE other (id INTEGER PRIMARY KEY)',
    "INSERT INTO word (id, text) VALUES (1, 'one'), (2, 'two'), (3, 'three'), (4, 'four')",
  )
})
after(() => session.close())

/** Runs GETs together; answers their texts, and how many keys each multi-get asked the store for. */
async function together(
  gets: ReadonlyArray<readonly [text: string, parameters: Parameters]>,
  bytesMax = 1_000,
) {
  const transaction = await session.storage.begin({ readOnly: true })
  const catalog = await session.storage.catalog(transaction)
  const planned = gets.map(([text, parameters]) => {
    const [statement] = session.parse(text)
    return { plan: planStatement(statement as PlannedStatement, catalog), parameters }
  }) as PlannedGet[]
  const asked: number[] = []
  const getRows = transaction.getRows.bind(transaction)
  transaction.getRows = (keys, columns) => {
    asked.push(keys.length)
    return getRows(keys, columns)
  }
  const context: ExecutionContext = {
    transaction,
    catalog,
    parameters: [],
    functions: session.functions,
    answerBytes: { used: 0, max: bytesMax },
  }
  const results: StatementResult[] = []
  const running = executeGets(planned, context, (result) => results.push(result))
  const error = await running.then(
    () => undefined,
    (error: unknown) => error,
  )
  transaction.rollback()
  return { texts: results.map(({ rows }) => rows.map(([text]) => text)), asked, error }
}

const BY_ID = 'GET text FROM word WHERE id = $1'
const BY_IDS = 'GET text FROM word WHERE id IN :ids'

test('GETs run together ask the store once, and each has its own rows', async () => {
  const { texts, asked } = await together([
    [BY_IDS, { ids: [] }],
    [BY_ID, [2]],
    [BY_ID, [9]],
    [BY_IDS, { ids: [4, 9, 1] }],
    [BY_ID, [2]],
    [BY_IDS, { ids: [] }],
  ])
  assert.deepEqual(texts, [[], ['two'], [], ['four', 'one'], ['two'], []])
  assert.deepEqual(asked, [6])
})

test('many GETs look at the size of the first rows, and then ask for all others at once', async () => {
  const gets = Array.from({ length: 100 }, (_, index) => [BY_ID, [index % 5]] as const)
  const { texts, asked } = await together(gets, 100_000)
  assert.deepEqual(asked, [20, 80])
  const words = [[], ['one'], ['two'], ['three'], ['four']]
  assert.deepEqual(
    texts,
    gets.map((_, index) => words[index % 5]),
  )
})

test('GETs before one whose parameters do not fit are answered, and its fault is its own', async () => {
  const before = await together([
    [BY_ID, [1]],
    [BY_ID, ['no number']],
    [BY_ID, [2]],
  ])
  assert.deepEqual(before.texts, [['one']])
  assert.equal(before.error, undefined)
  const first = await together([
    [BY_ID, ['no number']],
    [BY_ID, [2]],
  ])
  assert.deepEqual(first.texts, [])
  assert.equal((first.error as { code?: string }).code, 'type_mismatch')
})

test('GETs run together share the bytes of one answer', async () => {
  const get = [BY_ID, [1]] as const
  const { texts, error } = await together([get, get, get], 120)
  assert.deepEqual(texts, [['one'], ['one']])
  assert.equal((error as { code?: string }).code, 'limit_exceeded')
})

test('only GETs of one table that guard nothing are read together', async () => {
  const transaction = await session.storage.begin({ readOnly: true })
  const catalog = await session.storage.catalog(transaction)
  const planOf = (text: string) => {
    const [statement] = session.parse(text)
    return planStatement(statement as PlannedStatement, catalog)
  }
  const get = planOf('GET * FROM word WHERE id = 1')
  if (get.kind !== 'pointGet') return assert.fail()
  assert.equal(readsTogether(get, planOf('GET text FROM word WHERE id IN (1, 2)')), true)
  assert.equal(readsTogether(get, planOf('GET * FROM other WHERE id = 1')), false)
  assert.equal(readsTogether(get, planOf('GET * FROM word WHERE id = 1 FOR UPDATE')), false)
  assert.equal(readsTogether(get, planOf('SCAN * FROM word WHERE id = 1')), false)
  transaction.rollback()
})
