// SPDX-License-Identifier: Apache-2.0
import { PLANNER_LIMITS } from './planner-limits.ts'

/**
 * Whether the whole text matches: `%` stands for any text, `_` for one code point. The parts between
 * the `%` are sought from the left, each as early as it can be: what an earlier one leaves behind can
 * only help the later ones. Undefined when that takes more than `likeStepsMax` steps, which only a
 * part that holds a `_` can; without one the time is linear.
 */
export function matchesPattern(text: string, pattern: string): boolean | undefined {
  const parts = pattern.split('%')
  const first = parts[0] as string
  const afterFirst = endOfMatch(text, 0, first)
  if (afterFirst === undefined) return false
  if (parts.length === 1) return afterFirst === text.length
  const last = parts.at(-1) as string
  const lastAt = startOfLast(text, last)
  if (lastAt === undefined || lastAt < afterFirst) return false
  if (endOfMatch(text, lastAt, last) !== text.length) return false
  const steps = { left: PLANNER_LIMITS.likeStepsMax }
  let at = afterFirst
  for (const part of parts.slice(1, -1)) {
    const end = part.includes('_')
      ? endOfFirst(text, at, part, steps)
      : endOfLiteral(text, at, part)
    if (end === 'tooLong') return undefined
    if (end === undefined || end > lastAt) return false
    at = end
  }
  return true
}

/** Where the part ends when it matches at this place. */
function endOfMatch(
  text: string,
  start: number,
  part: string,
  steps?: { left: number },
): number | undefined {
  let at = start
  for (let inPart = 0; inPart < part.length; inPart += 1) {
    if (steps !== undefined) steps.left -= 1
    if (at >= text.length) return undefined
    if (part[inPart] === '_') at += codePointLength(text, at)
    else if (part[inPart] === text[at]) at += 1
    else return undefined
  }
  return at
}

/** Where a match that reaches to the end must begin: as many code points before it as the part has. */
function startOfLast(text: string, part: string): number | undefined {
  let at = text.length
  for (let inPart = part.length - 1; inPart >= 0; inPart -= 1) {
    if (isLowSurrogate(part, inPart)) continue
    at -= isLowSurrogate(text, at - 1) ? 2 : 1
    if (at < 0) return undefined
  }
  return at
}

/** The end of the first match of a part that has a `_`. */
function endOfFirst(
  text: string,
  start: number,
  part: string,
  steps: { left: number },
): number | undefined | 'tooLong' {
  const opening = part.startsWith('_') ? '' : part.charAt(0)
  for (let at = text.indexOf(opening, start); at >= 0; at = text.indexOf(opening, at)) {
    const end = endOfMatch(text, at, part, steps)
    if (end !== undefined) return end
    if (steps.left < 0) return 'tooLong'
    if (at >= text.length) return undefined
    at += codePointLength(text, at)
  }
  return undefined
}

/** Below so many steps at worst the search of the engine is the fastest; it is not linear. */
const NATIVE_STEPS_MAX = 1_000_000

function endOfLiteral(text: string, start: number, part: string): number | undefined {
  if (part.length <= 1 || part.length * (text.length - start) <= NATIVE_STEPS_MAX) {
    const found = text.indexOf(part, start)
    return found < 0 ? undefined : found + part.length
  }
  return endOfLongLiteral(text, start, part)
}

/** The search of Knuth, Morris and Pratt: it never looks at a character of the text again. */
function endOfLongLiteral(text: string, start: number, part: string): number | undefined {
  const borders = bordersOf(part)
  let matched = 0
  for (let at = start; at < text.length; at += 1) {
    while (matched > 0 && part[matched] !== text[at]) matched = borders[matched - 1] as number
    if (part[matched] === text[at]) matched += 1
    if (matched === part.length) return at + 1
  }
  return undefined
}

/** For each beginning of the part, how long the longest shorter one is that it also ends with. */
function bordersOf(part: string): Int32Array {
  const borders = new Int32Array(part.length)
  let border = 0
  for (let at = 1; at < part.length; at += 1) {
    while (border > 0 && part[border] !== part[at]) border = borders[border - 1] as number
    if (part[border] === part[at]) border += 1
    borders[at] = border
  }
  return borders
}

function codePointLength(text: string, at: number): number {
  return (text.codePointAt(at) as number) > 0xffff ? 2 : 1
}

function isLowSurrogate(text: string, at: number): boolean {
  return (text.charCodeAt(at) & 0xfc00) === 0xdc00
}
