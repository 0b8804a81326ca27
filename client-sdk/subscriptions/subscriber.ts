// SPDX-License-Identifier: Apache-2.0
import { orAborted, reconnectMs, sleep } from '../backoff.ts'
import { PercoliteError } from '../errors.ts'
import { isProgress } from '../socket/reconnect-pace.ts'
import type { SharedSocket } from '../socket/shared-socket.ts'
import type { SocketConnection, SocketUse } from '../socket/socket-connection.ts'
import {
  closedForAnother,
  errorOfFrame,
  isForNewToken,
  isForOneFrame,
  isOfConnection,
  isWorthReconnect,
  type ServerFrame,
} from '../socket/socket-frame.ts'
import { tell } from '../tell.ts'
import { encodeParameters, type IntegerMode, type Parameters } from '../values.ts'
import type { KeyColumn, ResultColumn } from '../wire.ts'
import type { SubscriptionEvent } from './subscription-event.ts'
import { SubscriptionFrames } from './subscription-frames.ts'

export type SubscriberOptions = {
  /**
   * Continues after this stamp: the `timestamp` of the last commit, progress or snapshot that was dealt
   * with. Changes come from there on, with no snapshot before them.
   */
  readonly since?: number | undefined
  /** The history that `since` is of: the `history` of the subscription that it comes from. */
  readonly history?: string | undefined
  /**
   * `true`: the rows come first, as of one moment, unless there is a `since`. `false`: there is never a
   * snapshot, and when changes were missed that the server does not keep any more, the subscription
   * ends with `resume_too_old` instead of a `reset`.
   */
  readonly snapshot?: boolean
  /**
   * Called when the connection was lost, or was away for too long, before each attempt to come back.
   * What it throws is not heeded.
   */
  readonly onReconnect?: (error: PercoliteError, tries: number) => void
  /** Called when the server has taken the subscription, at first and again after each lost connection. */
  readonly onConnect?: () => void
}

export type SubscribedStatement = {
  readonly sql: string
  readonly params: Parameters | undefined
  readonly integers: IntegerMode
}

const USE: SocketUse = { limit: 'socketSubscriptionsMax', count: 1 }

/** Who is told what a subscription brings, in the turn in which it comes. */
export type SubscriberListener<R> = {
  /** The columns of the primary key, before the first event. */
  key(columns: readonly KeyColumn[]): void
  /**
   * Whether it starts again with a snapshot when the table has got other columns: the rows that it was told
   * before and that did not change would not be those of the table any more.
   */
  readonly needsOneShape?: boolean
  /** `characters` is how much of the wire it took; `columns` are those of its rows. */
  event(event: SubscriptionEvent<R>, characters: number, columns?: readonly ResultColumn[]): void
}

/** The table has got other columns. */
class OtherShape extends Error {}

/**
 * One subscription over as many connections as it takes. It knows the last timestamp up to which it has
 * told everything, and comes back with it:
 *
 *     told: commit 7, commit 9, progress 12        received besides: the first frame of commit 15
 *     the connection is lost                       that frame is dropped
 *     since 12                                     commit 15 comes whole
 */
export class Subscriber<R> {
  readonly #socket: SharedSocket
  readonly #statement: SubscribedStatement
  readonly #options: SubscriberOptions
  readonly #listener: SubscriberListener<R>
  #position: number | undefined
  /** What the position is of. */
  #history: string | undefined
  #wantsSnapshot: boolean
  /** Rows of a snapshot were told whose end has not come. */
  #isSnapshotTold = false
  #hasBegun = false
  /** The connection was closed because of one frame, and it may have been this one's. */
  #isSuspect = false
  #begunAt: number | undefined
  #tries = 0
  /** Of the columns of what was told so far. */
  #shape: unknown
  #link: { readonly connection: SocketConnection; readonly id: string } | undefined
  #paused: PromiseWithResolvers<void> | undefined

  constructor(
    socket: SharedSocket,
    statement: SubscribedStatement,
    options: SubscriberOptions,
    listener: SubscriberListener<R>,
  ) {
    this.#socket = socket
    this.#statement = statement
    this.#options = options
    this.#listener = listener
    this.#position = options.since
    this.#history = options.history
    this.#wantsSnapshot = options.snapshot === true
  }

  /**
   * Goes on until the signal is aborted, and rejects with its reason; or with what ended it for good. The
   * first connection has to succeed.
   */
  async run(signal: AbortSignal): Promise<never> {
    while (true) {
      try {
        // Without a subscription no connection is needed.
        await orAborted(this.#paused?.promise ?? Promise.resolve(), signal)
        const request = this.#request()
        const options = { isReturning: this.#tries > 0, isAlone: this.#isSuspect }
        const connection = await this.#socket.open(USE, signal, options)
        await this.#subscribe(connection, request, signal)
      } catch (error) {
        signal.throwIfAborted()
        if (error instanceof OtherShape) {
          this.#restart()
          continue
        }
        if (isProgress(this.#begunAt)) this.#tries = 0
        this.#begunAt = undefined
        if (!(error instanceof PercoliteError) || !this.#mayComeBack(error)) throw error
        this.#tries += 1
        tell(this.#options.onReconnect, error, this.#tries)
        // A connection is waited for by all that need one, together.
        if (!isOfConnection(error)) {
          await sleep(reconnectMs(this.#tries, error.retryAfterMs), signal)
        }
      }
    }
  }

  /** The history of the store that told it last. */
  get history(): string | undefined {
    return this.#history
  }

  /** Nothing more is to be told for now, but for what is on its way. */
  pause(): void {
    if (this.#paused !== undefined) return
    this.#paused = Promise.withResolvers()
    this.#send('pause')
  }

  resume(): void {
    if (this.#paused === undefined) return
    this.#paused.resolve()
    this.#paused = undefined
    this.#send('resume')
  }

  #send(type: string): void {
    this.#link?.connection.send({ type, id: this.#link.id })
  }

  /** On one connection; rejects with what ended it there. */
  async #subscribe(
    connection: SocketConnection,
    request: Readonly<Record<string, unknown>>,
    signal: AbortSignal,
  ): Promise<never> {
    const ended = Promise.withResolvers<never>()
    let isHeard = false
    let isOver = false
    // A commit that came in part before, on another connection, comes whole.
    const frames = new SubscriptionFrames<R>(this.#statement.integers)
    const listener = {
      frame: (frame: ServerFrame, characters: number) => {
        isHeard = true
        // What follows the frame that ended it would leave a gap.
        if (isOver) return
        try {
          this.#take(frames, frame, characters)
        } catch (error) {
          isOver = true
          ended.reject(error)
        }
      },
      lost: (error: PercoliteError) => ended.reject(this.#lost(error, isHeard)),
    }
    const id = connection.ask(request, listener, USE)
    this.#link = { connection, id }
    if (this.#paused !== undefined) this.#send('pause')
    try {
      return await orAborted(ended.promise, signal)
    } finally {
      this.#link = undefined
      connection.send({ type: 'unsubscribe', id })
      connection.forget(id)
    }
  }

  /**
   * What a lost connection means. What one frame caused ends no subscription that has heard from the server,
   * and who has not is asked again on a connection of its own: if that is closed as well, it was the one.
   */
  #lost(error: PercoliteError, isHeard: boolean): PercoliteError {
    if (!isForOneFrame(error)) return error
    if (this.#isSuspect && !isHeard) return error
    this.#isSuspect = !isHeard
    return closedForAnother(error)
  }

  #request() {
    const { sql, params } = this.#statement
    return {
      type: 'subscribe',
      sql,
      ...(params === undefined ? {} : { params: encodeParameters(params) }),
      ...(this.#position === undefined
        ? { snapshot: this.#wantsSnapshot }
        : { since: this.#position, ...this.#named }),
    }
  }

  get #named() {
    return this.#history === undefined ? {} : { history: this.#history }
  }

  /** Throws what the server says is wrong, and `integer_out_of_range`. */
  #take(frames: SubscriptionFrames<R>, frame: ServerFrame, characters: number): void {
    if (frame.type === 'error') throw errorOfFrame(frame)
    if (frame.type === 'subscribed' || frame.type === 'columns') this.#require(frame)
    const read = frames.read(frame, characters)
    if (frame.type === 'subscribed') this.#begun(frame)
    if (read === undefined) return
    const { event } = read
    this.#isSnapshotTold = event.kind === 'rows'
    if ('timestamp' in event) this.#position = event.timestamp
    if (event.kind === 'commit' || event.kind === 'snapshot') this.#progressed()
    this.#listener.event(event, read.characters, read.columns)
  }

  /** Throws OtherShape. */
  #require({ shape }: ServerFrame): void {
    const isOther = this.#shape !== undefined && shape !== this.#shape
    // A snapshot that begins has the columns of now.
    const hasRows = this.#position !== undefined || this.#isSnapshotTold
    this.#shape = shape
    if (isOther && hasRows && this.#listener.needsOneShape) throw new OtherShape()
  }

  #begun({ key, timestamp, history }: ServerFrame): void {
    if (typeof history === 'string') this.#history = history
    this.#hasBegun = true
    this.#isSuspect = false
    this.#begunAt = performance.now()
    this.#listener.key(key as KeyColumn[])
    // Of a snapshot that is only beginning there is nothing to come back to.
    if (!this.#isAwaitingSnapshot) this.#position = timestamp as number
    tell(this.#options.onConnect)
  }

  /** From here on it need not be done again, so the pauses between attempts start again from the shortest. */
  #progressed(): void {
    this.#tries = 0
    this.#socket.progressed()
  }

  get #isAwaitingSnapshot(): boolean {
    return this.#position === undefined && this.#wantsSnapshot
  }

  /** Says so when what was told does not hold any more. */
  #mayComeBack(error: PercoliteError): boolean {
    const isReplaced = error.code === 'history_replaced'
    const isPast = isReplaced || error.code === 'resume_too_old'
    if (isPast && this.#options.snapshot !== false) {
      if (isReplaced) this.#history = undefined
      this.#restart(isReplaced ? { reason: 'history_replaced' } : {})
      // The server is there again, so it is not to be waited for as if it were not.
      this.#tries = 0
      return true
    }
    // A snapshot that was read too slowly.
    const isOutlived = error.code === 'snapshot_too_old' && this.#isAwaitingSnapshot
    const hasBegun = this.#hasBegun || this.#isSuspect || isForNewToken(error)
    if (!isOutlived && !(hasBegun && isWorthReconnect(error))) return false
    if (this.#isSnapshotTold) this.#listener.event({ kind: 'reset' }, 0)
    this.#isSnapshotTold = false
    return true
  }

  /** With a snapshot, since what was told before does not hold any more. */
  #restart(why: { readonly reason?: 'history_replaced' } = {}): void {
    this.#position = undefined
    this.#wantsSnapshot = true
    this.#isSnapshotTold = false
    this.#listener.event({ kind: 'reset', ...why }, 0)
  }
}
