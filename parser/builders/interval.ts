// SPDX-License-Identifier: Apache-2.0
import type { IToken } from 'chevrotain'
import type {
  AlterStoreStatement,
  BinaryExpression,
  Expression,
  LiteralExpression,
  Position,
} from '../ast.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import { type ParseError, shownToken, syntaxError } from '../parse-error.ts'
import { only, positionOfToken } from './cst-position.ts'
import { unquoted } from './literal.ts'

const MICROS = byUnit({
  microsecond: 1n,
  millisecond: 1_000n,
  second: 1_000_000n,
  minute: 60_000_000n,
  hour: 3_600_000_000n,
  day: 86_400_000_000n,
  week: 604_800_000_000n,
})
/** They are not equally long, so a time is needed to tell how long. */
const MONTHS = byUnit({ month: 1n, quarter: 3n, year: 12n })

/** By the name of the unit, with and without an s. */
function byUnit(units: Readonly<Record<string, bigint>>): ReadonlyMap<string, bigint> {
  const entries = Object.entries(units)
  return new Map([...entries, ...entries.map(([unit, size]) => [`${unit}s`, size] as const)])
}

const DIGITS_MAX = 18

/** `INTERVAL '1 day 2 hours'`: an INTEGER of microseconds, written in words. Throws `ParseError` for other words. */
export function buildInterval(node: cst.IntervalCstNode): LiteralExpression {
  const { months, literal } = readInterval(node)
  if (months === 0n) return literal
  const hint = "months and years are added to a time, now() + INTERVAL '1 month'"
  throw noInterval(only(node.children.Text), hint)
}

/** What follows ALTER, whose position is given. Throws `ParseError` for words that are no INTERVAL of one length. */
export function buildAlteredStore(
  { children }: cst.AlteredStoreCstNode,
  position: Position,
): AlterStoreStatement {
  const text = only(children.Text)
  const { months, micros } = readWords(text)
  if (months > 0n) throw noInterval(text, 'months and years are not equally long: give days')
  const retention = { ms: micros / 1_000n, position: positionOfToken(text) }
  return { kind: 'alterStore', retention, position }
}

function readInterval(node: cst.IntervalCstNode) {
  const { months, micros: value } = readWords(only(node.children.Text))
  const position = positionOfToken(only(node.children.IntervalMark))
  const literal = { kind: 'literal', type: 'integer', value, isInterval: true, position } as const
  return { months, literal }
}

/** `'1 month 2 hours'`: what it adds in months, and what it adds beside them. */
function readWords(text: IToken): { readonly months: bigint; readonly micros: bigint } {
  const words = unquoted(text.image).toLowerCase().trim().split(/\s+/)
  let [months, micros] = [0n, 0n]
  for (let at = 0; at < words.length; at += 2) {
    const [count = '', unit = ''] = words.slice(at, at + 2)
    const [ofMonths, ofMicros] = [MONTHS.get(unit), MICROS.get(unit)]
    const isUnit = ofMonths !== undefined || ofMicros !== undefined
    if (!isUnit || !/^\d+$/.test(count) || count.length > DIGITS_MAX) {
      throw noInterval(
        text,
        "it is written as INTERVAL '2 hours 30 minutes', with whole numbers of years, quarters, months, weeks, days, hours, minutes, seconds, milliseconds and microseconds",
      )
    }
    months += BigInt(count) * (ofMonths ?? 0n)
    micros += BigInt(count) * (ofMicros ?? 0n)
  }
  return { months, micros }
}

function noInterval(token: IToken, hint: string): ParseError {
  const about = { token: shownToken(token.image), hint }
  return syntaxError('this is no INTERVAL', positionOfToken(token), about)
}

/** What is added to the expression before it, and how many months are added to that first. */
export type Addend = BinaryExpression['rest'][number] & { readonly months?: bigint }

/** The operand after + or - as an INTERVAL; undefined where it is something else. */
export function buildAddedInterval({
  children,
}: cst.ProductCstNode): Pick<Addend, 'operand' | 'months'> | undefined {
  const [factor, another] = children.factor
  const interval = factor?.children.operand[0]?.children.interval?.[0]
  const isAlone = another === undefined && factor?.children.Sign === undefined
  if (interval === undefined || !isAlone) return undefined
  const { months, literal } = readInterval(interval)
  return months === 0n ? { operand: literal } : { operand: literal, months }
}

/** `a + INTERVAL '1 month 2 days'` is `add_months(a, 1) + INTERVAL '2 days'`, months first, as in PostgreSQL. */
export function withMonths(
  first: Expression,
  rest: readonly Addend[],
  chain: (first: Expression, rest: readonly Addend[]) => Expression,
): Expression {
  const at = rest.findIndex(({ months }) => months !== undefined)
  const { months = 0n, ...added } = rest[at] ?? {}
  if (at < 0) return chain(first, rest)
  const before = at === 0 ? first : chain(first, rest.slice(0, at))
  const { operator, operand, position } = added as Addend
  const literal = { kind: 'literal', type: 'integer', value: months, position } as const
  const back = { kind: 'unary', operator: '-', operand: literal, position } as const
  const count = operator === '-' ? back : literal
  const moved = {
    kind: 'call',
    function: 'add_months',
    arguments: [before, count],
    position: first.position,
  } as const
  const isMonthsAlone = (operand as LiteralExpression).value === 0n
  const after = [...(isMonthsAlone ? [] : [added as Addend]), ...rest.slice(at + 1)]
  return after.length === 0 ? moved : withMonths(moved, after, chain)
}
