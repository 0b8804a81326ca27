// SPDX-License-Identifier: Apache-2.0
import type { CallExpression } from '../../../parser/ast.ts'
import { PlanError } from '../../plan-error.ts'
import { type CompiledExpression, nodeOf } from '../compiled-expression.ts'
import { endOfLiteral } from '../like-pattern.ts'
import { changedCase, codePoints, offsetAfter, trimmed } from '../text-work.ts'
import { compileAs, typeMismatch } from '../type-check.ts'
import { NODE_UNITS, type WorkMeter } from '../work-meter.ts'
import { conversionOf } from './casts.ts'
import {
  argumentAt,
  argumentOf,
  argumentsAs,
  type Call,
  computed,
  type Definitions,
  derived,
  requireLength,
  taking,
  takingAny,
} from './definition.ts'

export const TEXT_FUNCTIONS: Definitions = {
  length: taking(1, 1, compileLength),
  lower: taking(1, 1, (call) => compileCase(call, 'lower')),
  upper: taking(1, 1, (call) => compileCase(call, 'upper')),
  substr: taking(2, 3, compileSubstr),
  trim: taking(1, 2, (call) => compileTrim(call, { start: true, end: true })),
  ltrim: taking(1, 2, (call) => compileTrim(call, { start: true, end: false })),
  rtrim: taking(1, 2, (call) => compileTrim(call, { start: false, end: true })),
  replace: taking(3, 3, compileReplace),
  position: taking(2, 2, compilePosition),
  concat: takingAny(compileConcat),
}

function textOrBytes(of: Call): CompiledExpression {
  const argument = argumentOf(of, 'TEXT')
  const { type, position } = argument
  if (type === 'TEXT' || type === 'BYTES' || type === 'NULL') return argument
  throw typeMismatch(`${of.call.function} wants TEXT or BYTES, not ${type}.`, position)
}

/** Code points of a TEXT, bytes of BYTES. */
function compileLength(of: Call): CompiledExpression {
  const { call } = of
  const argument = textOrBytes(of)
  return derived(call, argument, 'INTEGER', (value, work) =>
    BigInt(typeof value === 'string' ? codePoints(value, work) : (value as Uint8Array).length),
  )
}

function compileCase({ compiler, call }: Call, to: 'lower' | 'upper'): CompiledExpression {
  const argument = compileAs(compiler, argumentAt(call, 0), 'TEXT')
  return derived(call, argument, 'TEXT', (value, work) => changedCase(value as string, to, work))
}

/** Characters are counted from 1; those before the first or after the last are not there. */
function compileSubstr(of: Call): CompiledExpression {
  const { call, compiler } = of
  const whole = textOrBytes(of)
  const numbers = call.arguments.slice(1).map((each) => compileAs(compiler, each, 'INTEGER'))
  return computed(call, [whole, ...numbers], whole.type, ([value, start, count], work) => {
    if (count !== undefined && (count as bigint) < 0n) {
      throw new PlanError('out_of_range', 'substr takes a count that is not below zero.', {
        position: call.position,
      })
    }
    const { skipped, taken } = rangeOf(start as bigint, count as bigint | undefined)
    if (typeof value === 'string') {
      const from = offsetAfter(value, 0, skipped, work)
      return value.slice(from, offsetAfter(value, from, taken, work))
    }
    const bytes = value as Uint8Array
    work.spend(Math.min(bytes.length, taken))
    return Uint8Array.from(bytes.subarray(skipped, skipped + taken))
  })
}

function rangeOf(
  start: bigint,
  count: bigint | undefined,
): { readonly skipped: number; readonly taken: number } {
  const from = start < 1n ? 1n : start
  const taken = count === undefined ? MOST : start + count - from
  return { skipped: numberOf(from - 1n), taken: numberOf(taken) }
}

/** More than any value has. */
const MOST = 2n ** 40n

function numberOf(count: bigint): number {
  return Number(count < 0n ? 0n : count > MOST ? MOST : count)
}

function compileTrim(
  { compiler, call }: Call,
  ends: { readonly start: boolean; readonly end: boolean },
): CompiledExpression {
  const parts = argumentsAs({ compiler, call, wanted: undefined }, ['TEXT', 'TEXT'])
  return computed(call, parts, 'TEXT', ([text, characters = ' '], work) =>
    trimmed(text as string, { characters: characters as string, ...ends }, work),
  )
}

/** Where the first text begins in the second, from 1; 0 where it does not stand in it. */
function compilePosition(of: Call): CompiledExpression {
  const parts = argumentsAs(of, ['TEXT', 'TEXT'])
  return computed(of.call, parts, 'INTEGER', ([sought, text], work) => {
    const part = sought as string
    const end = endOfLiteral(text as string, 0, part, work)
    if (end === undefined) return 0n
    return BigInt(codePoints((text as string).slice(0, end - part.length), work)) + 1n
  })
}

function compileReplace(of: Call): CompiledExpression {
  const parts = argumentsAs(of, ['TEXT', 'TEXT', 'TEXT'])
  return computed(of.call, parts, 'TEXT', ([text, from, to], work) => {
    const [source, sought, put] = [text as string, from as string, to as string]
    return sought === '' ? source : replaced({ source, sought, put, call: of.call }, work)
  })
}

function replaced({ source, sought, put, call }: Replacement, work: WorkMeter): string {
  const kept: string[] = []
  let length = source.length
  let at = 0
  for (;;) {
    const end = endOfLiteral(source, at, sought, work)
    if (end === undefined) break
    kept.push(source.slice(at, end - sought.length))
    length += put.length - sought.length
    requireLength(length, call)
    work.spend(NODE_UNITS)
    at = end
  }
  work.spend(length)
  return [...kept, source.slice(at)].join(put)
}

type Replacement = {
  readonly source: string
  readonly sought: string
  readonly put: string
  readonly call: CallExpression
}

/** All arguments as TEXT, one after the other; NULL is left out. */
function compileConcat(of: Call): CompiledExpression {
  const { call } = of
  const parts = call.arguments.map((_, index) => argumentOf(of, 'TEXT', index))
  const converters = parts.map((part) =>
    conversionOf(part.type, { text: 'TEXT', position: part.position }),
  )
  return nodeOf('TEXT', call.position, parts, (units) => (scope) => {
    const { work } = scope
    work.spend(units)
    let text = ''
    for (const [index, part] of parts.entries()) {
      const value = part.evaluate(scope)
      if (value === null) continue
      const added = converters[index]?.(value, work) as string
      requireLength(text.length + added.length, call)
      work.spend(added.length)
      text += added
    }
    return text
  })
}
