// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import fc from 'fast-check'
import type { StatementResult } from '../../../planner/planner.ts'
import { TurnQueue, Turns, turnTaker } from '../../guard/budgets/turns.ts'
import { sendable, textOf } from './answer-body.ts'
import { AnswerWriter } from './answer-text.ts'
import { csvRows } from './csv-text.ts'
import { AnswerBudget } from './query-answer.ts'
import { LAID_OUT_CHARACTERS_MAX, tableText } from './table-text.ts'
import { bodyInTurns, chunksOf, joinedInTurns, PIECE_CHARACTERS, piecesOf } from './text-pieces.ts'

test('pieces are the whole text, none is longer than it may be, and no pair is divided', () => {
  const options = fc.integer({ min: -2, max: 2 })
  const unit = fc.constantFrom('a', '日', '😀', 'a😀')
  fc.assert(
    fc.property(unit, fc.nat({ max: 2 }), options, (text, times, more) => {
      const whole = text.repeat(Math.max(0, (PIECE_CHARACTERS * times) / text.length + more))
      const pieces = [...piecesOf(whole)]
      assert.equal(pieces.join(''), whole)
      for (const piece of pieces) {
        assert.ok(piece.length > 0 && piece.length <= PIECE_CHARACTERS)
        assert.ok(piece.isWellFormed())
      }
    }),
  )
  assert.deepEqual([...chunksOf(['a', '', 'b'])], ['ab'])
  assert.deepEqual([...chunksOf([''])], [])
})

test('a body pauses whenever a turn is used up, also while there is nothing to write', async () => {
  let nowMs = 0
  const clock = { monotonicMs: () => nowMs }
  let pauses = 0
  const taker = { ...turnTaker(), hasTurn: () => (pauses += 1) }
  const turns = new Turns(new TurnQueue(clock), taker)
  function* pieces() {
    for (const piece of ['', '', 'a'.repeat(PIECE_CHARACTERS), 'b']) {
      nowMs += 2
      yield piece
    }
  }
  const body = await bodyInTurns(pieces(), turns)
  assert.equal(textOf(body), `${'a'.repeat(PIECE_CHARACTERS)}b`)
  assert.equal(pauses, 4)
})

test('parts are joined over several turns', async () => {
  let nowMs = 0
  let pauses = 0
  const clock = { monotonicMs: () => (nowMs += 10) }
  const taker = { ...turnTaker(), hasTurn: () => (pauses += 1) }
  const turns = new Turns(new TurnQueue(clock), taker)
  const joined = await joinedInTurns(
    ['a', 'bc', 'd'].map((text) => Buffer.from(text)),
    turns,
  )
  assert.deepEqual([joined.length, textOf(joined), pauses], [1, 'abcd', 3])
  assert.equal(sendable(joined), joined[0])
  assert.equal(await joinedInTurns('text', turns), 'text')
})

const LENGTH = 16 * PIECE_CHARACTERS
/** What the slow half of a form has to look at. */
const LONG_TEXTS = ['a', '\n', '"', '\u0001', '日', '\u200b', '😀'].map((unit) =>
  unit.repeat(LENGTH / unit.length),
)
/** The longest escape of a character is of eight or nine. */
const LONGEST_PIECE = 10 * PIECE_CHARACTERS

function resultOf(value: string, type: 'TEXT' | 'JSON' = 'TEXT'): StatementResult {
  return { columns: [{ name: 'v', type }], rows: [[value]], rowsAffected: 0 }
}

function ndjson(result: StatementResult): Iterable<string> {
  return new AnswerWriter().lines(result, 'number')
}

const FORMS: Readonly<Record<string, (result: StatementResult) => Iterable<string>>> = {
  csv: csvRows,
  table: (result) =>
    tableText(
      { results: [result], readTimestamp: 1, commitTimestamp: null, attempts: 1 },
      new AnswerBudget(),
    ),
  ndjson,
  'rows of JSON': (result) => new AnswerWriter().rows(result, 'number'),
}

for (const [form, piecesIn] of Object.entries(FORMS)) {
  test(`a long value is written in many pieces: ${form}`, () => {
    for (const text of LONG_TEXTS) {
      const pieces = [...piecesIn(resultOf(text))]
      const shown = JSON.stringify(text.slice(0, 1))
      assert.ok(pieces.length >= LENGTH / PIECE_CHARACTERS, `${shown}: ${pieces.length} pieces`)
      // The line below the head of a table is as wide as its columns, and is no work.
      const longest = Math.max(...pieces.filter((piece) => !/^[- ]/.test(piece)).map(sizeOf))
      assert.ok(longest <= LONGEST_PIECE, `${shown}: ${longest}`)
    }
  })
}

function sizeOf({ length }: string): number {
  return length
}

test('a long value is the same in pieces', () => {
  for (const text of LONG_TEXTS) {
    const line = [...ndjson(resultOf(text))].join('')
    assert.equal(JSON.parse(line).row.v, text)
    const csv = [...csvRows(resultOf(text))].join('')
    const quoted = text.startsWith('"') || text.startsWith('\n')
    assert.equal(csv, quoted ? `"${text.replaceAll('"', '""')}"\r\n` : `${text}\r\n`)
  }
  const json = `{"a":[${'1,'.repeat(LENGTH)}1]}`
  assert.equal([...ndjson(resultOf(json, 'JSON'))].join(''), `{"row":{"v":${json}}}\n`)
})

test('a long value beside many short ones does not cost its length for each of them', () => {
  const columns = ['v', 'w'].map((name) => ({ name, type: 'TEXT' }) as const)
  const long = 'x'.repeat(200_000)
  const rows = [[long, 'z'], ...Array.from({ length: 1_000 }, () => ['y', 'z'])]
  const outcome = {
    results: [{ columns, rows, rowsAffected: 0 }],
    readTimestamp: 1,
    commitTimestamp: null,
    attempts: 1,
  }
  let characters = 0
  let isAll = false
  for (const piece of tableText(outcome, new AnswerBudget())) {
    characters += piece.length
    isAll ||= piece.includes(long.slice(0, PIECE_CHARACTERS))
  }
  assert.ok(isAll)
  assert.ok(characters <= LAID_OUT_CHARACTERS_MAX + long.length + 10_000, `${characters}`)
})
