// SPDX-License-Identifier: Apache-2.0
import type { Database, ResultColumn } from '../../client-sdk/client.ts'
import { isoOf } from '../page/stamp-text.ts'
import { LiveFeed } from './live-feed.ts'

export type WatchState = 'connecting' | 'live' | 'reconnecting' | 'ended'

/** How long changes may be taken in one go, so that what the page has to draw does not wait. */
const TURN_MS = 8

/**
 * One subscription, and what it has told. While it is paused, or nobody looks, it reads nothing, and the server keeps
 * what comes for as long as it keeps history; of a list the newest state is enough.
 */
export class LiveWatch {
  readonly feed = new LiveFeed()
  readonly sql: string
  state: WatchState = 'connecting'
  error: unknown
  columns: readonly ResultColumn[] = []
  readonly #changed: () => void
  readonly #ending = new AbortController()
  #isPaused = false
  #isHidden: boolean
  #goOn = Promise.withResolvers<void>()

  /** `changed` is called after each change, as often as they come. */
  constructor(db: Database, sql: string, isHidden: boolean, changed: () => void) {
    this.sql = sql
    this.#isHidden = isHidden
    this.#changed = changed
    void this.#run(db)
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  pause(isPaused: boolean): void {
    this.#isPaused = isPaused
    this.#wake()
  }

  /** Whether nobody looks. */
  hide(isHidden: boolean): void {
    this.#isHidden = isHidden
    this.#wake()
  }

  end(): void {
    this.#ending.abort()
    this.#wake()
  }

  #wake(): void {
    this.#goOn.resolve()
    this.#goOn = Promise.withResolvers()
    this.#changed()
  }

  async #run(db: Database): Promise<void> {
    const { signal } = this.#ending
    const subscription = db.subscribe(this.sql, undefined, {
      snapshot: true,
      progress: true,
      signal,
      onConnect: () => this.#connected(),
      onReconnect: (error, tries) => this.#lost(error, tries),
    })
    try {
      let begun = performance.now()
      while (true) {
        const { done, value } = await subscription.next()
        await this.#mayGoOn()
        if (done || signal.aborted) break
        if (performance.now() - begun > TURN_MS) {
          await new Promise((resolve) => setTimeout(resolve))
          begun = performance.now()
        }
        this.feed.isList = subscription.bookmark.mode === 'result'
        this.feed.apply(value, Date.now())
        this.columns = subscription.columns
        this.#changed()
      }
    } catch (error) {
      if (signal.aborted) return
      this.error = error
      this.state = 'ended'
      this.#changed()
    }
  }

  async #mayGoOn(): Promise<void> {
    while ((this.#isPaused || this.#isHidden) && !this.#ending.signal.aborted) {
      await this.#goOn.promise
    }
  }

  #connected(): void {
    if (this.state === 'reconnecting') {
      const { position } = this.feed
      const from = position === undefined ? 'with a new snapshot' : `after ${isoOf(position)}`
      const known = this.feed.isList ? 'by the difference since then' : 'so nothing is left out'
      this.feed.note(`Connected again: goes on ${from}, ${known}.`)
    }
    this.state = 'live'
    this.#changed()
  }

  #lost(error: Error, tries: number): void {
    if (tries === 1) this.feed.note(error.message)
    this.state = 'reconnecting'
    this.#changed()
  }
}
