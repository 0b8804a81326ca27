// SPDX-License-Identifier: Apache-2.0
import { joined, listed, same, type TwoTexts } from './joined-texts.ts'
import type { Chooser } from './random-table.ts'

// Exact numbers in the words of the dialect and of PostgreSQL, which are mostly the same.

/** Columns of both tables, with their digits; the others are whole numbers. */
export const DECIMAL_COLUMNS: Readonly<Record<string, string>> = {
  a: '4, 2',
  b: '18, 2',
  c: '18, 18',
  d: '38, 0',
  e: '38, 19',
  f: '9, 5',
}
const WHOLE_COLUMNS = ['i', 'j'] as const

/** A number of at most so many digits, and so many behind the point; often a short one, or one near a power of ten. */
export function digitsText(choose: Chooser, size: string): string {
  const [precision, scale] = size.split(', ').map(Number) as [number, number]
  const kind = choose.below(4)
  const count = kind === 0 ? precision : choose.below(Math.min(precision, 4) + 1)
  let digits = kind === 1 ? choose.oneOf(['9', '1']).padEnd(count, choose.oneOf(['9', '0'])) : ''
  while (digits.length < count) digits += String(choose.below(10))
  digits = digits.slice(0, precision).padStart(scale + 1, '0')
  const point = digits.length - scale
  const text = scale === 0 ? digits : `${digits.slice(0, point)}.${digits.slice(point)}`
  return choose.percent(40) ? `-${text}` : text
}

function literal(choose: Chooser): TwoTexts {
  const size = choose.oneOf([...Object.values(DECIMAL_COLUMNS), '3, 1', '5, 3', '2, 0'])
  const text = digitsText(choose, size)
  return same(text.includes('.') ? `(${text})` : `(${text}.0)`)
}

function column(choose: Chooser): TwoTexts {
  return same(choose.oneOf(Object.keys(DECIMAL_COLUMNS)))
}

function whole(choose: Chooser): TwoTexts {
  const number = `${choose.below(2_000) - 1_000}`
  return choose.percent(60)
    ? same(choose.oneOf(WHOLE_COLUMNS))
    : { ours: `(${number})`, theirs: `(${number})::bigint` }
}

/** An expression that is a DECIMAL on both sides. */
export function decimalExpression(choose: Chooser, depth: number): TwoTexts {
  if (depth === 0) return column(choose)
  const inner = (): TwoTexts => decimalExpression(choose, depth - 1)
  const beside = (): TwoTexts => {
    const kind = choose.below(6)
    return kind === 0 ? literal(choose) : kind === 1 ? whole(choose) : inner()
  }
  const operator = same(choose.oneOf(['+', '-', '*', '+', '-', '*', '/', '%']))
  switch (choose.below(11)) {
    case 0:
    case 1:
    case 2:
      return joined`(${inner()} ${operator} ${beside()})`
    case 3:
      return joined`(${beside()} ${operator} ${inner()})`
    case 4:
      return joined`(${inner()} ${operator} ${inner()} ${operator} ${beside()})`
    case 5:
      return joined`${same(choose.oneOf(['abs', 'round', 'trunc', 'floor', 'ceil', 'sign', '-']))}(${inner()})`
    case 6:
      return joined`${same(choose.oneOf(['round', 'trunc']))}(${inner()}, ${same(`${choose.below(30)}`)})`
    case 7:
      return chosen(choose, inner, beside)
    case 8:
      return cast(choose, inner)
    case 9:
      return joined`(${whole(choose)} * ${literal(choose)} + ${inner()})`
    default:
      return joined`mod(${inner()}, ${inner()})`
  }
}

function chosen(choose: Chooser, inner: () => TwoTexts, beside: () => TwoTexts): TwoTexts {
  const known = () => joined`coalesce(${inner()}, 0)`
  switch (choose.below(4)) {
    case 0:
      return joined`CASE WHEN ${decimalCondition(choose, 1)} THEN ${inner()} ELSE ${beside()} END`
    case 1:
      return joined`coalesce(${inner()}, ${beside()})`
    case 2:
      return joined`nullif(${inner()}, ${beside()})`
    default:
      // NULL is the answer of the dialect when an argument is NULL, and left out there.
      return joined`${same(choose.oneOf(['least', 'greatest']))}(${known()}, ${known()}, 1.50)`
  }
}

function cast(choose: Chooser, inner: () => TwoTexts): TwoTexts {
  const size = choose.oneOf(['38, 10', '20, 3', '6, 2', '38, 0'])
  switch (choose.below(5)) {
    case 0:
      return joined`(${inner()})::NUMERIC(${same(size)})`
    case 1:
      return joined`CAST(${inner()} AS NUMERIC(${same(size)}))`
    case 2: {
      const { ours, theirs } = inner()
      return { ours: `(${ours})::TEXT::DECIMAL`, theirs: `(${theirs})::text::numeric` }
    }
    case 3: {
      const { ours, theirs } = inner()
      return { ours: `(${ours})::INTEGER::DECIMAL`, theirs: `(${theirs})::bigint::numeric` }
    }
    default: {
      const { ours, theirs } = inner()
      return { ours: `to_json(${ours})::DECIMAL`, theirs: `to_jsonb(${theirs})::numeric` }
    }
  }
}

/** A condition on DECIMALs; some bound a key or an index. */
export function decimalCondition(choose: Chooser, depth: number): TwoTexts {
  const side = () => (depth > 1 ? decimalExpression(choose, depth - 1) : column(choose))
  const other = () => (choose.percent(60) ? literal(choose) : decimalExpression(choose, depth - 1))
  const operator = same(choose.oneOf(['=', '<>', '<', '<=', '>', '>=']))
  switch (choose.below(5)) {
    case 0:
      return joined`${side()} BETWEEN ${literal(choose)} AND ${other()}`
    case 1:
      return joined`${side()} IN (${listed([literal(choose), literal(choose), other()])})`
    case 2:
      return joined`(${column(choose)} ${operator} ${literal(choose)} AND ${column(choose)} IS NOT NULL)`
    default:
      return joined`${side()} ${operator} ${other()}`
  }
}
