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

test('binary signs, negated predicates and closed parentheses do not count', () => {
  parser.parseScript(where(Array(200).fill('a - (b) NOT IN (- 1) AND c IS NOT NULL').join(' AND ')))
  const deep = `${'('.repeat(64)}a - b IS NOT NULL${')'.repeat(64)}`
  parser.parseScript(where(deep))
})

test('20,000 names, values and operators are parsed, more refused', () => {
  // Two of them are the star and the table; each further value has a plus before it.
  const sum = (values: number) => where(`1${'+1'.repeat(values - 1)}`)
  parser.parseScript(sum(9_999))
  assertExceeds(sum(10_000), 'expressionNodesMax', 20_001, sum(10_000).length - 1)
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
  const chain = Array.from({ length: 6_000 }, () => 'a').join(' AND ')
  const [statement] = parser.parseScript(where(chain))
  assert.ok(statement?.kind === 'scan' && statement.where?.kind === 'logical')
  assert.equal(statement.where.operands.length, 6_000)
})

test('no text of 1 MiB takes long, whatever it repeats', () => {
  const bytes = PARSER_LIMITS.statementTextBytesMax
  const filled = (start: string, unit: string) =>
    start + unit.repeat(Math.floor((bytes - start.length) / unit.length))
  const worst = [
    ...[';', '(', '()', ',', '.', '\u0001', "'", '"', '\n', '/*', '1', ':a', "x'", '1e', 'a '],
    ...['COMMIT;', "''", '- ', '/**/'],
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
})
