// SPDX-License-Identifier: Apache-2.0

import { clientError } from '../errors.ts'
import type { SharedSocket } from '../socket/shared-socket.ts'
import type { Row } from '../values.ts'
import type { KeyColumn } from '../wire.ts'
import { Arrivals } from './arrivals.ts'
import { compareKeys } from './key-order.ts'
import { type SubscribedStatement, Subscriber, type SubscriberOptions } from './subscriber.ts'
import type { Change, RowKey, SnapshotRow } from './subscription-event.ts'
import type { AnyEvent } from './subscription-frames.ts'

export type LiveOptions = Pick<
  SubscriberOptions,
  'mode' | 'onConnect' | 'onCaughtUp' | 'onReconnect' | 'keepTrying'
> & {
  readonly signal?: AbortSignal
}

/** One of a result has no key. */
type LiveRow<R> = { readonly key?: RowKey; readonly row: R }

/**
 * The rows of a statement as they are, the whole array again after each commit that changed it: in the order of the
 * primary key, or in the statement's own where it is told as a result. A slow reader gets the newest array, and those
 * between are left out. Each array is a new one; a row that did not change is the same object in it.
 */
export class LiveRows<R = Row> extends Arrivals<R[]> {
  readonly #subscriber: Subscriber<R>
  /** Undefined where the rows are those of a result, which has an order of its own. */
  #key: readonly KeyColumn[] | undefined
  #rows: Array<LiveRow<R>> = []
  /** What has come of a snapshot. */
  #incoming: Array<LiveRow<R>> = []
  #newest: number | undefined
  #timestamp: number | undefined
  #isChanged = false

  constructor(socket: SharedSocket, statement: SubscribedStatement, options: LiveOptions) {
    super(
      () => this.#take(),
      (signal) => this.#subscriber.run(signal),
      options.signal,
    )
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

  #take(): R[] | undefined {
    if (!this.#isChanged) return undefined
    this.#isChanged = false
    this.#timestamp = this.#newest
    return this.#rows.map(({ row }) => row)
  }

  /** Until a new snapshot is complete, the rows from before it stand. Throws `invalid_answer`. */
  #apply(event: AnyEvent<R>): void {
    switch (event.kind) {
      case 'reset':
        this.#incoming = []
        // What nobody has taken may be rows that this token does not see.
        this.#isChanged = false
        return
      case 'rows':
        for (const row of event.rows) {
          this.#incoming.push(this.#key ? (row as SnapshotRow<R>) : { row: row as R })
        }
        return
      case 'progress':
        return
      case 'snapshot':
        // A walk along an index gives them in its order.
        this.#rows = this.#incoming.sort((a, b) => this.#compare(a, b.key))
        this.#incoming = []
        break
      case 'commit':
        for (const change of event.changes) this.#applyChange(change)
        break
      case 'patch':
        for (const [at, deleted, rows] of event.splice) {
          // Of another list than this one.
          if (at + deleted > this.#rows.length) throw clientError('invalid_answer')
          this.#rows.splice(at, deleted, ...rows.map((row) => ({ row })))
        }
    }
    this.#newest = event.timestamp
    this.#isChanged = true
    this.arrived()
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
      const order = this.#compare(this.#rows[middle] as LiveRow<R>, key)
      if (order === 0) return { position: middle, isThere: true }
      if (order < 0) low = middle + 1
      else high = middle
    }
    return { position: low, isThere: false }
  }

  /** Those of a result stay in its order. */
  #compare({ key = [] }: LiveRow<R>, other: RowKey = []): number {
    return compareKeys(this.#key ?? [], key, other)
  }
}
