// SPDX-License-Identifier: Apache-2.0
import { clientError } from '../errors.ts'
import type { ServerFrame } from '../socket/socket-frame.ts'
import type { IntegerMode } from '../values.ts'
import type { KeyColumn, ResultColumn } from '../wire.ts'
import {
  type Change,
  ChangeDecoder,
  type SubscriptionEvent,
  type WireChange,
  type WireRow,
} from './subscription-event.ts'

/** An event with how much of the wire it took, in characters, and the columns of its rows. */
type ReadEvent<R> = {
  readonly event: SubscriptionEvent<R>
  readonly characters: number
  readonly columns?: readonly ResultColumn[]
}

type Part<R> = { readonly changes: Change<R>[]; characters: number }

/** Reads the frames of a subscription on one connection, and gathers commits that take several. */
export class SubscriptionFrames<R> {
  readonly #integers: IntegerMode
  #decoder: ChangeDecoder<R> | undefined
  /** Of a commit whose last frame has not come. */
  #part: Part<R> = { changes: [], characters: 0 }

  constructor(integers: IntegerMode) {
    this.#integers = integers
  }

  /** The event that the frame tells of or completes. Throws `integer_out_of_range`. */
  read(frame: ServerFrame, characters: number): ReadEvent<R> | undefined {
    const timestamp = frame.timestamp as number
    switch (frame.type) {
      case 'subscribed':
        this.#takeColumns(frame.key as KeyColumn[], frame)
        break
      case 'columns':
        this.#takeColumns(this.#decoded.key, frame)
        break
      case 'rows': {
        const rows = this.#decoded.rows(frame.rows as WireRow[])
        return { event: { kind: 'rows', rows }, characters, columns: this.#decoded.columns }
      }
      case 'snapshotEnd':
        return { event: { kind: 'snapshot', timestamp }, characters }
      case 'change':
        return this.#readChange(frame, characters)
      case 'progress':
        return { event: { kind: 'progress', timestamp }, characters }
    }
    return undefined
  }

  #takeColumns(key: readonly KeyColumn[], { columns }: ServerFrame): void {
    this.#decoder = new ChangeDecoder<R>(key, columns as ResultColumn[], this.#integers)
  }

  #readChange(frame: ServerFrame, characters: number): ReadEvent<R> | undefined {
    const part = this.#part
    for (const change of this.#decoded.changes(frame.changes as WireChange[])) {
      part.changes.push(change)
    }
    part.characters += characters
    if (frame.last !== true) return undefined
    this.#part = { changes: [], characters: 0 }
    const timestamp = frame.commitTimestamp as number
    const event = { kind: 'commit', timestamp, changes: part.changes } as const
    return { event, characters: part.characters, columns: this.#decoded.columns }
  }

  get #decoded(): ChangeDecoder<R> {
    if (this.#decoder === undefined) throw clientError('invalid_answer')
    return this.#decoder
  }
}
