// SPDX-License-Identifier: Apache-2.0
import { PercoliteError } from '../errors.ts'

/** What one socket may do, as the server says in its `welcome`. */
export type SocketLimits = {
  readonly bodyBytesMax: number
  readonly bodyNestingMax: number
  readonly socketQueriesMax: number
  readonly socketSubscriptionsMax: number
  readonly socketWorkersMax: number
}

/** What the `welcome` of a server does not name is not limited here; the server refuses it. */
const UNLIMITED: SocketLimits = {
  bodyBytesMax: Number.POSITIVE_INFINITY,
  bodyNestingMax: Number.POSITIVE_INFINITY,
  socketQueriesMax: Number.POSITIVE_INFINITY,
  socketSubscriptionsMax: Number.POSITIVE_INFINITY,
  socketWorkersMax: Number.POSITIVE_INFINITY,
}

/** Reads the `limits` of a `welcome`; whatever is not a positive number is ignored. */
export function readSocketLimits(told: unknown): SocketLimits {
  const given = typeof told === 'object' && told !== null ? (told as Record<string, unknown>) : {}
  const known = Object.keys(UNLIMITED)
    .map((name) => [name, given[name]] as const)
    .filter(([, value]) => typeof value === 'number' && value > 0)
  return { ...UNLIMITED, ...Object.fromEntries(known) }
}

/**
 * Throws `limit_exceeded` for a frame that the server would not read: it would close the socket, and with
 * it all that others have on it.
 */
export function requireReadable(frame: string, limits: SocketLimits): void {
  const { bodyBytesMax, bodyNestingMax } = limits
  // A UTF-16 code unit is at most three bytes of UTF-8, so most frames need not be counted.
  if (frame.length * 3 > bodyBytesMax) {
    requireWithin('bodyBytesMax', bodyBytesMax, new TextEncoder().encode(frame).length, 'bytes')
  }
  if (frame.length > bodyNestingMax) {
    requireWithin('bodyNestingMax', bodyNestingMax, nestingOf(frame), 'nested values')
  }
}

function requireWithin(limit: string, limitValue: number, actual: number, unit: string): void {
  if (actual <= limitValue) return
  throw new PercoliteError({
    code: 'limit_exceeded',
    message: `The request has ${actual} ${unit}, and the server reads at most ${limitValue}: it was not sent.`,
    fields: { limit, limitValue, actual },
  })
}

/** How deep arrays and objects stand in each other in a JSON text. */
function nestingOf(json: string): number {
  let depth = 0
  let deepest = 0
  let isInText = false
  for (let at = 0; at < json.length; at += 1) {
    const character = json[at]
    if (isInText) {
      if (character === '\\') at += 1
      else if (character === '"') isInText = false
    } else if (character === '"') {
      isInText = true
    } else if (character === '[' || character === '{') {
      depth += 1
      if (depth > deepest) deepest = depth
    } else if (character === ']' || character === '}') {
      depth -= 1
    }
  }
  return deepest
}
