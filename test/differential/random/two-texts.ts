// SPDX-License-Identifier: Apache-2.0

import { dateToText, timestampToText } from '../../../planner/json/timestamp-text.ts'
import type { SqlType } from '../../../storage/values/values.ts'

import { joined, listed, same, type TwoTexts } from './joined-texts.ts'
import { moreExpression } from './more-expressions.ts'
import { perhapsListParameter, perhapsParameter } from './random-parameter.ts'
import type { Chooser, ComparedType, RandomColumn, StoredColumn } from './random-table.ts'

/** A condition, and the column that it names, if only one. */
export type TwoConditions = TwoTexts & { readonly column?: RandomColumn }

const EPOCH = 1_767_225_600_000_000n
const TEXTS = ['', 'a', 'ab', 'abc', 'b', 'B', 'a%', 'a_', '日', '😀', 'a😀', '\uffee', 'zz']
/** Without blanks and numbers: SQLite has numbers where the dialect has their text. */
const JSONS: ReadonlyArray<(text: string) => string> = [
  (text) => `{"a":${text}}`,
  (text) => `{"b":{"c":${text}}}`,
  (text) => `{"a":${text},"b":{"c":${text}}}`,
  (text) => `{"b":${text},"a":"a"}`,
  (text) => `{"b":[${text}],"a":null}`,
  () => '{}',
]
const BYTES = ['', '00', '00ff', 'ff', '61', '6100']

/** NULL is one of them unless it is refused. Few values, so that rows meet each other. */
export function value(choose: Chooser, { type, notNull }: StoredColumn): TwoTexts {
  if (!notNull && choose.percent(20)) return same('NULL')
  return knownValue(choose, type)
}

export function knownValue(choose: Chooser, type: SqlType): TwoTexts {
  switch (type) {
    case 'INTEGER':
      return same(String(choose.below(9) - 3))
    case 'DECIMAL':
      return hundredths(choose.below(13) * 25 - 125)
    case 'REAL':
      return same(`${(choose.below(13) - 5) / 2}`.replace(/^(-?\d+)$/, '$1.0'))
    case 'TEXT':
      return same(`'${choose.oneOf(TEXTS)}'`)
    case 'BOOLEAN':
      return same(choose.oneOf(['TRUE', 'FALSE']))
    case 'BYTES':
      return same(`x'${choose.oneOf(BYTES)}'`)
    case 'JSON':
      return same(`'${choose.oneOf(JSONS)(JSON.stringify(choose.oneOf(TEXTS)))}'`)
    case 'DATE': {
      const days = choose.below(6) + 20_454
      return { ours: `'${dateToText(days)}'`, theirs: String(days) }
    }
    case 'TIMESTAMP': {
      const micros = EPOCH + BigInt(choose.below(6)) * 1_500_000n
      return { ours: `'${timestampToText(micros)}'`, theirs: String(micros) }
    }
  }
}

function hundredths(units: number): TwoTexts {
  return { ours: (units / 100).toFixed(2), theirs: `${units}` }
}

/** An expression of that type over the columns, so deep at most. */
export function expression(
  choose: Chooser,
  columns: readonly RandomColumn[],
  type: ComparedType,
  depth = 2,
): TwoTexts {
  const ofType = columns.filter((column) => column.type === type)
  const inner = (of: ComparedType = type) => expression(choose, columns, of, depth - 1)
  if (type === 'DECIMAL' && ofType.length === 0) {
    // Alone it would be a REAL.
    const { ours, theirs } = knownValue(choose, type)
    return { ours: `(${ours})::DECIMAL`, theirs }
  }
  if (depth === 0 || choose.percent(35)) {
    // A text becomes a point in time only beside one, so a column has to be there.
    return ofType.length > 0 &&
      (['TIMESTAMP', 'DATE', 'DECIMAL'].includes(type) || choose.percent(75))
      ? same(operandText(choose.oneOf(ofType)))
      : knownValue(choose, type)
  }
  if (choose.percent(40)) return moreExpression({ choose, columns, type, inner })
  switch (choose.below(type === 'INTEGER' || type === 'TEXT' || type === 'REAL' ? 6 : 2)) {
    case 0:
      return joined`coalesce(${inner()}, ${inner()})`
    case 1: {
      const [a, b] = [inner(), inner()]
      const name = choose.oneOf(['least', 'greatest'])
      return {
        ours: `${name}(${a.ours}, ${b.ours})`,
        theirs: `${name === 'least' ? 'min' : 'max'}(${a.theirs}, ${b.theirs})`,
      }
    }
    default:
      if (type === 'TEXT') return textExpression(choose, inner)
      return numberExpression(choose, { type, columns }, inner)
  }
}

/** A path binds as loosely as `||` in the dialect, and tighter in SQLite. */
function operandText({ name }: RandomColumn): string {
  return name.includes('->') ? `(${name})` : name
}

function textExpression(choose: Chooser, inner: () => TwoTexts): TwoTexts {
  switch (choose.below(3)) {
    case 0:
      return joined`lower(${inner()})`
    case 1:
      return joined`upper(${inner()})`
    default:
      return joined`(${inner()} || ${inner()})`
  }
}

function numberExpression(
  choose: Chooser,
  { type, columns }: { readonly type: ComparedType; readonly columns: readonly RandomColumn[] },
  inner: (type?: ComparedType) => TwoTexts,
): TwoTexts {
  const times = columns.filter((column) => column.type === 'TIMESTAMP')
  const operator = same(choose.oneOf(['+', '-', '*']))
  switch (choose.below(5)) {
    case 0:
      return joined`abs(${inner()})`
    case 1:
      return type === 'REAL' ? joined`round(${inner()}, 1)` : joined`length(${inner('TEXT')})`
    case 2:
      // A divisor that is never zero, which is an error here and NULL there.
      return type === 'REAL'
        ? joined`(${inner()} / 2.0)`
        : joined`(${inner()} ${same(choose.oneOf(['/', '%']))} 3)`
    case 3:
      return type === 'INTEGER' && times.length > 0
        ? joined`(${same(choose.oneOf(times).name)} - ${same(choose.oneOf(times).name)}) / 500000`
        : inner()
    default:
      return joined`(${inner()} ${operator} ${inner()})`
  }
}

/** A condition on any of these columns; some can bound a key. */
export function condition(choose: Chooser, columns: readonly RandomColumn[]): TwoConditions {
  if (choose.percent(75)) return simpleCondition(choose, choose.oneOf(columns))
  const inner = () => condition(choose, columns)
  switch (choose.below(5)) {
    case 0:
      return joined`(${inner()} OR ${inner()})`
    case 1:
      return joined`NOT (${inner()})`
    case 2:
      return joined`(${inner()} AND ${inner()})`
    default: {
      const type = choose.oneOf(['INTEGER', 'TEXT', 'REAL'] as const)
      const operator = same(choose.oneOf(['=', '<>', '<', '<=', '>', '>=']))
      return joined`${expression(choose, columns, type)} ${operator} ${expression(choose, columns, type)}`
    }
  }
}

/**
 * Of a row of values, as a key that begins with these columns can be bounded by it; the choice of which an order of
 * several directions makes is one as well.
 */
export function rowCondition(choose: Chooser, columns: readonly RandomColumn[]): TwoConditions {
  const literal = (column: RandomColumn) => {
    return value(choose, { ...column, notNull: choose.percent(95) })
  }
  const row = () =>
    joined`(${listed(columns.map((column) => perhapsParameter(choose, literal(column))))})`
  const names = joined`(${listed(columns.map(({ name }) => same(name)))})`
  const operator = same(choose.oneOf(['<', '<=', '>', '>=', '<', '>', '=', '<>']))
  switch (choose.below(5)) {
    case 0: {
      const rows = Array.from({ length: 1 + choose.below(4) }, row)
      // SQLite takes a list of rows by VALUES only.
      const list = listed(rows)
      const { ours, theirs } = list
      const not = choose.percent(20) ? 'NOT ' : ''
      return {
        ours: `${names.ours} ${not}IN (${ours})`,
        theirs: `${names.theirs} ${not}IN (VALUES ${theirs})`,
        parameters: list.parameters ?? {},
      }
    }
    case 1: {
      const [first, second] = columns as [RandomColumn, RandomColumn]
      const [far, near] = [same(choose.oneOf(['<', '>'])), same(choose.oneOf(['<', '>=']))]
      const [a, b] = [literal(first), literal(second)]
      const [x, y] = [same(first.name), same(second.name)]
      return joined`${x} ${far} ${a} OR (${x} = ${a} AND ${y} ${near} ${b})`
    }
    case 2:
      return joined`${row()} ${operator} ${names}`
    default:
      return joined`${names} ${operator} ${row()}`
  }
}

/** On one column, as a key can be bounded by it. */
export function simpleCondition(choose: Chooser, column: RandomColumn): TwoConditions {
  const { type } = column
  const name = same(column.name)
  const literal = (): TwoTexts => {
    const { ours, theirs } = value(choose, { ...column, notNull: choose.percent(95) })
    // Now and then between two values that the column can have.
    const isBetween = type === 'DECIMAL' && ours !== 'NULL' && choose.percent(25)
    return isBetween ? { ours: `${ours}7`, theirs: `${theirs}.7` } : { ours, theirs }
  }
  const known = () => perhapsParameter(choose, literal())
  const kinds = type === 'TEXT' ? 9 : 8
  switch (choose.below(kinds)) {
    case 0:
    case 1:
    case 2:
      return { ...joined`${name} = ${known()}`, column }
    case 3: {
      const list = Array.from({ length: 1 + choose.below(4) }, literal)
      return { ...joined`${name} IN ${perhapsListParameter(choose, list)}`, column }
    }
    case 4:
      return { ...joined`${name} BETWEEN ${known()} AND ${known()}`, column }
    case 5:
      return { ...joined`${name} IS ${same(choose.oneOf(['NULL', 'NOT NULL']))}`, column }
    case 6:
    case 7: {
      const operator = same(choose.oneOf(['<', '<=', '>', '>=']))
      return { ...joined`${name} ${operator} ${known()}`, column }
    }
    default: {
      const pattern = same(choose.oneOf(["'a%'", "'a_'", "'%b'", "'a%c'", "'a'", "'日%'", "'_'"]))
      return { ...joined`${name} LIKE ${pattern}`, column }
    }
  }
}
