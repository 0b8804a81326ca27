// SPDX-License-Identifier: Apache-2.0
import { isDoubleExact } from '../../storage/values/values.ts'
import { PlanError } from '../plan-error.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import { exactJson, nestsTooDeep } from './exact-json.ts'

declare global {
  interface JSON {
    /** A value that `JSON.stringify` writes as this text, of a primitive. */
    rawJSON(text: string): object
    isRawJSON(value: unknown): boolean
    parse(
      text: string,
      reviver: (name: string, value: unknown, context: { readonly source?: string }) => unknown,
    ): unknown
  }
}

/** Which numbers stay as they were written: those that a double is not equal to, or all. */
export type KeptNumbers = 'inexact' | 'all'

/** Any number that `JSON.stringify` might write otherwise than it was read. */
const MAY_DIFFER = /[\d.]{16}|\d[eE]|-0|\.\d*0(?!\d)/

/** Stored JSON as a value of JavaScript, with `JSON.rawJSON` for each number that is to keep its digits. */
export function jsonOfText(text: string, kept: KeptNumbers = 'inexact'): unknown {
  if (!MAY_DIFFER.test(text)) return JSON.parse(text)
  return JSON.parse(text, (_name, value, { source }) => {
    if (typeof value !== 'number' || source === undefined) return value
    const isKept = kept === 'all' ? source !== String(value) : !isDoubleExact(source)
    return isKept ? JSON.rawJSON(source) : value
  })
}

/**
 * A value of JavaScript as stored JSON; numbers in `JSON.rawJSON` keep their digits. Throws PlanError
 * as `exactJson` does, and `out_of_range` for a number that is not finite.
 */
export function textOfJson(json: unknown): string {
  const found = inspect(json)
  if (!found.hasRaw && !found.hasMinusZero) return JSON.stringify(json)
  return exactJson(
    JSON.stringify(json, (_name, value) => (Object.is(value, -0) ? JSON.rawJSON('-0') : value)),
  )
}

/**
 * What `JSON.stringify` would lose, or cannot write: texts and names must be well-formed, numbers
 * finite, arrays and objects nested no deeper than `jsonNestingMax`. The walk uses a list of its own
 * instead of the call stack.
 */
function inspect(json: unknown): { readonly hasRaw: boolean; readonly hasMinusZero: boolean } {
  let hasRaw = false
  let hasMinusZero = false
  const open: Array<{ value: unknown; depth: number }> = [{ value: json, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next
    if (typeof value === 'string') requireWellFormed(value)
    if (typeof value === 'number' && !Number.isFinite(value)) {
      throw new PlanError('out_of_range', 'A number in the JSON is too large.')
    }
    if (Object.is(value, -0)) hasMinusZero = true
    if (typeof value !== 'object' || value === null) continue
    if (JSON.isRawJSON(value)) {
      hasRaw = true
      continue
    }
    if (depth >= PLANNER_LIMITS.jsonNestingMax) throw nestsTooDeep()
    if (Array.isArray(value)) {
      for (const item of value) open.push({ value: item, depth: depth + 1 })
      continue
    }
    for (const [name, item] of Object.entries(value)) {
      requireWellFormed(name)
      open.push({ value: item, depth: depth + 1 })
    }
  }
  return { hasRaw, hasMinusZero }
}

function requireWellFormed(text: string): void {
  if (text.isWellFormed()) return
  throw new PlanError('type_mismatch', 'A string in the JSON is not well-formed Unicode.')
}
