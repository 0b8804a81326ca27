// SPDX-License-Identifier: Apache-2.0

import type { SharedSocket } from '../socket/shared-socket.ts'
import type { Row } from '../values.ts'
import type { KeyColumn } from '../wire.ts'
import { Arrivals } from './arrivals.ts'
import { compareKeys } from './key-order.ts'
import { type SubscribedStatement, Subscriber, type SubscriberOptions } from './subscriber.ts'
import type { Change, RowKey, SnapshotRow, SubscriptionEvent } from './subscription-event.ts'

export type LiveOptions = Pick<
  SubscriberOptions,
  'onConnect' | 'onCaughtUp' | 'onReconnect' | 'keepTrying'
> & {
  readonly signal?: AbortSignal
}

/**
 * The rows of a statement as they are, the whole array again after each commit that changed one, in the
 * order of the primary key. A slow reader gets the newest array, and those between are left out.
 * Each array is a new one; a row that did not change is the same object in it.
 */
export class LiveRows<R = Row> implements AsyncIterableIterator<R[], undefined>, AsyncDisposable {
  readonly #arrivals: Arrivals<R[]>
  readonly #subscriber: Subscriber<R>
  #key: readonly KeyColumn[] = []
  /** In key order; of a snapshot that is coming in, what has come. */
  #rows: Array<SnapshotRow<R>> = []
  #incoming: Array<SnapshotRow<R>> = []
  #newest: number | undefined
  #timestamp: number | undefined
  #isChanged = false

  constructor(socket: SharedSocket, statement: SubscribedStatement, options: LiveOptions) {
    this.#subscriber = new Subscriber<R>(
      socket,
      statement,
      { ...options, snapshot: true },
      {
        // A row that did not change has the new columns all the same.
        needsOneShape: true,
        key: (columns) => {
          this.#key = columns
        },
        event: (event) => this.#apply(event),
      },
    )
    this.#arrivals = new Arrivals(
      {
        take: () => this.#take(),
        run: (signal) => this.#subscriber.run(signal),
      },
      options.signal,
    )
  }

  /** As of when the array is that was given last: `SCAN … AS OF` it answers the same rows. */
  get timestamp(): number | undefined {
    return this.#timestamp
  }

  /** Whether the array that is given next, or was given last, has all that was committed before it connected. */
  get isCaughtUp(): boolean {
    return this.#subscriber.isCaughtUp
  }

  /** Whether there is an array that has not been given. */
  get isWaiting(): boolean {
    return this.#isChanged
  }

  next(): Promise<IteratorResult<R[], undefined>> {
    return this.#arrivals.next()
  }

  return(): Promise<IteratorResult<R[], undefined>> {
    return this.#arrivals.return()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#arrivals.return()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #take(): R[] | undefined {
    if (!this.#isChanged) return undefined
    this.#isChanged = false
    this.#timestamp = this.#newest
    return this.#rows.map(({ row }) => row)
  }

  /** Until a new snapshot is complete, the rows from before it stand. */
  #apply(event: SubscriptionEvent<R>): void {
    switch (event.kind) {
      case 'reset':
        this.#incoming = []
        // What nobody has taken may be rows that this token does not see.
        this.#isChanged = false
        break
      case 'rows':
        for (const row of event.rows) this.#incoming.push(row)
        break
      case 'snapshot':
        // A walk along an index gives them in its order.
        this.#rows = this.#incoming.sort((a, b) => compareKeys(this.#key, a.key, b.key))
        this.#incoming = []
        this.#changed(event.timestamp)
        break
      case 'commit':
        for (const change of event.changes) this.#applyChange(change)
        this.#changed(event.timestamp)
    }
  }

  #changed(timestamp: number): void {
    this.#newest = timestamp
    this.#isChanged = true
    this.#arrivals.arrived()
  }

  #applyChange({ key, row }: Change<R>): void {
    const { position, isThere } = this.#find(key)
    const replaced = isThere ? 1 : 0
    if (row === undefined) this.#rows.splice(position, replaced)
    else this.#rows.splice(position, replaced, { key, row })
  }

  /** Where the row stands, or would stand. */
  #find(key: RowKey): { readonly position: number; readonly isThere: boolean } {
    let low = 0
    let high = this.#rows.length
    while (low < high) {
      const middle = (low + high) >>> 1
      const order = compareKeys(this.#key, (this.#rows[middle] as SnapshotRow<R>).key, key)
      if (order === 0) return { position: middle, isThere: true }
      if (order < 0) low = middle + 1
      else high = middle
    }
    return { position: low, isThere: false }
  }
}
