// SPDX-License-Identifier: Apache-2.0
import { orAborted } from '../backoff.ts'
import type { PercoliteError } from '../errors.ts'
import { keptTextsOf } from '../json-text.ts'
import type { Key } from '../key-path.ts'
import { Returns } from '../socket/returns.ts'
import type { SharedSocket } from '../socket/shared-socket.ts'
import type { SocketConnection, SocketUse } from '../socket/socket-connection.ts'
import { errorOfFrame, type ServerFrame } from '../socket/socket-frame.ts'
import { encodeParameters } from '../values.ts'
import type { RowCells } from '../wire.ts'
import { Arrivals } from './arrivals.ts'

/** A cell that a step has set, in the form of those of `RowCells`. */
type StepCell = {
  readonly family: 'data' | 'lock' | 'write' | 'rollback' | 'guard' | 'notify'
  readonly column: string
  readonly timestamp: number
  readonly [fact: string]: unknown
}

/** A cell of a column, or all `from` a timestamp and below `until`. */
type ErasedCells = Pick<StepCell, 'family' | 'column'> & {
  readonly timestamp?: number
  readonly from?: number
  readonly until?: number
}

export type InspectionEvent =
  /** The rows as they are: at first, and again after a lost connection. */
  | {
      readonly kind: 'cells'
      /** Whose steps follow: all, or those of the server that is asked. */
      readonly scope: 'store' | 'process'
      readonly timestamp: number
      readonly rows: readonly RowCells[]
    }
  | {
      readonly kind: 'step'
      readonly at: string
      readonly key: readonly unknown[]
      readonly transaction?: number
      readonly step: string
      readonly set: readonly StepCell[]
      readonly erased: readonly ErasedCells[]
    }
  /** So many steps were left out, because they were not taken in time. */
  | { readonly kind: 'leftOut'; readonly count: number }

export type InspectOptions = {
  readonly signal?: AbortSignal
  /**
   * How the texts of keys and cells are read where JSON.parse may have rounded a number in a value, or always with
   * `json: 'text'`; such as with a bigint in place of what a number cannot hold.
   */
  readonly parse?: (text: string) => unknown
}

const USE: SocketUse = { limit: 'socketSubscriptionsMax', count: 1 }

/** Steps that wait for their reader; more are left out. */
const WAITING_MAX = 1_000

/**
 * The cells of some rows, and each step of the protocol that changes them: "Cells and steps" in
 * `docs/websocket-protocol.md`. Nothing is sent before the first `next`; leaving the loop ends it.
 */
export class Inspection extends Arrivals<InspectionEvent> {
  readonly #returns: Returns
  readonly #request: Readonly<Record<string, unknown>>
  readonly #parse: InspectOptions['parse']
  #waiting: InspectionEvent[] = []
  #leftOut = 0

  constructor(
    socket: SharedSocket,
    { table, keys }: { readonly table: string; readonly keys: readonly Key[] },
    { signal, parse }: InspectOptions,
  ) {
    super(
      () => this.#take(),
      (until) => this.#run(until),
      signal,
    )
    this.#returns = new Returns(socket, USE, {})
    this.#parse = parse
    const lists = keys.map((key) => encodeParameters(Array.isArray(key) ? key : [key]))
    this.#request = { type: 'inspect', table, keys: lists }
  }

  async #run(signal: AbortSignal): Promise<never> {
    while (true) {
      try {
        await this.#inspect(await this.#returns.connection(signal), signal)
      } catch (error) {
        signal.throwIfAborted()
        await this.#returns.wait(error, signal)
      }
    }
  }

  /** On one connection; rejects with what ended it there. */
  async #inspect(connection: SocketConnection, signal: AbortSignal): Promise<never> {
    const ended = Promise.withResolvers<never>()
    const listener = {
      frame: (frame: ServerFrame) => {
        if (frame.type === 'error') ended.reject(errorOfFrame(frame))
        else this.#keep(frame)
      },
      lost: (error: PercoliteError) => ended.reject(error),
    }
    const id = connection.ask(this.#request, listener, USE)
    try {
      return await orAborted(ended.promise, signal)
    } finally {
      connection.send({ type: 'unsubscribe', id })
      connection.forget(id)
    }
  }

  #keep(frame: ServerFrame): void {
    const { type, id: _, ...asSent } = frame
    const fields = { ...asSent, ...this.#parsed(frame) }
    if (type === 'cells') {
      this.#returns.begun()
      this.#returns.progressed()
      // What came before it is in it.
      this.#waiting = []
      this.#leftOut = 0
      this.#waiting.push({ kind: 'cells', ...fields } as unknown as InspectionEvent)
    } else if (type === 'stepsLeftOut') {
      this.#leftOut += Number(fields.count)
    } else if (type === 'step' && this.#leftOut === 0 && this.#waiting.length < WAITING_MAX) {
      this.#waiting.push({ kind: 'step', ...fields } as unknown as InspectionEvent)
    } else if (type === 'step') {
      this.#leftOut += 1
    }
    this.arrived()
  }

  /** The keys and cells of the frame as the caller reads them. */
  #parsed(frame: ServerFrame): object {
    const texts = this.#parse === undefined ? undefined : keptTextsOf(frame)?.texts
    const cells = ['rows', 'key', 'set'].flatMap((name) => {
      const text = texts?.get(name)
      return text === undefined ? [] : [[name, this.#parse?.(text)]]
    })
    return Object.fromEntries(cells)
  }

  #take(): InspectionEvent | undefined {
    const event = this.#waiting.shift()
    if (event !== undefined || this.#leftOut === 0) return event
    const count = this.#leftOut
    this.#leftOut = 0
    return { kind: 'leftOut', count }
  }
}
