// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { createParser } from './parser.ts'

const parser = createParser()

test('a shape has the words of a statement and none of its values', () => {
  for (const [text, shape] of [
    ["GET * FROM t WHERE id = 'secret'", 'GET * FROM t WHERE id = ?'],
    ['GET * FROM t WHERE id = :id AND a = $1', 'GET * FROM t WHERE id = :id AND a = $1'],
    [
      "SET a = 1.5, b = x'ff', c = TRUE ON t WHERE id = 7",
      'SET a = ?, b = ?, c = ? ON t WHERE id = ?',
    ],
    ['SCAN a FROM t WHERE a IS NOT NULL LIMIT 10', 'SCAN a FROM t WHERE a IS NOT NULL LIMIT ?'],
    ["INSERT INTO t (id, a) VALUES (1, 'x'), (2, 'y')", 'INSERT INTO t (id, a) VALUES (?, …), …'],
    ['SCAN * FROM t WHERE id IN (1, 2, 3)', 'SCAN * FROM t WHERE id IN (?, …)'],
    ["SHOW /* secret */ TABLES -- 'secret'", 'SHOW TABLES'],
    ['', ''],
  ] as const) {
    assert.equal(parser.shapeOf(text), shape)
  }
})

test('a shape may be that of one statement of several', () => {
  const text = `BEGIN; SET "a;b" = ';' ON t WHERE id = 7; CHECK a = 'secret' ON t WHERE id = 1; COMMIT`
  const shapes = parser
    .parseScript(text)
    .map(({ position }) => parser.shapeOf(text, position.offset))
  assert.deepEqual(shapes, [
    'BEGIN',
    'SET "a;b" = ? ON t WHERE id = ?',
    'CHECK a = ? ON t WHERE id = ?',
    'COMMIT',
  ])
  const long = `SHOW TABLES; GET * FROM t WHERE id = '${'secret '.repeat(10_000)}'`
  assert.equal(parser.shapeOf(long, 0), 'SHOW TABLES')
  assert.equal(parser.shapeOf(long, 13), 'GET * FROM t WHERE id = …')
})

test('what is not well-formed, or was cut, shows nothing of a value', () => {
  assert.equal(parser.shapeOf("GET * FROM t WHERE a = 'secret"), 'GET * FROM t WHERE a = …')
  assert.equal(parser.shapeOf('SHOW /* secret'), 'SHOW …')
  assert.equal(parser.shapeOf("'secret"), '…')
  const long = `GET * FROM t WHERE a = '${'secret '.repeat(10_000)}'`
  assert.equal(parser.shapeOf(long), 'GET * FROM t WHERE a = …')
  const cut = `GET * FROM t WHERE a = ${' '.repeat(8_165)}secret_name`
  assert.equal(parser.shapeOf(cut), 'GET * FROM t WHERE a = …')
})

test('a shape is short, however long the statement is', () => {
  const text = `GET * FROM t WHERE ${Array.from({ length: 1_000 }, (_, n) => `a${n} = ${n}`).join(' AND ')}`
  assert.equal(parser.shapeOf(text).length, 501)
})
