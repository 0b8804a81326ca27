// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'

type Shape = Schemas['ShapeStatistics']

/** What the list may be ordered by, and how that is said. */
export const ORDERS = [
  { order: 'time', words: 'most time in all' },
  { order: 'slowest', words: 'slowest run' },
  { order: 'count', words: 'most runs' },
  { order: 'rows', words: 'most rows' },
] as const

export type Order = (typeof ORDERS)[number]['order']

export function meanMs({ totalMs, count }: Shape): number {
  return totalMs / count
}

/** Failed runs by their errors: `write_conflict 2, statement_timeout 1`. */
export function errorsText(errors: Shape['errors']): string {
  return Object.entries(errors)
    .map(([code, runs]) => `${code} ${runs}`)
    .join(', ')
}

/** How the rows are found: `range scan, INDEX byOwner (owner)`. */
export function accessText({ access, key }: Shape): string {
  if (access === undefined) return ''
  return key === undefined ? access : `${access}, ${key}`
}

/** A quoted name, or what stands for one literal or for a list of them. */
const NAME_OR_LITERALS = /"(?:[^"]|"")*"|\?(, …)?/g

/**
 * The text that explains statements of this shape, with a parameter for each literal that the shape left out, and two
 * for a list; undefined where the shape does not say enough: of what has no text, was cut, or inserts several rows.
 */
export function explainOf(shape: string): string | undefined {
  if (!/^(EXPLAIN|GET|SCAN|SET|INSERT|DELETE|CHECK|NOTIFY)\s/i.test(shape)) return undefined
  if (/\bVALUES\b.*…/i.test(shape)) return undefined
  const next = parameterNames(shape)
  const text = shape.replaceAll(NAME_OR_LITERALS, (found, list: string | undefined) => {
    if (found.startsWith('"')) return found
    return list === undefined ? next() : `${next()}, ${next()}`
  })
  if (text.includes('…')) return undefined
  return /^EXPLAIN\s/i.test(text) ? text : `EXPLAIN ${text}`
}

/** Names that the shape does not have: by number where it has numbers, for they cannot be mixed. */
function parameterNames(shape: string): () => string {
  const numbers = Array.from(shape.matchAll(/\$(\d+)/g), ([, digits]) => Number(digits))
  const prefix = numbers.length > 0 ? '$' : freePrefix(shape)
  let last = Math.max(0, ...numbers)
  return () => {
    last += 1
    return `${prefix}${last}`
  }
}

function freePrefix(shape: string): string {
  let prefix = ':value'
  while (shape.includes(prefix)) prefix += '_'
  return prefix
}
