// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createParser, PARSER_LIMITS, shownName } from '../parser.ts'

const parser = createParser({ skipValidations: false })

function placeIn(marked: string) {
  const offset = marked.indexOf('^')
  return parser.placeIn(marked.replace('^', ''), offset)
}

const OPERATORS = ['AND', 'OR']
const PREDICATES = ['NOT', 'IN', 'BETWEEN', 'LIKE', 'MATCH', 'IS']
const EXPRESSION = [
  ...['NOT', 'NULL', 'TRUE', 'FALSE', 'CASE', 'INTERVAL'],
  ...['<column>', '<function>'],
]

// Each line: a text with its place, what has been typed of a word, and what is wanted there.
for (const [marked, typed, wanted] of [
  ['SCAN id, bal^', 'bal', EXPRESSION],
  ['SCAN id FROM ^', '', ['<table>']],
  ['SCAN id FROM acc^ WHERE x = 1', 'acc', ['<table>']],
  ['SCAN id FROM t WHERE a = 1 ^', '', [...OPERATORS, 'GROUP BY', 'ORDER BY', 'LIMIT', 'INTO']],
  ["SCAN * FROM t WHERE a = 'ab'^", '', [...OPERATORS, 'GROUP BY', 'ORDER BY', 'LIMIT', 'INTO']],
  ["SCAN * FROM t WHERE a = 'a^b'", '', []],
  ['SCAN * FROM t WHERE a = 12^', '', []],
  ['SCAN * FROM t WHERE a = :na^', '', []],
  ['SCAN * FROM t -- WHERE^', '', []],
  ['SCAN * FROM t /* WHERE ^ */', '', []],
  ['GET * FROM t /* one */^', '', ['AS', 'AS OF', 'LOOKUP', 'WHERE']],
  ['SCAN * FROM t LOOKUP ^', '', ['<table>']],
  ['SCAN * FROM t LOOKUP u ^', '', ['AS', 'BY']],
  ['SCAN * FROM t LOOKUP u BY ^', '', EXPRESSION],
  ['GET * FROM t AS ^', '', ['OF']],
  ['SCAN t.^', '', ['<column>']],
  ['SCAN * FROM t AS o WHERE o.a = o.^', '', ['<column>']],
  ['SCAN * FROM t GROUP BY ^', '', EXPRESSION],
  ['SCAN "we^', 'we', ['DISTINCT', ...EXPRESSION]],
  ['SCAN * FROM t GROUP BY a = 1 ^', '', [...OPERATORS, 'HAVING', 'ORDER BY', 'LIMIT', 'INTO']],
  ['SCAN a FROM t ORDER BY ^', '', EXPRESSION],
  ['SCAN COUNT(^', '', ['DISTINCT', ...EXPRESSION]],
  ['SCAN lower(^', '', EXPRESSION],
  ['SCAN COUNT(*) ^', '', ['FILTER', ...OPERATORS, ...PREDICATES, 'AS', 'FROM']],
  ['SCAN lower(a) ^', '', [...OPERATORS, ...PREDICATES, 'AS', 'FROM']],
  [
    'CREATE ^',
    '',
    [
      'TABLE',
      'UNIQUE INDEX',
      'INDEX',
      'WEAK',
      'OBSERVER',
      'SCHEDULE',
      'TOKEN',
      'ROLE',
      'BLOCK',
      'RELAY',
    ],
  ],
  ['CREATE TABLE ^', '', ['IF NOT EXISTS']],
  ['CREATE TABLE t (^', '', ['PRIMARY KEY', 'FAMILY', 'CHECK', 'CONSTRAINT', 'UNIQUE']],
  [
    'CREATE TABLE t (a I^',
    'I',
    'TEXT INTEGER DECIMAL REAL BOOLEAN BYTES TIMESTAMP DATE JSON'.split(' '),
  ],
  ['CREATE TABLE t (a TEXT DEFAULT ^', '', ['NULL', 'TRUE', 'FALSE', 'now()', 'uuid()']],
  ['CREATE INDEX i^', 'i', ['IF NOT EXISTS']],
  ['CREATE INDEX i ON t (^', '', ['<column>', 'EACH', 'WORDS']],
  ['CREATE INDEX i ON t (EACH ^', '', ['<column>']],
  ['DROP INDEX ^', '', ['IF EXISTS', '<index>']],
  ['ALTER TABLE t ADD COLUMN ^', '', []],
  ['ALTER TABLE t DROP COLUMN ^', '', ['<column>']],
  ['INSERT INTO t (^', '', ['<column>']],
  ['INSERT INTO t (a) VALUES (^', '', EXPRESSION.filter((word) => word !== '<column>')],
  ['INSERT INTO t (a) VALUES (1) ON CONFLICT ^', '', ['DO']],
  ['INSERT INTO t (a) VALUES (1) ON CONFLICT (^', '', ['<column>']],
  ['INSERT INTO t (a) VALUES (1) ON CONFLICT DO ^', '', ['NOTHING', 'UPDATE SET']],
  ['INSERT INTO t (a) VALUES (1) ON CONFLICT DO UPDATE SET ^', '', ['<column>']],
  ['NOTIFY ^', '', ['<observer>']],
  ['ALTER SCHEDULE ^', '', ['<schedule>']],
  ['DROP SCHEDULE ^', '', ['<schedule>', 'IF EXISTS']],
  ["CREATE SCHEDULE n EVERY '1 day' RUN ^", '', ['<observer>']],
  ['CREATE SCHEDULE ^', '', ['IF NOT EXISTS']],
  ['COMMIT; SCAN * FROM ^; COMMIT', '', ['<table>']],
  ['FOO BAR ^', '', []],
  ['CREATE TOKEN ^', '', []],
] as const) {
  test(`at the place of ${marked} ${wanted.join(', ') || 'nothing'} may be written`, () => {
    const place = placeIn(marked)
    const words = place.wanted.map((each) => ('text' in each ? each.text : `<${each.kind}>`))
    assert.equal(place.typed, typed)
    assert.deepEqual(words.toSorted(), expanded(wanted).toSorted())
  })
}

/** Words of the dialect are offered whole: WEAK OBSERVER. */
function expanded(words: readonly string[]): string[] {
  const whole: Readonly<Record<string, string>> = {
    BLOCK: 'BLOCK SUBJECT',
    WEAK: 'WEAK OBSERVER',
  }
  return words.map((word) => whole[word] ?? word)
}

test('the tables of a statement are told wherever it names them, and not those of the others', () => {
  assert.deepEqual(placeIn('GET * FROM other; SCAN ^ FROM account').tables, ['account'])
  assert.deepEqual(placeIn('SET ^ = 1 ON "my ""own"" table" WHERE id = 1').tables, [
    'my "own" table',
  ])
  assert.deepEqual(placeIn('SCAN ^ FROM a LOOKUP b AS c BY c.id = a.b').tables, ['a', 'b'])
  assert.deepEqual(placeIn('SCAN ^').tables, [])
})

test('what may stand before a . is told with the table that it means', () => {
  const qualified = (marked: string) => {
    const { qualifier, qualifiers } = placeIn(marked)
    return [qualifier, Object.fromEntries(qualifiers)]
  }
  const joined = 'FROM t AS o LOOKUP u AS "my u" BY id = o.b LOOKUP v BY id = o.c'
  assert.deepEqual(qualified(`SCAN o.^ ${joined}`), ['o', { o: 't', 'my u': 'u', v: 'v' }])
  assert.deepEqual(qualified(`SCAN "my u".a^ ${joined}`)[0], 'my u')
  assert.deepEqual(qualified("GET ^ FROM t AS OF '2026-01-01' WHERE id = 1"), [
    undefined,
    { t: 't' },
  ])
  const upsert = 'INSERT INTO t (a) VALUES (^) ON CONFLICT DO UPDATE SET a = ^'
  assert.deepEqual(qualified(upsert.replace('^', '1')), [undefined, { t: 't', excluded: 't' }])
  assert.deepEqual(qualified(upsert.replace(' = ^', '')), [undefined, { t: 't' }])
})

test('a text is finished by the ; of its last statement, and not by one in a string, a name or a comment', () => {
  for (const finished of [
    '',
    '  -- only a note\n',
    'COMMIT;',
    'COMMIT; -- a note',
    'FOO BAR;',
    "GET ';' ;",
  ]) {
    assert.equal(parser.placeIn(finished, 0).unfinished, false, finished)
  }
  for (const open of [
    'COMMIT',
    'COMMIT; GET',
    "GET 'a;",
    'GET "a;',
    'COMMIT; /* ;',
    "GET x'0a;",
    'COMMIT -- ;',
  ]) {
    assert.equal(parser.placeIn(open, 0).unfinished, true, open)
  }
})

test('statements are counted, without empty ones and notes', () => {
  for (const [text, count] of [
    ['-- a note;', 0],
    [' ; ;', 0],
    ['COMMIT;; COMMIT; -- end', 2],
    ['COMMIT; GET', 2],
  ] as const) {
    assert.equal(parser.placeIn(text, 0).statements, count, text)
  }
})

test('types are offered after a cast, and the words of a CASE where they can stand', () => {
  const types = placeIn('SCAN a::^').wanted
  assert.deepEqual(types.length, 9)
  assert.deepEqual(placeIn('SCAN CAST(a AS ^').wanted, types)
  const wordsAt = (text: string) =>
    placeIn(text).wanted.flatMap((each) => ('text' in each ? [each.text] : []))
  assert.ok(wordsAt('SCAN CAST(a ^').includes('AS'))
  assert.ok(!wordsAt('SCAN CAST(f(a ^').includes('AS'))
  for (const word of ['WHEN', 'ELSE', 'END']) {
    assert.ok(wordsAt('SCAN CASE WHEN a THEN b ^').includes(word), word)
    assert.ok(!wordsAt('SCAN CASE WHEN a ^').includes(word), word)
  }
})

test('what is expected is told in the words of errors', () => {
  assert.deepEqual(placeIn('CREATE TABLE ^').expected, ['IF NOT EXISTS', 'a table name'])
  assert.deepEqual(placeIn('^').expected, ['a statement'])
})

test('a statement that is long or deep is not followed to its place, and is told to be unfinished all the same', () => {
  const { completionTokensMax, nestingMax } = PARSER_LIMITS
  for (const long of ['1, '.repeat(completionTokensMax), '('.repeat(nestingMax + 1)]) {
    const place = placeIn(`SCAN ${long}^`)
    assert.deepEqual([place.wanted, place.expected, place.unfinished], [[], [], true])
  }
  const others = `${'COMMIT; '.repeat(completionTokensMax)}SCAN * FROM ^`
  assert.deepEqual(placeIn(others).wanted, [{ kind: 'table' }])
})

test('names are shown with quotes where they would be taken for something else', () => {
  const shown = ['account', 'Order', 'key', 'two words', 'say "so"', '1st', '__proto__'].map(
    shownName,
  )
  assert.deepEqual(shown, [
    'account',
    '"Order"',
    'key',
    '"two words"',
    '"say ""so"""',
    '"1st"',
    '__proto__',
  ])
})
