// SPDX-License-Identifier: Apache-2.0
import { PLANNER_LIMITS } from './planner-limits.ts'

/**
 * What is wrong with a value as I-JSON, or undefined: strings and keys must be well-formed, numbers
 * finite, and arrays and objects nested no deeper than `jsonNestingMax`. The walk uses a list of its
 * own instead of the call stack, since the value may be as deep as a request body is long.
 */
export function jsonFault(value: unknown): 'notWellFormed' | 'notFinite' | 'tooDeep' | undefined {
  const open: Array<{ value: unknown; depth: number }> = [{ value, depth: 0 }]
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { value, depth } = next
    if (typeof value === 'string' && !value.isWellFormed()) return 'notWellFormed'
    if (typeof value === 'number' && !Number.isFinite(value)) return 'notFinite'
    if (typeof value !== 'object' || value === null) continue
    if (depth >= PLANNER_LIMITS.jsonNestingMax) return 'tooDeep'
    if (Array.isArray(value)) {
      for (const item of value) open.push({ value: item, depth: depth + 1 })
      continue
    }
    for (const [key, item] of Object.entries(value)) {
      if (!key.isWellFormed()) return 'notWellFormed'
      open.push({ value: item, depth: depth + 1 })
    }
  }
  return undefined
}
