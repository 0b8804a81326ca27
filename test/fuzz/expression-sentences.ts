// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check'
import type { SqlType } from '../../storage/tables/sql-type.ts'
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

function compound(type: SqlType, table: string, depth: number): Text {
  const part = (of: SqlType = type) => expression(of, table, depth - 1)
  const binary = (operators: readonly string[], left = part(), right = part()) =>
    fc.tuple(left, fc.constantFrom(...operators), right).map((all) => `(${all.join(' ')})`)
  const call = (names: readonly string[], ...operands: Text[]) =>
    fc
      .tuple(fc.constantFrom(...names), ...operands)
      .map(([name, ...all]) => `${name}(${all.join(', ')})`)
  const anything = [
    call(['coalesce', 'least', 'greatest'], part(), part()),
    part().map((inner) => `(${inner})`),
  ]
  const own: Readonly<Record<SqlType, readonly Text[]>> = {
    TEXT: [binary(['||']), call(['lower', 'upper'], part('TEXT'))],
    INTEGER: [
      binary(['+', '-', '*', '/', '%']),
      binary(['-'], part('TIMESTAMP'), part('TIMESTAMP')),
      call(['length'], fc.oneof(part('TEXT'), part('BYTES'))),
      call(['abs', 'round', '-'], part('INTEGER')),
      call(['round'], part('INTEGER'), part('INTEGER')),
    ],
    REAL: [
      binary(['+', '-', '*', '/', '%'], part(), fc.oneof(part(), part('INTEGER'))),
      call(['abs', 'round', '-'], part('REAL')),
      call(['round'], part('REAL'), fc.integer({ min: -1, max: 16 }).map(String)),
    ],
    BOOLEAN: [condition(table, depth - 1)],
    BYTES: [binary(['||'])],
    TIMESTAMP: [binary(['+', '-'], part(), part('INTEGER'))],
    JSON: [],
  }
  return fc.oneof(...anything, ...own[type])
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
      fc.tuple(operand, fc.constantFrom('LIKE', 'NOT LIKE'), operand).map((all) => all.join(' ')),
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
