// SPDX-License-Identifier: Apache-2.0
import { PercoliteError } from '../errors.ts'

const LIMITS = [
  'bodyBytesMax',
  'bodyNestingMax',
  'socketQueriesMax',
  'socketSubscriptionsMax',
  'socketWorkersMax',
] as const

/** What one socket may do, as the server says in its `welcome`. */
export type SocketLimits = Readonly<Record<(typeof LIMITS)[number], number>>

/**
 * Reads the `limits` of a `welcome`. What it does not name, or is no positive number, is not limited here; the server
 * refuses it.
 */
export function readSocketLimits(limits: unknown): SocketLimits {
  const given = (limits ?? {}) as Readonly<Record<string, unknown>>
  const entries = LIMITS.map((name) => {
    const limit = given[name]
    return [name, typeof limit === 'number' && limit > 0 ? limit : Infinity]
  })
  return Object.fromEntries(entries)
}

/**
 * Throws `limit_exceeded` for a frame that the server would not read: it would close the socket, and with
 * it all that others have on it.
 */
export function requireReadable(frame: string, limits: SocketLimits): void {
  const { bodyBytesMax, bodyNestingMax } = limits
  // A UTF-16 code unit is at most three bytes of UTF-8, so most frames need not be counted.
  if (frame.length * 3 > bodyBytesMax) {
    requireWithin('bodyBytesMax', bodyBytesMax, new TextEncoder().encode(frame).length)
  }
  if (frame.length > bodyNestingMax) {
    requireWithin('bodyNestingMax', bodyNestingMax, nestingOf(frame))
  }
}

function requireWithin(limit: string, limitValue: number, actual: number): void {
  if (actual <= limitValue) return
  throw new PercoliteError({
    code: 'limit_exceeded',
    message: `The request has ${actual} of ${limitValue} for ${limit}: it was not sent.`,
    fields: { limit, limitValue, actual },
  })
}

/** How deep arrays and objects stand in each other in a JSON text. */
function nestingOf(json: string): number {
  let depth = 0
  let deepest = 0
  for (const [character] of json.replace(JSON_TEXT, '').matchAll(/[[\]{}]/g)) {
    depth += '[{'.includes(character) ? 1 : -1
    deepest = Math.max(deepest, depth)
  }
  return deepest
}

const JSON_TEXT = /"[^"\\]*(?:\\.[^"\\]*)*"/g
