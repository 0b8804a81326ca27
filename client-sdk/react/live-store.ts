// SPDX-License-Identifier: Apache-2.0
import type { LiveOptions, LiveRows } from '../subscriptions/live-rows.ts'

/** What a component shows of live rows. */
export type Live<R> = {
  /** All rows as they are; undefined until they have come. They stay while the connection is lost. */
  readonly rows: readonly R[] | undefined
  readonly state: 'loading' | 'live' | 'reconnecting' | 'failed'
  /** What the connection was lost by while it is `reconnecting`, and what ended the rows when they `failed`. */
  readonly error: Error | undefined
}

export const LOADING: Live<never> = { rows: undefined, state: 'loading', error: undefined }

type Open<R> = (options: LiveOptions) => LiveRows<R>

/** Live rows in the form that `useSyncExternalStore` reads: `shown` is the same object until something changes. */
export class LiveStore<R> {
  readonly #open: Open<R>
  #shown: Live<R> = LOADING

  constructor(open: Open<R>) {
    this.#open = open
  }

  readonly shown = (): Live<R> => this.#shown

  /** Opens the rows; returns what closes them. */
  readonly subscribe = (changed: () => void): (() => void) => {
    const leaving = new AbortController()
    if (this.#shown.state !== 'loading') {
      this.#shown = { ...LOADING, rows: this.#shown.rows }
    }
    // StrictMode subscribes, leaves and subscribes again in one turn: only what is left of it is opened.
    queueMicrotask(() => {
      if (!leaving.signal.aborted) this.#follow(changed, leaving.signal)
    })
    return () => leaving.abort()
  }

  async #follow(changed: () => void, signal: AbortSignal): Promise<void> {
    const show = (next: Partial<Live<R>>) => {
      if (signal.aborted) return
      this.#shown = { ...this.#shown, ...next }
      changed()
    }
    try {
      const caughtUp = { state: 'live', error: undefined } as const
      const live = this.#open({
        signal,
        keepTrying: true,
        onReconnect: (error) => show({ state: 'reconnecting', error }),
        // The first rows are still to come when there are none.
        onCaughtUp: () => {
          if (this.#shown.rows !== undefined && !live.isWaiting) show(caughtUp)
        },
      })
      for await (const rows of live) show({ rows, ...(live.isCaughtUp ? caughtUp : {}) })
    } catch (error) {
      show({ state: 'failed', error: error as Error })
    }
  }
}
