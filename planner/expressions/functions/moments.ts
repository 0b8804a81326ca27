// SPDX-License-Identifier: Apache-2.0
import type { Expression } from '../../../parser/ast.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { PlanError } from '../../plan-error.ts'
import type { CompiledExpression, ExpressionCompiler, Scope } from '../compiled-expression.ts'
import { checkedTimestamp } from '../expression-arithmetic.ts'
import { compileAs, isOpen } from '../type-check.ts'
import { argumentAt, type Call, computed, type Definitions, derived, taking } from './definition.ts'

/** Of a TIMESTAMP, in UTC, or of a DATE. */
export const MOMENT_FUNCTIONS: Definitions = {
  date_trunc: taking(2, 2, compileTrunc),
  extract: taking(2, 2, compileExtract),
  add_months: taking(2, 2, compileAddMonths),
}

const SECOND = 1_000_000n
const MINUTE = 60n * SECOND
const HOUR = 60n * MINUTE
const DAY = 24n * HOUR

/** Units of one length, of which one begins with the year 1970. */
const LENGTHS: ReadonlyMap<string, bigint> = new Map([
  ...([
    ['microsecond', 1n],
    ['millisecond', 1_000n],
    ['second', SECOND],
  ] as const),
  ...([
    ['minute', MINUTE],
    ['hour', HOUR],
    ['day', DAY],
  ] as const),
])

const TRUNCATIONS: Readonly<Record<string, (micros: bigint) => bigint>> = {
  ...Object.fromEntries(
    [...LENGTHS].map(([unit, length]) => [unit, (micros: bigint) => micros - rest(micros, length)]),
  ),
  week: (micros) => micros - rest(micros, DAY) - BigInt(weekdayOf(micros) - 1) * DAY,
  month: (micros) => startOf(dateOf(micros), 1),
  quarter: (micros) => startOf(dateOf(micros), 3),
  year: (micros) => startOf(dateOf(micros), 12),
}

const PARTS: Readonly<Record<string, (micros: bigint) => bigint | number>> = {
  year: (micros) => dateOf(micros).getUTCFullYear(),
  quarter: (micros) => Math.floor(dateOf(micros).getUTCMonth() / 3) + 1,
  month: (micros) => dateOf(micros).getUTCMonth() + 1,
  week: weekOf,
  day: (micros) => dateOf(micros).getUTCDate(),
  dow: (micros) => weekdayOf(micros) % 7,
  isodow: weekdayOf,
  doy: dayOfYear,
  hour: (micros) => rest(micros, DAY) / HOUR,
  minute: (micros) => rest(micros, HOUR) / MINUTE,
  second: (micros) => rest(micros, MINUTE) / SECOND,
  millisecond: (micros) => rest(micros, MINUTE) / 1_000n,
  microsecond: (micros) => rest(micros, MINUTE),
  epoch: (micros) => (micros - rest(micros, SECOND)) / SECOND,
}

function compileTrunc({ compiler, call }: Call): CompiledExpression {
  const truncate = unitOf(TRUNCATIONS, argumentAt(call, 0), 'date_trunc')
  const time = compileTime(compiler, argumentAt(call, 1))
  return asGiven(
    time,
    derived(call, time, 'TIMESTAMP', (value) => truncate(value as bigint)),
  )
}

function compileExtract({ compiler, call }: Call): CompiledExpression {
  const part = unitOf(PARTS, argumentAt(call, 0), 'extract')
  const time = compileTime(compiler, argumentAt(call, 1))
  return derived(call, time, 'INTEGER', (value) => BigInt(part(value as bigint)))
}

type Time = CompiledExpression & { readonly isDate?: true }

/** A TIMESTAMP, or the midnight in UTC of a DATE. */
function compileTime(compiler: ExpressionCompiler, argument: Expression): Time {
  const day = isOpen(argument) ? undefined : compiler.compile(argument)
  if (day?.type === 'TIMESTAMP') return day
  if (day?.type !== 'DATE') return compileAs(compiler, argument, 'TIMESTAMP')
  return { ...timesDay(day, (days) => days * DAY), type: 'TIMESTAMP', isDate: true }
}

/** A DATE where one was given. */
function asGiven({ isDate }: Time, time: CompiledExpression): CompiledExpression {
  return isDate ? { ...timesDay(time, (micros) => micros / DAY), type: 'DATE' } : time
}

function timesDay(
  { given: _, ...part }: CompiledExpression,
  change: (value: bigint) => bigint,
): CompiledExpression {
  const evaluate = (scope: Scope): SqlValue => {
    const value = part.evaluate(scope)
    return value === null ? null : change(value as bigint)
  }
  return { ...part, evaluate }
}

/** Known before the statement runs, so that a wrong one is refused then. */
function unitOf<T>(units: Readonly<Record<string, T>>, unit: Expression, name: string): T {
  const text = unit.kind === 'literal' && unit.type === 'text' ? unit.value.toLowerCase() : ''
  const singular = text.replace(/s$/, '')
  const found = Object.hasOwn(units, singular) ? units[singular] : undefined
  if (found !== undefined) return found
  throw new PlanError('invalid_request', `${name} begins with one of its units, as a text.`, {
    position: unit.position,
    hint: `The units are ${Object.keys(units).join(', ')}.`,
    fields: { function: name },
  })
}

const MONTHS_MAX = 120_000n

/** The same day of another month, or its last where it is shorter. */
function compileAddMonths(of: Call): CompiledExpression {
  const { position } = of.call
  const { compiler, call } = of
  const when = compileTime(compiler, argumentAt(call, 0))
  const parts = [when, compileAs(compiler, argumentAt(call, 1), 'INTEGER')]
  const moved = computed(call, parts, 'TIMESTAMP', ([time, months]) => {
    const [micros, count] = [time as bigint, months as bigint]
    // Between the years 1 and 9999 there are no more.
    if (count > MONTHS_MAX || count < -MONTHS_MAX) {
      throw new PlanError('out_of_range', 'The point in time is outside the years 1 to 9999.', {
        position,
      })
    }
    const date = dateOf(micros)
    const first = monthsFrom(date.getUTCFullYear(), date.getUTCMonth() + Number(count))
    const next = monthsFrom(first.getUTCFullYear(), first.getUTCMonth() + 1)
    const days = (next.getTime() - first.getTime()) / MS_OF_DAY
    first.setUTCDate(Math.min(date.getUTCDate(), days))
    return checkedTimestamp(BigInt(first.getTime()) * 1_000n + rest(micros, DAY), position)
  })
  return asGiven(when, moved)
}

const MS_OF_DAY = 86_400_000

function rest(micros: bigint, of: bigint): bigint {
  const remainder = micros % of
  return remainder < 0n ? remainder + of : remainder
}

/** Midnight of its day. */
function dateOf(micros: bigint): Date {
  return new Date(Number((micros - rest(micros, DAY)) / 1_000n))
}

/** The first day of a month, counted from 0, also beyond the year; `Date.UTC` would take the year 5 for 1905. */
function monthsFrom(year: number, month: number): Date {
  const date = new Date(0)
  date.setUTCFullYear(year, month, 1)
  return date
}

function startOf(date: Date, months: number): bigint {
  const month = date.getUTCMonth()
  return BigInt(monthsFrom(date.getUTCFullYear(), month - (month % months)).getTime()) * 1_000n
}

/** Monday is 1, Sunday 7. */
function weekdayOf(micros: bigint): number {
  const day = (micros - rest(micros, DAY)) / DAY
  // The first day of 1970 was a Thursday.
  return Number(rest(day + 3n, 7n)) + 1
}

function dayOfYear(micros: bigint): number {
  const date = dateOf(micros)
  return (date.getTime() - monthsFrom(date.getUTCFullYear(), 0).getTime()) / MS_OF_DAY + 1
}

/** Of ISO 8601: a week belongs to the year of its Thursday. */
function weekOf(micros: bigint): number {
  const thursday = micros + BigInt(4 - weekdayOf(micros)) * DAY
  return Math.floor((dayOfYear(thursday) - 1) / 7) + 1
}
