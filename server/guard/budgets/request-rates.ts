// SPDX-License-Identifier: Apache-2.0
import type { Clock } from '../../../storage/storage.ts'
import { ServerError } from '../../errors/server-error.ts'
import type { ClientKey } from './client-key.ts'

const SECOND_MS = 1_000
/** A client may be ahead of its rate by so much, so that it sends the requests of two seconds in one go. */
const AHEAD_MS_MAX = 2 * SECOND_MS
/** Beyond so many clients that are ahead, the half of them that are least so are forgotten. */
const CLIENTS_MAX = 10_000
/** Divisions do not come out even. */
const ROUNDING_MS = 0.001

/**
 * How many requests a second each client sends: a token bucket for each, kept as the moment until which what the client
 * has sent would take at its rate. Each request takes its part of a second; who is ahead by two seconds is refused.
 *
 * At 10 a second, with 20 requests at 5,000 ms: the bucket says 7,000, and the next one would take until 7,100, so it
 * is refused. At 5,100 ms it is let in.
 */
export class RequestRates {
  readonly #clock: Clock
  readonly #perSecond: number
  /** Those who are not ahead of the clock any more are as ones that never came. */
  readonly #aheadUntilMs = new Map<ClientKey, number>()
  /** How many buckets there are when idle ones are dropped the next time. */
  #dropAt = 256

  /** `perSecond` is the rate of each client; infinite where there is none. */
  constructor(clock: Clock, perSecond = Number.POSITIVE_INFINITY) {
    this.#clock = clock
    this.#perSecond = perSecond
  }

  /** Whether a client of a role with this rate has one. */
  isRated(perSecondOfRole: number | undefined): boolean {
    return perSecondOfRole !== undefined || this.#perSecond !== Number.POSITIVE_INFINITY
  }

  /** How many clients are remembered. */
  get size(): number {
    return this.#aheadUntilMs.size
  }

  /**
   * Counts a request, at the rate of the client's role where that is lower. Returns why it may not be, ServerError
   * `rate_limited`; undefined where it may.
   */
  refusal(clientOf: () => ClientKey, perSecondOfRole?: number): ServerError | undefined {
    const perSecond = Math.min(this.#perSecond, perSecondOfRole ?? Number.POSITIVE_INFINITY)
    if (perSecond === Number.POSITIVE_INFINITY) return undefined
    const client = clientOf()
    const nowMs = this.#clock.monotonicMs()
    const untilMs = Math.max(this.#aheadUntilMs.get(client) ?? 0, nowMs) + SECOND_MS / perSecond
    if (untilMs - nowMs > AHEAD_MS_MAX + ROUNDING_MS) return tooFast(perSecond)
    this.#aheadUntilMs.set(client, untilMs)
    if (this.#aheadUntilMs.size >= this.#dropAt) this.#drop(nowMs)
    return undefined
  }

  /** Nobody who is ahead is forgotten for clients that are less so: many addresses free none of their debt. */
  #drop(nowMs: number): void {
    const ahead = this.#aheadUntilMs
    for (const [client, untilMs] of ahead) if (untilMs <= nowMs) ahead.delete(client)
    if (ahead.size >= CLIENTS_MAX) {
      const middle = Float64Array.from(ahead.values()).sort()[ahead.size >> 1] as number
      let most = ahead.size - CLIENTS_MAX / 2
      for (const [client, untilMs] of ahead) {
        if (most > 0 && untilMs <= middle && ahead.delete(client)) most -= 1
      }
    }
    this.#dropAt = Math.min(CLIENTS_MAX, Math.max(256, 2 * ahead.size))
  }
}

function tooFast(perSecond: number): ServerError {
  return new ServerError(
    'rate_limited',
    `This client sends more than ${perSecond} requests a second, and has sent those of two seconds ahead.`,
    { limit: 'rate', limitValue: perSecond },
  )
}
