// SPDX-License-Identifier: Apache-2.0
import { clientError, type PercoliteError } from './errors.ts'

/**
 * `connection_failed` of these addresses; `request_timed_out` where no `cause` is known. For a page of another origin
 * it says what to look for: a browser does not tell it why nothing came, and a server that does not know its origin
 * looks like one that is not there.
 */
export function noAnswer(
  tried: Iterable<string>,
  reason = 'not in time',
  cause?: unknown,
): PercoliteError {
  const urls = [...tried]
  const { location } = globalThis as { location?: { readonly origin?: string } }
  const origin = cause && location?.origin
  const isForeign = origin && !`${urls.at(-1)}/`.startsWith(`${origin}/`)
  const message = `No answer from ${urls.join(', ')}: ${reason}${isForeign ? HINT + origin : ''}`
  const fields = isForeign ? { origin } : {}
  return clientError(cause ? 'connection_failed' : 'request_timed_out', { message, fields, cause })
}

const HINT = ". See the browser's console: the server may need --allow-origin "
