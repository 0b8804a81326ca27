// SPDX-License-Identifier: Apache-2.0
import { clientError } from '../errors.ts'
import type { ServerFrame } from '../socket/socket-frame.ts'
import { decodeKey, decodeRows, type Row, type ValueModes } from '../values.ts'
import type { KeyColumn, ResultColumn } from '../wire.ts'
import type { ResultEvent, Splice, SubscriptionEvent } from './subscription-event.ts'

/** Of either mode. */
export type AnyEvent<R> = SubscriptionEvent<R> | ResultEvent<R>

/** An event with how much of the wire it took, in characters, and the columns of its rows. */
type ReadEvent<R> = {
  readonly event: AnyEvent<R>
  readonly characters: number
  readonly columns: readonly ResultColumn[] | undefined
}

type WireRow = Record<string, unknown>

/** A row of a snapshot, or what has changed of one. */
type KeyedRow = { readonly op?: string; readonly key: readonly unknown[]; readonly row?: WireRow }

/** Reads the frames of a subscription on one connection, and gathers commits and patches that take several. */
export class SubscriptionFrames<R> {
  readonly #modes: ValueModes
  /** Undefined in the mode `result`. */
  #key: readonly KeyColumn[] | undefined
  #columns: readonly ResultColumn[] | undefined
  /** The changes of a commit or the splices of a patch whose last frame has not come. */
  #items: unknown[] = []
  /** Of the frames since the last event. */
  #characters = 0

  constructor(modes: ValueModes) {
    this.#modes = modes
  }

  /** The event that the frame tells of or completes. Throws `integer_out_of_range`. */
  read(frame: ServerFrame, characters: number): ReadEvent<R> | undefined {
    const { type, timestamp, commitTimestamp, digest } = frame
    if (type === 'subscribed') this.#key = frame.key as KeyColumn[] | undefined
    this.#characters += characters
    if (frame.columns !== undefined) this.#columns = frame.columns as ResultColumn[]
    const state = { timestamp, ...(digest === undefined ? {} : { digest }) }
    switch (type) {
      case 'rows': {
        const rows = this.#key ? this.#keyed(frame.rows) : this.#decoded(frame.rows)
        return this.#event({ kind: 'rows', rows })
      }
      case 'snapshotEnd':
        return this.#event({ kind: 'snapshot', ...state })
      case 'progress':
        return this.#event({ kind: 'progress', timestamp })
      case 'change': {
        const changes = this.#gathered(frame, this.#keyed(frame.changes))
        return changes && this.#event({ kind: 'commit', timestamp: commitTimestamp, changes })
      }
      case 'patch': {
        const splice = this.#gathered(frame, this.#spliced(frame.splice))
        return splice && this.#event({ kind: 'patch', ...state, splice })
      }
    }
    return undefined
  }

  #event(event: Readonly<Record<string, unknown>>): ReadEvent<R> {
    const characters = this.#characters
    this.#characters = 0
    return { event: event as unknown as AnyEvent<R>, characters, columns: this.#columns }
  }

  /** All of them, with the last frame. */
  #gathered({ last }: ServerFrame, items: readonly unknown[]): unknown[] | undefined {
    const gathered = this.#items
    for (const item of items) gathered.push(item)
    if (last !== true) return undefined
    this.#items = []
    return gathered
  }

  #keyed(frames: unknown): object[] {
    const rows = frames as KeyedRow[]
    this.#decoded(rows.flatMap(({ row }) => row ?? []))
    return rows.map((row) => ({ ...row, key: decodeKey(this.#key ?? [], row.key, this.#modes) }))
  }

  #spliced(frames: unknown): Splice[] {
    const splices = frames as Splice[]
    for (const [, , rows] of splices) this.#decoded(rows)
    return splices
  }

  /** The rows themselves, whose values have then the types of their columns. */
  #decoded(rows: unknown): Row[] {
    if (this.#columns === undefined) throw clientError('invalid_answer')
    return decodeRows({ columns: this.#columns, rows: rows as WireRow[] }, this.#modes)
  }
}
