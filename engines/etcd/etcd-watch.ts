// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import type { RangeWatch } from '../../storage/cells/cell-store.ts'
import { CallError } from '../network/call-errors.ts'
import type { EtcdClient, WatchedKeys } from './etcd-client.ts'

const FIRST_PAUSE_MS = 100
const PAUSE_MS_MAX = 5_000

/**
 * Hears of changes in a range of keys, of one member until that fails, and then of the next one. What was changed in
 * between may have been missed, which is said as a change when it hears again.
 */
export class EtcdWatch implements RangeWatch {
  readonly #client: EtcdClient
  readonly #range: WatchedKeys
  readonly #changed: () => void
  readonly #stopping = new AbortController()
  readonly #ended: AbortSignal
  #isHearing = false

  /** It ends with `closing` too, that of its store. */
  constructor(
    client: EtcdClient,
    range: WatchedKeys,
    { changed, closing }: { readonly changed: () => void; readonly closing: AbortSignal },
  ) {
    this.#client = client
    this.#range = range
    this.#changed = changed
    this.#ended = AbortSignal.any([this.#stopping.signal, closing])
    void this.#run()
  }

  get isHearing(): boolean {
    return this.#isHearing
  }

  stop(): void {
    this.#stopping.abort()
  }

  async #run(): Promise<void> {
    const signal = this.#ended
    for (let pauseMs = FIRST_PAUSE_MS; !signal.aborted; ) {
      try {
        for await (const { canceled } of this.#client.watch(this.#range, signal)) {
          if (canceled) break
          this.#isHearing = true
          pauseMs = FIRST_PAUSE_MS
          this.#changed()
        }
      } catch (error) {
        if (!signal.aborted && !(error instanceof CallError)) throw error
      }
      this.#isHearing = false
      await delay(pauseMs, undefined, { signal, ref: false }).catch(() => undefined)
      pauseMs = Math.min(2 * pauseMs, PAUSE_MS_MAX)
    }
  }
}
