// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import { type IntegerForm, type StatementResult, valueToJson } from '../../../planner/planner.ts'
import { systemClock } from '../../../storage/storage.ts'
import { SQL_TYPES, type SqlValue } from '../../../storage/values/sql-type.ts'
import { arbitraryValue } from '../../../test/storage/arbitrary-values.ts'
import { TurnQueue, Turns, turnTaker } from '../../guard/budgets/turns.ts'
import { textOf } from './answer-body.ts'
import { AnswerWriter } from './answer-text.ts'

const turns = () => new Turns(new TurnQueue(systemClock), turnTaker())

/** Of the years that can be written down. */
const anyTime = fc.bigInt({ min: 0n, max: 10n ** 16n })

const arbitraryField = fc.constantFrom(...SQL_TYPES).chain((type) =>
  fc.record({
    name: fc.string({ minLength: 1 }),
    type: fc.constant(type),
    value: fc.option(type === 'TIMESTAMP' ? anyTime : arbitraryValue(type), { nil: null }),
  }),
)

const arbitraryResult = fc
  .uniqueArray(arbitraryField, { selector: ({ name }) => name, maxLength: 6 })
  .map((fields) => ({
    columns: fields.map(({ name, type }) => ({ name, type })),
    rows: [fields.map(({ value }) => value), fields.map(() => null as SqlValue)],
    rowsAffected: 2,
  }))

function plain({ columns, rows, rowsAffected }: StatementResult, integers: IntegerForm) {
  const objects = rows.map((row) =>
    Object.fromEntries(
      columns.map(({ name, type }, index) => [
        name,
        valueToJson(type, row[index] ?? null, { integers }),
      ]),
    ),
  )
  return JSON.parse(JSON.stringify({ columns, rows: objects, rowsAffected }))
}

test('the text of a result is the JSON of its values, whatever its types, names and values', async () => {
  const writer = new AnswerWriter()
  const results = fc.array(arbitraryResult, { maxLength: 3 })
  const forms = fc.constantFrom<IntegerForm>('number', 'string')
  await fc.assert(
    fc.asyncProperty(results, forms, async (results, integers) => {
      const text = await writer.results(results, integers, turns())
      assert.deepEqual(
        JSON.parse(textOf(text)),
        results.map((result) => plain(result, integers)),
      )
    }),
  )
})

/** The same result, of which each row was written when it was found. */
function written(writer: AnswerWriter, result: StatementResult, integers: IntegerForm) {
  const rows = writer.rowWriters[integers](result.columns)
  for (const row of result.rows) rows.write(row)
  return { ...result, rows: [], written: rows }
}

test('rows that are written as they are found make the same text, and say how long it is', async () => {
  const writer = new AnswerWriter()
  await fc.assert(
    fc.asyncProperty(arbitraryResult, async (result) => {
      const found = written(writer, result, 'number')
      const text = textOf(await writer.results([found], 'number', turns()))
      assert.equal(text, textOf(await writer.results([result], 'number', turns())))
      // Each row counts a comma.
      const bytes = Buffer.byteLength(JSON.stringify(JSON.parse(text)[0].rows)) - 1
      assert.ok(
        Math.abs(found.written.bytes - bytes) <= DIGITS_BYTES,
        `${found.written.bytes}, ${bytes}`,
      )
    }),
  )
})

/** JSON.parse may shorten the numbers of JSON columns. */
const DIGITS_BYTES = 2_000

test('a page without rows is not full, however long the names of its columns are', () => {
  const columns = [{ name: 'a'.repeat(100_000), type: 'TEXT' }] as const
  const { rowWriters } = new AnswerWriter()
  const rows = rowWriters.number(columns)
  assert.deepEqual([rows.bytes, rows.columnBytes], [0, JSON.stringify(columns).length])
})

test('columns keep their order and their names, whatever object they would make', () => {
  const names = ['b', '2', 'a', '1', '__proto__', 'toJSON', 'a', '007', 'constructor', 'length']
  const columns = names.map((name) => ({ name, type: 'TEXT' }) as const)
  const row = names.map((name, index) => `${name}"${index}`)
  const members = names.map(
    (name, index) => `${JSON.stringify(name)}:${JSON.stringify(row[index])}`,
  )
  assert.equal(new AnswerWriter().row(columns, row, 'number'), `{${members}}`)
})

test('JSON stands between other columns as it is stored', () => {
  const columns = [
    { name: 'id', type: 'INTEGER' },
    { name: 'meta', type: 'JSON' },
    { name: 'more', type: 'JSON' },
    { name: 'note', type: 'TEXT' },
  ] as const
  const writer = new AnswerWriter()
  assert.equal(
    writer.row(columns, [7n, '{"n":1.10}', null, 'x'], 'number'),
    '{"id":7,"meta":{"n":1.10},"more":null,"note":"x"}',
  )
  assert.equal(writer.row(columns.slice(1, 2), ['[]'], 'number'), '{"meta":[]}')
})

test('an answer names its stamps, and its commit and its cursor only where there are any', async () => {
  const writer = new AnswerWriter()
  const outcome = { results: [], readTimestamp: 7, commitTimestamp: null, attempts: 1 }
  assert.equal(
    await writer.answer(outcome, 'number', turns()),
    '{"results":[],"readTimestamp":7,"attempts":1}\n',
  )
  const more = { ...outcome, commitTimestamp: 9, cursor: 'a"b' }
  assert.deepEqual(JSON.parse(textOf(await writer.answer(more, 'number', turns()))), {
    results: [],
    readTimestamp: 7,
    commitTimestamp: 9,
    attempts: 1,
    cursor: 'a"b',
  })
})

test('a long answer lets others have their turn, and stops when nobody waits for it', async () => {
  let nowMs = 0
  const clock = { monotonicMs: () => (nowMs += 100) }
  const queue = new TurnQueue(clock)
  const gone = new AbortController()
  const rows = Array.from({ length: 1_000 }, (_, id) => [BigInt(id)])
  const result = { columns: [{ name: 'id', type: 'INTEGER' }], rows, rowsAffected: 0 } as const
  const writing = new AnswerWriter().results(
    [result],
    'number',
    new Turns(queue, turnTaker(undefined, gone.signal)),
  )
  assert.equal(queue.isEmpty, false)
  gone.abort(new Error('gone'))
  await assert.rejects(async () => await writing, { message: 'gone' })
})

test('long values are written over several turns, each in a piece of its own', async () => {
  let pauses = 0
  const impatient = {
    isDue: true,
    pause: async () => {
      pauses += 1
    },
  } as unknown as Turns
  const long = 'ä"'.repeat(200_000)
  const columns = Array.from({ length: 5 }, (_, n) => ({ name: `c${n}`, type: 'TEXT' }) as const)
  const rows = [columns.map(() => long), columns.map(() => 'short')]
  const result = { columns, rows, rowsAffected: 0, bytes: 5 * long.length }
  const outcome = { results: [result], readTimestamp: 1, commitTimestamp: null, attempts: 1 }
  const writer = new AnswerWriter()
  const body = await writer.answer(outcome, 'number', impatient)
  assert.ok(typeof body !== 'string')
  const fieldBytes = Buffer.byteLength(JSON.stringify(long))
  assert.ok(body.every(({ length }) => length < 2 * fieldBytes))
  assert.ok(pauses >= 5, `${pauses}`)
  const [first, second] = rows.map((row) => writer.row(columns, row, 'number'))
  assert.ok(
    textOf(body).includes(`"rows":[${first},${second}],"rowsAffected":0}],"readTimestamp":1`),
  )
  const returned = { ...outcome, results: [{ columns, rows, rowsAffected: 2 }] }
  assert.ok(writer.answer(returned, 'number', impatient) instanceof Promise)
  const found = [...writer.rows(result, 'number')].join('')
  assert.deepEqual(JSON.parse(found), JSON.parse(textOf(body)).results[0].rows)
})

test('long values among rows that are written as they are found are written at the end, in pieces', async () => {
  const long = 'ä"'.repeat(200_000)
  const columns = [
    { name: 'id', type: 'INTEGER' },
    { name: 'text', type: 'TEXT' },
  ] as const
  const rows: SqlValue[][] = [
    [1n, 'first'],
    [2n, long],
    [3n, long],
    [4n, 'last'],
  ]
  const writer = new AnswerWriter()
  const found = written(writer, { columns, rows, rowsAffected: 0 }, 'number')
  assert.ok(found.written.bytes > 2 * Buffer.byteLength(JSON.stringify(long)))
  const body = await writer.results([found], 'number', turns())
  assert.ok(typeof body !== 'string' && body.length > 4)
  assert.deepEqual(
    JSON.parse(textOf(body))[0].rows,
    rows.map(([id, text]) => ({ id: Number(id), text })),
  )
})
