// SPDX-License-Identifier: Apache-2.0

import type { SharedSocket } from '../socket/shared-socket.ts'
import type { Row } from '../values.ts'
import type { ResultColumn } from '../wire.ts'
import { Arrivals } from './arrivals.ts'
import { type SubscribedStatement, Subscriber, type SubscriberOptions } from './subscriber.ts'
import type { SubscriptionEvent } from './subscription-event.ts'

export type SubscribeOptions = SubscriberOptions & {
  /** Whether to be told, about every 10 seconds, that nothing more comes up to a time. */
  readonly progress?: boolean
  readonly signal?: AbortSignal
}

/** How much may wait for its reader, in characters of the wire, besides what is on its way. */
const WAITING_CHARACTERS_MAX = 1024 * 1024

type Waiting<R> = {
  readonly event: SubscriptionEvent<R>
  readonly characters: number
  readonly history: string | undefined
  readonly view: string | undefined
  readonly columns: readonly ResultColumn[] | undefined
}

/**
 * What changes of the rows of a statement, one whole commit after the other, over any loss of the
 * connection. Nothing is sent before the first `next`; leaving the loop ends it, and so does
 * `await using`. A slow reader makes the server wait.
 */
export class Subscription<R = Row>
  implements AsyncIterableIterator<SubscriptionEvent<R>, undefined>, AsyncDisposable
{
  readonly #arrivals: Arrivals<SubscriptionEvent<R>>
  readonly #subscriber: Subscriber<R>
  #waiting: Array<Waiting<R>> = []
  #waitingCharacters = 0
  #position: number | undefined
  #history: string | undefined
  #view: string | undefined
  #columns: readonly ResultColumn[] = []

  constructor(socket: SharedSocket, statement: SubscribedStatement, options: SubscribeOptions) {
    this.#position = options.since
    this.#history = options.history
    this.#view = options.view
    this.#subscriber = new Subscriber(socket, statement, options, {
      key: () => undefined,
      event: (event, characters, columns) => {
        const { history, view } = this.#subscriber
        if (event.kind !== 'progress' || options.progress) {
          this.#keep({ event, characters, history, view, columns })
        } else if (this.#waiting.length === 0) {
          // Where nothing waits before it, that is as good as given.
          this.#position = event.timestamp
          this.#history = history
          this.#view = view
        }
      },
    })
    this.#arrivals = new Arrivals(
      {
        take: () => this.#take(),
        run: (signal) => this.#subscriber.run(signal),
      },
      options.signal,
    )
  }

  /**
   * The `since` of a later subscription that is to continue after what this one has given so far; it moves
   * on where nothing comes, too. Undefined before the first of it, or the end of the snapshot.
   */
  get position(): number | undefined {
    return this.#position
  }

  /**
   * The history of the store that `position` is of, to be kept with it and given as `history` with `since`:
   * so the server knows a position of another store, or of what a restored copy has lost.
   */
  get history(): string | undefined {
    return this.#history
  }

  /**
   * The view that `position` is of, to be kept and given with it: where a rule hides rows, the server knows by it a
   * position of another token, or of a rule that has changed. Undefined where none does.
   */
  get view(): string | undefined {
    return this.#view
  }

  /** The columns of the rows that were given last, which are others after an ALTER TABLE; none before the first. */
  get columns(): readonly ResultColumn[] {
    return this.#columns
  }

  next(): Promise<IteratorResult<SubscriptionEvent<R>, undefined>> {
    return this.#arrivals.next()
  }

  return(): Promise<IteratorResult<SubscriptionEvent<R>, undefined>> {
    return this.#arrivals.return()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#arrivals.return()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #keep(waiting: Waiting<R>): void {
    this.#waiting.push(waiting)
    this.#waitingCharacters += waiting.characters
    if (this.#waitingCharacters >= WAITING_CHARACTERS_MAX) this.#subscriber.pause()
    this.#arrivals.arrived()
  }

  #take(): SubscriptionEvent<R> | undefined {
    const first = this.#waiting.shift()
    if (first === undefined) return undefined
    this.#waitingCharacters -= first.characters
    if (this.#waitingCharacters < WAITING_CHARACTERS_MAX / 2) this.#subscriber.resume()
    const { event, history, view, columns } = first
    this.#history = history
    this.#view = view
    this.#columns = columns ?? this.#columns
    if (event.kind === 'reset') this.#position = undefined
    else if (event.kind !== 'rows') this.#position = event.timestamp
    return event
  }
}
