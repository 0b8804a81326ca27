// SPDX-License-Identifier: Apache-2.0

import type { SharedSocket } from '../socket/shared-socket.ts'
import type { Row } from '../values.ts'
import type { ResultColumn } from '../wire.ts'
import { Arrivals } from './arrivals.ts'
import { type SubscribedStatement, Subscriber, type SubscriberOptions } from './subscriber.ts'
import type { Bookmark, ResultEvent, SubscriptionEvent } from './subscription-event.ts'

export type SubscribeOptions = SubscriberOptions & {
  /** Whether to be told, about every 10 seconds, that nothing more comes up to a time. */
  readonly progress?: boolean
  readonly signal?: AbortSignal
}

/** They say the mode `result`, so that the compiler knows it. */
export type ResultOptions = SubscribeOptions & { readonly mode: 'result' }

export type ResultSubscription<R = Row> = Subscription<R, ResultEvent<R>>

/** How much may wait for its reader, in characters of the wire, besides what is on its way. */
const WAITING_CHARACTERS_MAX = 1024 * 1024

type Waiting = {
  readonly event: unknown
  readonly characters: number
  readonly bookmark: Bookmark
  readonly columns: readonly ResultColumn[] | undefined
}

/**
 * What changes of the rows of a statement, one whole commit after the other, or one patch after the other of the list
 * of them, over any loss of the connection. Nothing is sent before the first `next`; leaving the loop ends it, and so
 * does `await using`. A slow reader makes the server wait.
 */
export class Subscription<R = Row, Event = SubscriptionEvent<R>> extends Arrivals<Event> {
  readonly #subscriber: Subscriber<R>
  #waiting: Waiting[] = []
  #waitingCharacters = 0
  #bookmark: Bookmark
  #columns: readonly ResultColumn[] = []

  constructor(socket: SharedSocket, statement: SubscribedStatement, options: SubscribeOptions) {
    super(
      () => this.#take(),
      (signal) => this.#subscriber.run(signal),
      options.signal,
    )
    this.#subscriber = new Subscriber(socket, statement, options, {
      key: () => undefined,
      event: (event, characters, columns) => {
        const { bookmark } = this.#subscriber
        if (event.kind !== 'progress' || options.progress) {
          this.#keep({ event, characters, bookmark, columns })
        } else if (this.#waiting.length === 0) {
          // Where nothing waits before it, that is as good as given.
          this.#bookmark = bookmark
        }
      },
    })
    this.#bookmark = this.#subscriber.bookmark
  }

  /**
   * The options of a later subscription that is to go on after what this one has given so far: the properties below,
   * and with the mode `result` the `digest` of its list. It moves on where nothing comes, too.
   */
  get bookmark(): Bookmark {
    return this.#bookmark
  }

  /** The `since` of the bookmark; undefined before the first of it, or the end of the snapshot. */
  get position(): number | undefined {
    return this.#bookmark.since
  }

  /**
   * The history of the store that `position` is of, to be kept with it and given as `history` with `since`:
   * so the server knows a position of another store, or of what a restored copy has lost.
   */
  get history(): string | undefined {
    return this.#bookmark.history
  }

  /**
   * The view that `position` is of, to be kept and given with it: where a rule hides rows, the server knows by it a
   * position of another token, or of a rule that has changed. Undefined where none does.
   */
  get view(): string | undefined {
    return this.#bookmark.view
  }

  /** The columns of the rows that were given last, which are others after an ALTER TABLE; none before the first. */
  get columns(): readonly ResultColumn[] {
    return this.#columns
  }

  #keep(waiting: Waiting): void {
    this.#waiting.push(waiting)
    this.#waitingCharacters += waiting.characters
    if (this.#waitingCharacters >= WAITING_CHARACTERS_MAX) this.#subscriber.pause()
    this.arrived()
  }

  #take(): Event | undefined {
    const first = this.#waiting.shift()
    if (first === undefined) return undefined
    this.#waitingCharacters -= first.characters
    if (this.#waitingCharacters < WAITING_CHARACTERS_MAX / 2) this.#subscriber.resume()
    this.#bookmark = first.bookmark
    this.#columns = first.columns ?? this.#columns
    return first.event as Event
  }
}
