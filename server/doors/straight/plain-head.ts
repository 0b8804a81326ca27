// SPDX-License-Identifier: Apache-2.0
import type { IncomingHttpHeaders } from 'node:http'
import type { StoreHistory } from '../../../storage/storage.ts'

/** What a request says of another history, or another epoch, is looked at by the ordinary route. */
export type NamedHistory = Pick<StoreHistory, 'id' | 'name'>

/**
 * Whether a header asks for more than that statements are run and answered. Name by name: V8 remembers where a name
 * stands, and not where the names of a loop do.
 */
export function asksForMore(headers: IncomingHttpHeaders, history: NamedHistory): boolean {
  const named = headers['percolite-history']
  return (
    (named !== undefined && named !== history.name && named !== history.id) ||
    headers['transfer-encoding'] !== undefined ||
    headers.expect !== undefined ||
    headers.origin !== undefined ||
    headers['access-control-request-method'] !== undefined ||
    headers['idempotency-key'] !== undefined ||
    headers['if-match'] !== undefined ||
    headers['if-none-match'] !== undefined ||
    headers['percolite-min-timestamp'] !== undefined
  )
}
