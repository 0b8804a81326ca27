// SPDX-License-Identifier: Apache-2.0
import type { Randomness } from '../../../storage/storage.ts'
import { backoffMs } from '../../backoff.ts'
import type { RelayAnswer } from './relay-connection.ts'

/** What became of one try. */
export type Outcome =
  | { readonly kind: 'taken' }
  /** The receiver wants nothing any more. */
  | { readonly kind: 'gone'; readonly message: string }
  | { readonly kind: 'failed'; readonly message: string; readonly retryAfterMs?: number }

const GONE = 410
const RETRY = { firstMs: 1_000, maxMs: 5 * 60_000 }

/** Pure: what Standard Webhooks says of a status. */
export function outcomeOf({ status, retryAfterMs }: RelayAnswer): Outcome {
  if (status >= 200 && status < 300) return { kind: 'taken' }
  if (status === GONE) return { kind: 'gone', message: 'The receiver answered 410 Gone.' }
  const isRedirect = status >= 300 && status < 400
  const message = isRedirect
    ? `The receiver answered ${status}, and redirects are not followed.`
    : `The receiver answered ${status}.`
  return { kind: 'failed', message, ...(retryAfterMs !== undefined && { retryAfterMs }) }
}

/** Pure: a second, doubled with each try up to five minutes, and half of it by chance; longer where it is asked for. */
export function retryDelayMs(
  tries: number,
  { retryAfterMs = 0 }: { readonly retryAfterMs?: number },
  randomness: Pick<Randomness, 'fraction'>,
): number {
  return Math.max(retryAfterMs, backoffMs(tries + 1, RETRY, randomness))
}
