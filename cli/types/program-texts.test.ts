// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { textsIn } from './program-texts.ts'

function found(source: string): string[] {
  return textsIn(source, false).map(({ sql }) => sql)
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

  test('stand in elements of JSX, whose texts and strings are none', () => {
    const source = `
      const a = useLive(db, 'a')
      return cond && <p title="it's" on={() => db.query('b')}>It's {db.query<Row>('c')} of 5' a/b
        <>don't {c < d ? <B.C {...x} /> : \`\${db.query('d')}\`}</> "\`</p>
      const generic = <T,>(x: T) => db.query('e') / 2
      const other = <T extends A>(x: T) => <i/>; (a < b) && db.query('f')`
    assert.deepEqual(
      textsIn(source, true).map(({ sql }) => sql),
      ['a', 'b', 'c', 'd', 'e', 'f'],
    )
    for (const broken of ['x = <a', 'x = <a>{', 'x = <a b="', 'x = <a></', 'x = <', 'x = <a/>/2']) {
      assert.deepEqual(textsIn(`db.query('a'); ${broken}`, true).length, 1, broken)
    }
  })

  test('have their place', () => {
    const [only] = textsIn("\n  db.query(\n'a')", false)
    assert.deepEqual(only, { sql: 'a', isTemplate: false, offset: 13 })
  })
})
