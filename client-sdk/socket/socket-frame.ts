// SPDX-License-Identifier: Apache-2.0
import {
  clientError,
  type ErrorCode,
  errorFromProblem,
  hasCode,
  PercoliteError,
} from '../errors.ts'
import { type JsonMode, parseKeeping } from '../json-text.ts'
import type { ServerAddress } from '../server-address.ts'
import type { Problem } from '../wire.ts'

/** A frame of the server; `docs/websocket-protocol.md` lists them. */
export type ServerFrame = {
  readonly type: string
  readonly id?: string
  readonly [field: string]: unknown
}

/** After one of these nothing more comes about its `id`. */
const LAST_FRAMES = new Set(['result', 'error', 'unsubscribed', 'unobserved', 'released'])

export function isLastFrame(frame: ServerFrame): boolean {
  return LAST_FRAMES.has(frame.type)
}

/** Throws `invalid_answer`. */
export function readFrame(data: unknown, mode?: JsonMode): ServerFrame {
  try {
    const frame = parseKeeping(data as string, mode) as ServerFrame
    if (typeof frame.type === 'string') return frame
  } catch {
    // Said below, as of what is JSON and no frame.
  }
  throw clientError('invalid_answer', { fields: { body: String(data).slice(0, 1000) } })
}

/** The problem that an `error` frame carries. */
export function errorOfFrame({ type: _type, id: _id, ...problem }: ServerFrame): PercoliteError {
  return errorFromProblem(problem as unknown as Problem)
}

/** Why the server closes a socket when coming back would not help, or not at once. */
const CLOSED_FOR: Readonly<Record<number, string>> = {
  1007: 'invalid_request',
  1009: 'limit_exceeded',
  4400: 'invalid_request',
  4401: 'unauthenticated',
  4403: 'forbidden',
  // There are too many sockets.
  4429: 'overloaded',
}

/** Those that one frame caused: the uses that did not send it may continue on another connection. */
const CLOSED_FOR_ONE_FRAME = [1007, 1009, 4400]

/** Its reason is where to go. */
const MOVED = 4421

/** What the end of a socket means for all who were using it. The next one goes where this one was sent on to. */
export function errorOfClose(
  { code, reason }: { code: number; reason: string },
  address: ServerAddress,
  url: string,
): PercoliteError {
  if (code === MOVED) address.moveTo(reason, url)
  if (isNotPrimary(reason)) address.next([url])
  const words = reason === '' ? `code ${code}` : `${reason} (${code})`
  const facts = { message: `The connection was closed: ${words}`, fields: { closeCode: code } }
  const known = reason === 'token_expired' ? reason : CLOSED_FOR[code]
  return new PercoliteError({ ...facts, code: known ?? 'connection_failed' })
}

/** Whether the server closed the connection because of one frame, which need not be the listener's. */
export function isForOneFrame({ fields }: PercoliteError): boolean {
  return CLOSED_FOR_ONE_FRAME.includes(fields.closeCode as number)
}

/** The same close, for a use that did not send that frame, or may not have: it may connect again. */
export function closedForAnother(cause: PercoliteError): PercoliteError {
  return clientError('connection_failed', { message: cause.message, cause })
}

/** Whether it is about the connection as a whole, which everything that was on it waits for together. */
export function isOfConnection(error: unknown): boolean {
  return hasCode(error, 'connection_failed', 'request_timed_out')
}

/** Whether the same may go well on another connection, or on this one a little later. */
export function isWorthReconnect(error: unknown): error is PercoliteError {
  return isOfConnection(error) || isShed(error)
}

/** Whether the token was not taken, before anything was done. */
export function isOfToken(error: unknown): boolean {
  // The statements before that one were done; the first one may have run, and has been undone.
  if (!(error instanceof PercoliteError) || error.statement) return false
  // Others of this address had shown too many wrong ones before.
  if (error.fields.limit === 'failedTokensMax') return true
  return hasCode(error, 'token_expired', 'unauthenticated')
}

/** What proxies answer by themselves when a server is full, away or slow. */
const SHED_BY_PROXIES = [429, 502, 503, 504]

/** A standby refuses writes, and a primary that another one has superseded refuses everything. */
const NOT_PRIMARY: readonly ErrorCode[] = ['not_primary', 'superseded']

/** Whether this is said by a server that has done nothing, because it is not the primary. */
export function isNotPrimary(code: unknown): boolean {
  return NOT_PRIMARY.includes(code as ErrorCode)
}

const SHED: readonly ErrorCode[] = [
  ...NOT_PRIMARY,
  'overloaded',
  'client_overloaded',
  'rate_limited',
  'moving',
  'behind',
  'no_second_copy',
  'store_unavailable',
]

/** The server, its part for this client, or a proxy, is full, behind, about to move, or without its store. */
export function isShed(error: unknown): error is PercoliteError {
  if (hasCode(error, ...SHED)) return true
  return hasCode(error, 'invalid_answer') && SHED_BY_PROXIES.includes(error.httpStatus ?? 0)
}
