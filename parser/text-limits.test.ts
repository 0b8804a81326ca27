// SPDX-License-Identifier: Apache-2.0

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createParser, PARSER_LIMITS, ParseError } from './parser.ts'
import type { ParserLimitName } from './parser-limits.ts'

const parser = createParser({ skipValidations: false })

function assertExceeds(text: string, limitName: ParserLimitName, actual: number, offset = 0) {
  assert.throws(
    () => parser.parseScript(text),
    (error) => {
      assert.ok(error instanceof ParseError, `${error}`)
      assert.equal(error.code, 'limit_exceeded')
      const limit = PARSER_LIMITS[limitName]
      assert.deepEqual([error.limitName, error.limit, error.actual], [limitName, limit, actual])
      assert.equal(error.offset, offset)
      assert.match(error.message, new RegExp(`^${actual} .*, at most ${limit} are allowed$`))
      return true
    },
  )
}

const where = (condition: string) => `SCAN * FROM t WHERE ${condition}`
const START = where('').length

test('a text of 1 MiB is parsed, one byte more is refused, and bytes are counted, not characters', () => {
  const bytes = PARSER_LIMITS.statementTextBytesMax
  const padded = (size: number) => `COMMIT${' '.repeat(size - 6)}`
  assert.equal(parser.parseScript(padded(bytes)).length, 1)
  assertExceeds(padded(bytes + 1), 'statementTextBytesMax', bytes + 1)
  const umlauts = `--${'ä'.repeat(bytes / 2)}`
  assertExceeds(umlauts, 'statementTextBytesMax', bytes + 2)
})

test('64 open parentheses are parsed, 65 refused', () => {
  const nested = (depth: number) => where(`${'('.repeat(depth)}a${')'.repeat(depth)}`)
  parser.parseScript(nested(64))
  assertExceeds(nested(65), 'nestingMax', 65, START + 64)
})

test('prefix operators count with the parentheses around them', () => {
  parser.parseScript(where(`${'- '.repeat(64)}a`))
  assertExceeds(where(`${'NOT '.repeat(65)}a`), 'nestingMax', 65, START + 64 * 4)
  const both = (depth: number) => where(`${'-('.repeat(depth)}a${')'.repeat(depth)}`)
  parser.parseScript(both(32))
  assertExceeds(both(33), 'nestingMax', 66, START + 64)
})

test('a CASE counts as a parenthesis, and a column called end closes none', () => {
  const nested = (depth: number, of: string) =>
    where(`${`CASE WHEN ${of} THEN `.repeat(depth)}1${' END'.repeat(depth)} = 1`)
  for (const part of ['a', 'end', 'end = end', '(end)', 'NOT end', 'end IS NOT NULL AND then']) {
    assert.doesNotThrow(() => parser.parseScript(nested(62, part)), part)
    assert.throws(() => parser.parseScript(nested(1_000, part)), { code: 'limit_exceeded' }, part)
  }
  const inElse = (depth: number) =>
    where(`${'CASE a WHEN end THEN end ELSE '.repeat(depth)}else${' END'.repeat(depth)} = 1`)
  parser.parseScript(inElse(64))
  assert.throws(() => parser.parseScript(inElse(65)), { code: 'limit_exceeded' })
  const side = Array(200).fill('CASE WHEN a THEN CASE end WHEN 1 THEN -end END ELSE - 1 END = b')
  parser.parseScript(where(side.join(' AND ')))
  assert.throws(() => parser.parseScript(where(`CASE WHEN a THEN ${'NOT '.repeat(64)}b END`)), {
    code: 'limit_exceeded',
  })
})

test('casts of casts cost no stack, and each is a node', () => {
  parser.parseScript(where(`a${'::TEXT'.repeat(5_900)} = b`))
  assert.throws(() => parser.parseScript(where(`a${'::TEXT'.repeat(6_100)} = b`)), {
    code: 'limit_exceeded',
  })
})

test('binary signs, negated predicates and closed parentheses do not count', () => {
  parser.parseScript(where(Array(200).fill('a - (b) NOT IN (- 1) AND c IS NOT NULL').join(' AND ')))
  const deep = `${'('.repeat(64)}a - b IS NOT NULL${')'.repeat(64)}`
  parser.parseScript(where(deep))
})

// Two of its nodes are the star and the table; each further value has a plus before it.
const sum = (values: number) => where(`1${'+1'.repeat(values - 1)}`)

test('12,000 names, values and operators of one statement are parsed, more refused', () => {
  parser.parseScript(sum(5_999))
  assertExceeds(sum(6_000), 'statementNodesMax', 12_001, sum(6_000).length - 1)
})

test('20,000 names, values and operators of a text are parsed, more refused', () => {
  const both = (values: number) => `${sum(5_000)}; ${sum(values)}`
  parser.parseScript(both(4_999))
  assertExceeds(both(5_000), 'expressionNodesMax', 20_002, both(5_000).length - 2)
})

test('parentheses inside parentheses count as nodes: each leads through the whole grammar', () => {
  const terms = (count: number, depth: number) =>
    where(
      Array(count)
        .fill(`${'('.repeat(depth)}a${')'.repeat(depth)}`)
        .join(' OR '),
    )
  parser.parseScript(terms(4_000, 1))
  parser.parseScript(terms(184, 64))
  const error = () => parser.parseScript(terms(200, 64))
  assert.throws(error, { limitName: 'statementNodesMax', actual: 2 + 200 + 199 + 200 * 63 })
})

test('a long INSERT is bounded by its rows and not as a whole', () => {
  const rows = Array<string>(2_000).fill('(1, 2, 3, 4, 5, 6, 7, 8)').join(', ')
  const [insert] = parser.parseScript(`INSERT INTO t (a, b, c, d, e, f, g, h) VALUES ${rows}`)
  assert.ok(insert?.kind === 'insert' && insert.rows.length === 2_000)
})

test('what is wrong with a text is explained in a turn of its own', () => {
  const parts = parser.parseInParts(`${where('a = 1')} zzz`)
  let turns = 0
  const explained = () => {
    while (parts.next().done !== true) turns += 1
  }
  assert.throws(explained, { code: 'syntax_error' })
  assert.equal(turns, 2)
})

test('1,000 statements are parsed, more refused; empty ones do not count', () => {
  assert.equal(parser.parseScript('COMMIT;;'.repeat(1000)).length, 1000)
  assertExceeds('COMMIT;'.repeat(1001), 'statementsMax', 1001, 7000)
})

test('10,000 different parameters are parsed, more refused, and so is a higher number', () => {
  const list = (count: number) =>
    where(`a IN (${Array.from({ length: count }, (_, index) => `:p${index}`).join(',')})`)
  parser.parseScript(list(10_000))
  assertExceeds(list(10_001), 'parametersMax', 10_001, list(10_001).lastIndexOf(':'))
  parser.parseScript(where('a = $10000'))
  assertExceeds(where('a = $10001'), 'parametersMax', 10_001, START + 4)
})

test('a chain of thousands of conditions is one flat node', () => {
  const chain = Array.from({ length: 5_999 }, () => 'a').join(' AND ')
  const [statement] = parser.parseScript(where(chain))
  assert.ok(statement?.kind === 'scan' && statement.where?.kind === 'logical')
  assert.equal(statement.where.operands.length, 5_999)
})

test('no text of 1 MiB takes long, whatever it repeats', () => {
  const bytes = PARSER_LIMITS.statementTextBytesMax
  const filled = (start: string, unit: string) =>
    start + unit.repeat(Math.floor((bytes - start.length) / unit.length))
  const worst = [
    ...[';', '(', '()', ',', '.', '\u0001', "'", '"', '\n', '/*', '1', ':a', "x'", '1e', 'a '],
    ...['COMMIT;', "''", '- ', '/**/', 'a.', ':', '$', "x''", '`', '[', '--\n', '\r', "'''"],
  ]
  for (const unit of worst) {
    for (const start of ['', 'SCAN a']) {
      const text = filled(start, unit)
      const began = process.cpuUsage().user
      try {
        parser.parseScript(text)
      } catch (error) {
        assert.ok(error instanceof ParseError, `${error}`)
      }
      const seconds = (process.cpuUsage().user - began) / 1e6
      assert.ok(seconds < 4, `${JSON.stringify(start + unit)} took ${seconds} s`)
    }
  }
})

test('a text of very many marks is refused before it is cut into tokens', () => {
  const max = PARSER_LIMITS.tokensMax
  assert.deepEqual(parser.parseScript(';'.repeat(max)), [])
  assertExceeds(';'.repeat(max + 1), 'tokensMax', max + 1, max)
  const long = `'${';'.repeat(max)}' /*${';'.repeat(max)}*/ --${';'.repeat(max)}`
  assert.equal(parser.parseScript(`SCAN * FROM t WHERE a = ${long}`).length, 1)
  // Marks that belong to one token are one.
  const quotes = `'${"''".repeat(max)}'`
  assert.equal(parser.parseScript(`SCAN * FROM t WHERE a = ${quotes}`).length, 1)
  assertExceeds('a.'.repeat(max), 'tokensMax', max + 1, max)
})
