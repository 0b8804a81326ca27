// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check'
import type { SqlType } from '../../storage/values/sql-type.ts'
import { LITERALS, TYPES } from './literals.ts'

// Expressions and conditions over the tables of the fuzz server, mostly of right types.

type Text = fc.Arbitrary<string>

export const COLUMNS: Readonly<Record<string, Readonly<Record<string, SqlType>>>> = {
  account: { id: 'TEXT', balance: 'INTEGER' },
  every: {
    id: 'TEXT',
    n: 'INTEGER',
    r: 'REAL',
    b: 'BOOLEAN',
    y: 'BYTES',
    at: 'TIMESTAMP',
    j: 'JSON',
    s: 'TEXT',
    m: 'DECIMAL',
  },
  moment: { at: 'TIMESTAMP', y: 'BYTES', b: 'BOOLEAN', r: 'REAL', j: 'JSON', s: 'TEXT' },
}
export const KEYS: Readonly<Record<string, readonly string[]>> = {
  account: ['id'],
  every: ['id', 'n'],
  moment: ['at', 'y', 'b', 'r'],
}

const PARAMETERS = [':p', ':q', ':list', '$1']
export const anyType = fc.constantFrom(...TYPES)
export const NESTING = 2

/** Mostly an expression of this type; sometimes of another one. */
export function expression(type: SqlType, table: string, depth = NESTING): Text {
  const names = Object.entries(COLUMNS[table] ?? {})
    .filter(([, columnType]) => columnType === type)
    .map(([name]) => name)
  const leaf = fc.oneof(
    { weight: 5, arbitrary: LITERALS[type] },
    { weight: names.length > 0 ? 5 : 0, arbitrary: fc.constantFrom('NULL', ...names) },
    { weight: 1, arbitrary: fc.constantFrom('NULL', ...PARAMETERS) },
  )
  if (depth === 0) return leaf
  return fc.oneof(
    { weight: 3, arbitrary: leaf },
    { weight: 4, arbitrary: compound(type, table, depth) },
  )
}

const call = (names: readonly string[], ...operands: Text[]) =>
  fc
    .tuple(fc.constantFrom(...names), ...operands)
    .map(([name, ...all]) => `${name}(${all.join(', ')})`)

/** What gives a value of any type. */
function ofAnyType(type: SqlType, table: string, depth: number): readonly Text[] {
  const part = (of: SqlType = type) => expression(of, table, depth - 1)
  return [
    fc
      .tuple(condition(table, depth - 1), part(), part())
      .map(([when, result, other]) => `CASE WHEN ${when} THEN ${result} ELSE ${other} END`),
    fc
      .tuple(
        anyType.chain((of) => fc.tuple(part(of), part(of))),
        part(),
      )
      .map(([[value, when], result]) => `CASE ${value} WHEN ${when} THEN ${result} END`),
    anyType.chain(part).map((inner) => `(${inner})::${type}`),
    anyType.chain(part).map((inner) => `CAST(${inner} AS ${type})`),
    call(['nullif'], part(), part()),
    call(['coalesce', 'least', 'greatest'], part(), part()),
    part().map((inner) => `(${inner})`),
  ]
}

function compound(type: SqlType, table: string, depth: number): Text {
  const part = (of: SqlType = type) => expression(of, table, depth - 1)
  const binary = (operators: readonly string[], left = part(), right = part()) =>
    fc.tuple(left, fc.constantFrom(...operators), right).map((all) => `(${all.join(' ')})`)
  const path = fc.constantFrom("'{a}'", "'{a,0}'", "'{-1}'", "'{}'", "'a'", '\'{"__proto__"}\'')
  const unit = fc.constantFrom("'day'", "'week'", "'month'", "'epoch'", "'years'", "'x'")
  const own: Readonly<Record<SqlType, readonly Text[]>> = {
    TEXT: [
      binary(['||']),
      call(['lower', 'upper', 'trim', 'ltrim', 'rtrim'], part('TEXT')),
      call(['trim', 'rtrim'], part('TEXT'), part('TEXT')),
      call(['replace'], part('TEXT'), part('TEXT'), part('TEXT')),
      call(['substr'], part('TEXT'), part('INTEGER'), part('INTEGER')),
      call(['concat'], anyType.chain(part), anyType.chain(part)),
      call(['json_type'], part('JSON')),
      binary(['->>'], part('JSON'), fc.constantFrom("'a'", '0', '-1')),
      binary(['#>>'], part('JSON'), path),
    ],
    INTEGER: [
      binary(['+', '-', '*', '/', '%']),
      binary(['-'], part('TIMESTAMP'), part('TIMESTAMP')),
      binary(['-'], part('DATE'), part('DATE')),
      call(['length'], fc.oneof(part('TEXT'), part('BYTES'))),
      call(['abs', 'round', 'floor', 'ceil', 'sign', '-'], part('INTEGER')),
      call(['round'], part('INTEGER'), part('INTEGER')),
      call(['position'], part('TEXT'), part('TEXT')),
      call(['json_length'], part('JSON')),
      call(['extract'], unit, part('TIMESTAMP')),
      fc.constantFrom("INTERVAL '1 day'", "INTERVAL '2 hours 3 seconds'", "INTERVAL '1 month'"),
    ],
    DECIMAL: decimals(part, binary),
    REAL: [
      binary(['+', '-', '*', '/', '%'], part(), fc.oneof(part(), part('INTEGER'))),
      call(['abs', 'round', 'floor', 'ceil', 'sign', '-'], part('REAL')),
      call(['round'], part('REAL'), fc.integer({ min: -1, max: 16 }).map(String)),
    ],
    BOOLEAN: [
      condition(table, depth - 1),
      binary(['@>'], part('JSON'), part('JSON')),
      binary(['?'], part('JSON'), part('TEXT')),
    ],
    BYTES: [binary(['||']), call(['substr'], part(), part('INTEGER'))],
    DATE: [
      binary(['+', '-'], part('DATE'), part('INTEGER')),
      call(['add_months'], part('DATE'), part('INTEGER')),
    ],
    TIMESTAMP: [
      binary(['+', '-'], part(), part('INTEGER')),
      call(['date_trunc'], unit, part()),
      call(['add_months'], part(), part('INTEGER')),
    ],
    JSON: [
      binary(['->'], part(), fc.constantFrom("'a'", '0', '-1')),
      binary(['#>'], part(), path),
      call(['json_set'], part(), path, anyType.chain(part)),
      call(['json_remove'], part(), path),
      call(['to_json'], anyType.chain(part)),
    ],
  }
  return fc.oneof(...ofAnyType(type, table, depth), ...own[type])
}

function decimals(
  part: (of?: SqlType) => Text,
  binary: (operators: readonly string[], left: Text, right: Text) => Text,
): readonly Text[] {
  const beside = fc.oneof(part(), part('INTEGER'), part('REAL'))
  return [
    binary(['+', '-', '*', '/', '%'], part(), beside),
    call(['abs', 'round', 'trunc', 'floor', 'ceil', 'sign', '-'], part()),
    call(['round', 'trunc'], part(), fc.integer({ min: -1, max: 39 }).map(String)),
    call(['mod'], part(), beside),
    part('REAL').map((inner) => `(${inner})::DECIMAL(38, 19)`),
  ]
}

export function condition(table: string, depth: number): Text {
  const compared = anyType.chain((type) => {
    const operand = expression(type, table, Math.max(0, depth - 1))
    const several = fc.array(operand, { minLength: 1, maxLength: 3 }).map((all) => all.join(', '))
    return fc.oneof(
      fc
        .tuple(operand, fc.constantFrom('=', '<>', '<', '<=', '>', '>=', '!='), operand)
        .map((all) => all.join(' ')),
      fc.tuple(operand, operand, operand).map(([a, b, c]) => `${a} BETWEEN ${b} AND ${c}`),
      fc
        .tuple(operand, fc.constantFrom('IN', 'NOT IN'), several)
        .map(([a, b, c]) => `${a} ${b} (${c})`),
      operand.map((a) => `${a} IN :list`),
      fc.tuple(operand, fc.constantFrom('IS NULL', 'IS NOT NULL')).map((all) => all.join(' ')),
      fc
        .tuple(operand, fc.constantFrom('LIKE', 'NOT LIKE', 'MATCH', 'NOT MATCH'), operand)
        .map((all) => all.join(' ')),
    )
  })
  if (depth <= 0) return compared
  const inner = condition(table, depth - 1)
  return fc.oneof(
    { weight: 4, arbitrary: compared },
    fc.tuple(inner, fc.constantFrom('AND', 'OR'), inner).map((all) => all.join(' ')),
    inner.map((one) => `NOT (${one})`),
  )
}

/** A condition that names the whole key, so that GET and SET get through to the row. */
export function keyCondition(table: string, only?: '='): Text {
  const columns = KEYS[table] as readonly string[]
  const parts = columns.map((name) => {
    const value = expression(COLUMNS[table]?.[name] as SqlType, table, 0)
    return fc.oneof(
      { weight: 4, arbitrary: value.map((one) => `${name} = ${one}`) },
      {
        weight: only === undefined ? 1 : 0,
        arbitrary: fc.tuple(value, value).map((all) => `${name} IN (${all.join(', ')})`),
      },
    )
  })
  return fc.tuple(...parts).map((all) => all.join(' AND '))
}

export function where(table: string): Text {
  const both = fc.tuple(keyCondition(table), condition(table, NESTING))
  return fc
    .oneof(
      { weight: 3, arbitrary: keyCondition(table) },
      { weight: 1, arbitrary: condition(table, NESTING) },
      { weight: 1, arbitrary: both.map((all) => all.join(' AND ')) },
    )
    .map((one) => `WHERE ${one}`)
}
