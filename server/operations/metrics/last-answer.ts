// SPDX-License-Identifier: Apache-2.0
import type { Storage } from '../../../storage/storage.ts'
import { settledSoon } from '../../settled-soon.ts'

/** A figure that the store has to be asked for, for those who must not wait for one that others share. */
export class LastAnswer<T> {
  readonly #storage: Pick<Storage, 'isShared' | 'health'>
  readonly #ask: () => Promise<T>
  #asking: Promise<void> | undefined
  #last: T | undefined

  constructor(storage: Pick<Storage, 'isShared' | 'health'>, ask: () => Promise<T>) {
    this.#storage = storage
    this.#ask = ask
  }

  /**
   * Resolves to what the store says. One on other machines may leave that unsaid for a while: then to what it said
   * last, and to undefined before it has said anything.
   */
  async get(): Promise<T | undefined> {
    if (!this.#storage.isShared) return await this.#ask()
    this.#asking ??= this.#askAgain()
    await settledSoon(this.#storage, this.#asking)
    return this.#last
  }

  async #askAgain(): Promise<void> {
    try {
      this.#last = await this.#ask()
    } catch {
      // Whoever needs the store is told why.
    } finally {
      this.#asking = undefined
    }
  }
}

/**
 * How far the feed of changes is behind the newest timestamp, in milliseconds: it waits for the oldest commit whose
 * outcome is still open. 0 when there is none.
 */
export async function feedLagMs(storage: Pick<Storage, 'feed' | 'status'>): Promise<number> {
  const { timestamp } = storage.status()
  const { feed } = storage
  return Math.max(0, timestamp - (await feed.resolved())) / 1000
}
