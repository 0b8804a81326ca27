// SPDX-License-Identifier: Apache-2.0
import type { Logger } from 'pino'
import type { Clock, Randomness } from '../../../storage/storage.ts'
import { bodyOf } from './followed-primary.ts'
import { reasonOf } from './follower.ts'
import { pauseMs } from './pause.ts'

/** One request. */
const ANSWER_MS = 2_000
/** So long a start waits for the first answer. */
const START_MS = 5_000
/** How often a primary that serves looks whether it was replaced, as it may have been cut off. */
const LOOK_MS = 5_000
const ANSWER_BYTES_MAX = 65_536

type Dependencies = {
  readonly clock: Clock
  readonly randomness: Randomness
  readonly log: Logger
}

/** The other server of a pair. Whichever of the two was promoted last takes the writes (S7). */
export class Peer {
  readonly url: string
  readonly #deps: Dependencies
  #wasSilent = false

  constructor(url: string, deps: Dependencies) {
    this.url = url
    this.#deps = deps
  }

  /**
   * The history that began with its last promotion, empty where it never was promoted; undefined where it does not
   * answer in time, as one that was lost does not. Rejects with the signal's reason.
   */
  async promotionAtStart(signal: AbortSignal): Promise<string | undefined> {
    const { clock, randomness } = this.#deps
    const endMs = clock.monotonicMs() + START_MS
    for (let tries = 1; ; tries += 1) {
      const promotion = await this.#promotion(signal)
      if (promotion !== undefined) return promotion
      const leftMs = endMs - clock.monotonicMs()
      if (leftMs <= 0) return undefined
      await clock.sleep(Math.min(leftMs, pauseMs(tries, randomness)), signal)
    }
  }

  /** Resolves to its promotion when that is accepted. Rejects with the signal's reason. */
  async promotionWhen(
    isNewer: (promotion: string) => boolean,
    signal: AbortSignal,
  ): Promise<string> {
    for (;;) {
      await this.#deps.clock.sleep(LOOK_MS, signal)
      const promotion = await this.#promotion(signal)
      if (promotion !== undefined && isNewer(promotion)) return promotion
    }
  }

  async #promotion(signal: AbortSignal): Promise<string | undefined> {
    const { log } = this.#deps
    const { url: peer } = this
    try {
      const promotion = await promotionOfServer(peer, signal)
      if (this.#wasSilent) log.info({ peer }, 'the peer answers again')
      this.#wasSilent = false
      return promotion
    } catch (error) {
      signal.throwIfAborted()
      const reason = reasonOf(error)
      if (!this.#wasSilent) log.warn({ peer, reason }, 'the peer does not answer')
      this.#wasSilent = true
      return undefined
    }
  }
}

/** Nothing of it is secret, so no token is needed that could have ended. */
async function promotionOfServer(url: string, signal: AbortSignal): Promise<string> {
  const answer = await fetch(`${url}/healthz`, {
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWER_MS)]),
  })
  const { promotion } = JSON.parse((await bodyOf(answer, ANSWER_BYTES_MAX)).toString('utf8'))
  if (!answer.ok) throw new Error(`it answers ${answer.status}`)
  return typeof promotion === 'string' ? promotion : ''
}
