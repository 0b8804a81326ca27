// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { textsIn } from './program-texts.ts'

function found(source: string): string[] {
  return textsIn(source).map(({ sql }) => sql)
}

describe('the statements of a program', () => {
  for (const [what, source, texts] of [
    [
      'are the first argument of a method',
      'db.query(\'a\'); tx.scan("b", x); db?.live(`c`)',
      ['a', 'b', 'c'],
    ],
    ['may have the types of their rows', "db.query<{ a: Map<string, Array<1>> }>('a')", ['a']],
    ['may stand on another line', "db\n  .subscribe(\n    // which\n    'a',\n  )", ['a']],
    ['are the second argument of the hook', "useLive(make({ a: [1, 2] }), 'a', [1])", ['a']],
    [
      'are what the text stands for',
      "db.query('a\\'b\\n\\u{41}\\x42\\u0043\\\n') + db.query(`a\r\nb\\``)",
      ["a'b\nABC", 'a\nb`'],
    ],
    [
      'are templates with parameters',
      'db.sql`a ${x} b ${`${y}`}`; tx.sql<R>`c`',
      ['a $1 b $2', 'c'],
    ],
    ['stand in expressions of templates', "`${db.query('a')} }` + db.query('b')", ['a', 'b']],
    [
      'are no comments and no regular expressions',
      "// db.query('a')\n/* db.query('b') */ x = /'`/.test(db.query('c')) / 2",
      ['c'],
    ],
    ['are found behind a division', "a = b / c; db.query('a'); d = (e) / f", ['a']],
    ['are found behind an apostrophe of JSX', "<p>don't</p>\ndb.query('a')", ['a']],
    [
      'are no texts that are put together',
      "db.query('a' + b); db.query(`a ${b}`); db.query(a, 'b')",
      [],
    ],
    [
      'are no arguments of others',
      "query('a'); db.other('b'); db.useLive(db, 'c'); useLive('d')",
      [],
    ],
    ['are none in a program that ends early', "db.query('a", []],
    ['are none in a template that ends early', 'db.query(`a ${', []],
  ] as const) {
    test(what, () => assert.deepEqual(found(source), texts))
  }

  test('have their place', () => {
    const [only] = textsIn("\n  db.query(\n'a')")
    assert.deepEqual(only, { sql: 'a', isTemplate: false, offset: 13 })
  })
})
