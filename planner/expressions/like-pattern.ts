// SPDX-License-Identifier: Apache-2.0

import type { LikeExpression } from '../../parser/ast.ts'
import { type CompiledExpression, type ExpressionCompiler, nodeOf } from './compiled-expression.ts'
import { compileAs } from './type-check.ts'
import { NODE_UNITS, type WorkMeter } from './work-meter.ts'

/**
 * Whether the whole text matches: `%` stands for any text, `_` for one code point. The parts between
 * the `%` are sought from the left, each as early as it can be: what an earlier one leaves behind can
 * only help the later ones. Every character that is looked at is paid for: without a `_` after a `%` that
 * is linear, with one it may be the product of both lengths.
 */
export function matchesPattern(text: string, pattern: string, work: WorkMeter): boolean {
  const firstEnd = pattern.indexOf('%')
  if (firstEnd < 0) return endOfMatch(text, 0, pattern, work) === text.length
  const afterFirst = endOfMatch(text, 0, pattern.slice(0, firstEnd), work)
  if (afterFirst === undefined) return false
  const lastBegin = pattern.lastIndexOf('%') + 1
  const last = pattern.slice(lastBegin)
  const lastAt = startOfLast(text, last, work)
  if (lastAt === undefined || lastAt < afterFirst) return false
  if (endOfMatch(text, lastAt, last, work) !== text.length) return false
  let at = afterFirst
  for (let begin = firstEnd + 1; begin < lastBegin; ) {
    const partEnd = pattern.indexOf('%', begin)
    const part = pattern.slice(begin, partEnd)
    work.spend(NODE_UNITS + part.length)
    const end = part.includes('_')
      ? endOfFirst(text, at, part, work)
      : endOfLiteral(text, at, part, work)
    if (end === undefined || end > lastAt) return false
    at = end
    begin = partEnd + 1
  }
  return true
}

/** What a step of a loop over characters costs, which compares two of them and goes on in both texts. */
const STEP_UNITS = 2
const SEARCH_STEP_UNITS = 4
/** What it costs to begin at another offset, before the first character is looked at. */
const TRY_UNITS = NODE_UNITS

const UNDERSCORE = 0x5f

/** Characters that are looked at between two payments. */
const SLICE = 64 * 1024

/** Where the part ends when it matches at this offset. */
function endOfMatch(
  text: string,
  start: number,
  part: string,
  work: WorkMeter,
): number | undefined {
  let at = start
  for (let begin = 0; begin < part.length; begin += SLICE) {
    const end = Math.min(begin + SLICE, part.length)
    for (let inPart = begin; inPart < end; inPart += 1) {
      const unit = part.charCodeAt(inPart)
      const isAny = unit === UNDERSCORE
      if (at >= text.length || (!isAny && unit !== text.charCodeAt(at))) {
        work.spend(STEP_UNITS * (inPart - begin + 1))
        return undefined
      }
      at += isAny ? codePointLength(text, at) : 1
    }
    work.spend(STEP_UNITS * (end - begin))
  }
  return at
}

/** Where a match that reaches to the end must begin: as many code points before it as the part has. */
function startOfLast(text: string, part: string, work: WorkMeter): number | undefined {
  let at = text.length
  for (let end = part.length; end > 0; end -= SLICE) {
    const begin = Math.max(0, end - SLICE)
    work.spend(STEP_UNITS * (end - begin))
    for (let inPart = end - 1; inPart >= begin; inPart -= 1) {
      if (isLowSurrogate(part, inPart)) continue
      at -= isLowSurrogate(text, at - 1) ? 2 : 1
      if (at < 0) return undefined
    }
  }
  return at
}

/** The end of the first match of a part that has a `_`. */
function endOfFirst(
  text: string,
  start: number,
  part: string,
  work: WorkMeter,
): number | undefined {
  const opening = part.startsWith('_') ? undefined : part.charAt(0)
  for (let at: number | undefined = start; ; ) {
    work.spend(TRY_UNITS)
    // The engine's search is only asked for what is farther away.
    if (opening !== undefined && opening !== text[at]) at = placeOf(opening, text, at, work)
    if (at === undefined) return undefined
    const end = endOfMatch(text, at, part, work)
    if (end !== undefined) return end
    if (at >= text.length) return undefined
    at += codePointLength(text, at)
  }
}

/** Below this many steps, in the worst case, the engine's own search is the fastest; it is not linear. */
const NATIVE_STEPS_MAX = 1_000_000

/** Where the first occurrence of the part ends, from `start` on. Linear, and paid for. */
export function endOfLiteral(
  text: string,
  start: number,
  part: string,
  work: WorkMeter,
): number | undefined {
  if (part.length <= 1 || part.length * (text.length - start) <= NATIVE_STEPS_MAX) {
    const found = placeOf(part, text, start, work)
    return found === undefined ? undefined : found + part.length
  }
  return endOfLongLiteral(text, start, part, work)
}

/** Where the part stands, by the search of the engine, a slice after the other. */
function placeOf(part: string, text: string, start: number, work: WorkMeter): number | undefined {
  for (let at = start; at + part.length <= text.length; at += SLICE) {
    const end = Math.min(at + SLICE + part.length - 1, text.length)
    const found = text.slice(at, end).indexOf(part)
    work.spend((found < 0 ? end - at : found) + TRY_UNITS)
    if (found >= 0) return at + found
  }
  return undefined
}

/** The search of Knuth, Morris and Pratt: it never looks at a character of the text again. */
function endOfLongLiteral(
  text: string,
  start: number,
  part: string,
  work: WorkMeter,
): number | undefined {
  const borders = bordersOf(part, work)
  let matched = 0
  for (let begin = start; begin < text.length; begin += SLICE) {
    const end = Math.min(begin + SLICE, text.length)
    work.spend(SEARCH_STEP_UNITS * (end - begin))
    for (let at = begin; at < end; at += 1) {
      while (matched > 0 && part[matched] !== text[at]) matched = borders[matched - 1] as number
      if (part[matched] === text[at]) matched += 1
      if (matched === part.length) return at + 1
    }
  }
  return undefined
}

/** For each beginning of the part, how long the longest shorter one is that it also ends with. */
function bordersOf(part: string, work: WorkMeter): Int32Array {
  const borders = new Int32Array(part.length)
  let border = 0
  for (let begin = 1; begin < part.length; begin += SLICE) {
    const end = Math.min(begin + SLICE, part.length)
    work.spend(SEARCH_STEP_UNITS * (end - begin))
    for (let at = begin; at < end; at += 1) {
      while (border > 0 && part[border] !== part[at]) border = borders[border - 1] as number
      if (part[border] === part[at]) border += 1
      borders[at] = border
    }
  }
  return borders
}

function codePointLength(text: string, at: number): number {
  return (text.codePointAt(at) as number) > 0xffff ? 2 : 1
}

function isLowSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00
}

/** `%` stands for any text, `_` for one code point; there is no escape for either. */
export function compileLike(
  compiler: ExpressionCompiler,
  like: LikeExpression,
): CompiledExpression {
  const operand = compileAs(compiler, like.operand, 'TEXT')
  const pattern = compileAs(compiler, like.pattern, 'TEXT')
  return nodeOf('BOOLEAN', like.position, [operand, pattern], (units) => (scope) => {
    scope.work.spend(units)
    const text = operand.evaluate(scope)
    const wanted = pattern.evaluate(scope)
    if (text === null || wanted === null) return null
    return matchesPattern(text as string, wanted as string, scope.work) !== like.negated
  })
}

/** The text before the first wildcard: what every match begins with. */
export function prefixOfPattern(pattern: string): string {
  const end = pattern.search(/[%_]/)
  return end < 0 ? pattern : pattern.slice(0, end)
}

/** True for `prefix%`, which asks for nothing beyond its prefix. */
export function isPrefixPattern(pattern: string): boolean {
  return prefixOfPattern(pattern).length === pattern.length - 1 && pattern.endsWith('%')
}
