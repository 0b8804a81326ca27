// SPDX-License-Identifier: Apache-2.0

/** What a poller needs of the page. */
export type PageVisibility = {
  isHidden(): boolean
  /** Calls back after each change, until the signal ends it. */
  onChange(changed: () => void, signal: AbortSignal): void
}

/** What was answered last. After an error the value from before stays. */
export type Polled<T> = { readonly value: T | undefined; readonly error: unknown }

/**
 * Asks again and again while the page is looked at: never twice at once, the next time so long after an answer, and at
 * once when the page is looked at again.
 */
export class Poller<T> {
  readonly #ask: (signal: AbortSignal) => Promise<T>
  readonly #everyMs: number
  readonly #listener: (polled: Polled<T>) => void
  readonly #visibility: PageVisibility
  readonly #ending = new AbortController()
  #timer: ReturnType<typeof setTimeout> | undefined
  #isAsking = false
  #isWanted = false
  #value: T | undefined

  constructor(parts: {
    readonly ask: (signal: AbortSignal) => Promise<T>
    readonly everyMs: number
    readonly listener: (polled: Polled<T>) => void
    readonly visibility: PageVisibility
  }) {
    this.#ask = parts.ask
    this.#everyMs = parts.everyMs
    this.#listener = parts.listener
    this.#visibility = parts.visibility
    this.#visibility.onChange(() => this.now(), this.#ending.signal)
    this.now()
  }

  /** Asks at once, or again after the request that is on its way. */
  now(): void {
    clearTimeout(this.#timer)
    if (this.#ending.signal.aborted || this.#visibility.isHidden()) return
    this.#isWanted = this.#isAsking
    if (!this.#isAsking) void this.#asking()
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#ending.abort()
  }

  async #asking(): Promise<void> {
    const { signal } = this.#ending
    this.#isAsking = true
    let error: unknown
    try {
      this.#value = await this.#ask(signal)
    } catch (cause) {
      error = cause
    }
    this.#isAsking = false
    if (signal.aborted) return
    this.#listener({ value: this.#value, error })
    if (this.#isWanted) this.now()
    else this.#timer = setTimeout(() => this.now(), this.#everyMs)
  }
}
