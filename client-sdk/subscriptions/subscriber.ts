// SPDX-License-Identifier: Apache-2.0
import { orAborted } from '../backoff.ts'
import { PercoliteError } from '../errors.ts'
import { type ReturnOptions, Returns } from '../socket/returns.ts'
import type { SharedSocket } from '../socket/shared-socket.ts'
import type { SocketConnection, SocketUse } from '../socket/socket-connection.ts'
import { errorOfFrame, type ServerFrame } from '../socket/socket-frame.ts'
import { tell } from '../tell.ts'
import { encodeParameters, type IntegerMode, type Parameters } from '../values.ts'
import type { KeyColumn, ResultColumn } from '../wire.ts'
import type { SubscriptionEvent } from './subscription-event.ts'
import { SubscriptionFrames } from './subscription-frames.ts'

export type SubscriberOptions = ReturnOptions & {
  /**
   * Continues after this stamp: the `timestamp` of the last commit, progress or snapshot that was dealt
   * with. Changes come from there on, with no snapshot before them.
   */
  readonly since?: number | undefined
  /** The history that `since` is of: the `history` of the subscription that it comes from. */
  readonly history?: string | undefined
  /** The view that `since` is of, likewise: where a rule hides rows, a position is of those of one rule and token. */
  readonly view?: string | undefined
  /**
   * `true`: the rows come first, as of one moment, unless there is a `since`. `false`: there is never a
   * snapshot, and when changes were missed that the server does not keep any more, the subscription
   * ends with `resume_too_old` instead of a `reset`.
   */
  readonly snapshot?: boolean
  /** Called when the server has taken the subscription, at first and again after each lost connection. */
  readonly onConnect?: () => void
  /** Called when all that was committed before then has been told, after each time that it connects. */
  readonly onCaughtUp?: () => void
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
  readonly #returns: Returns
  readonly #statement: SubscribedStatement
  readonly #options: SubscriberOptions
  readonly #listener: SubscriberListener<R>
  #position: number | undefined
  /** What the position is of. */
  #history: string | undefined
  #view: string | undefined
  #wantsSnapshot: boolean
  /** Rows of a snapshot were told whose end has not come. */
  #isSnapshotTold = false
  #isCaughtUp = false
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
    this.#returns = new Returns(socket, USE, options)
    this.#statement = statement
    this.#options = options
    this.#listener = listener
    this.#position = options.since
    this.#history = options.history
    this.#view = options.view
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
        await this.#subscribe(await this.#returns.connection(signal), request, signal)
      } catch (error) {
        this.#isCaughtUp = false
        signal.throwIfAborted()
        if (error instanceof OtherShape) this.#restart()
        else if (this.#holdsNoMore(error)) await this.#returns.again(error, signal)
        else await this.#returns.wait(error, signal)
      }
    }
  }

  /** The history of the store that told it last. */
  get history(): string | undefined {
    return this.#history
  }

  /** The view of what it told last; undefined where no rule hides rows. */
  get view(): string | undefined {
    return this.#view
  }

  /** Whether all has been told that was committed before it connected. */
  get isCaughtUp(): boolean {
    return this.#isCaughtUp
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
      lost: (error: PercoliteError) => ended.reject(this.#returns.lost(error, isHeard)),
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

  #request() {
    const { sql, params } = this.#statement
    return {
      type: 'subscribe',
      sql,
      params: params && encodeParameters(params),
      ...(this.#position === undefined
        ? { snapshot: this.#wantsSnapshot }
        : { since: this.#position, history: this.#history, view: this.#view }),
    }
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
    if (event.kind === 'commit' || event.kind === 'snapshot') this.#returns.progressed()
    const isNew = !this.#isCaughtUp && (event.kind === 'progress' || event.kind === 'snapshot')
    if (isNew) this.#isCaughtUp = true
    this.#listener.event(event, read.characters, read.columns)
    if (isNew) tell(this.#options.onCaughtUp)
  }

  /** Throws OtherShape. */
  #require({ shape }: ServerFrame): void {
    const isOther = this.#shape !== undefined && shape !== this.#shape
    // A snapshot that begins has the columns of now.
    const hasRows = this.#position !== undefined || this.#isSnapshotTold
    this.#shape = shape
    if (isOther && hasRows && this.#listener.needsOneShape) throw new OtherShape()
  }

  #begun({ key, timestamp, history, view }: ServerFrame): void {
    if (typeof history === 'string') this.#history = history
    this.#view = view as string | undefined
    this.#returns.begun()
    this.#listener.key(key as KeyColumn[])
    // Of a snapshot that is only beginning there is nothing to come back to.
    if (!this.#isAwaitingSnapshot) this.#position = timestamp as number
    tell(this.#options.onConnect)
  }

  get #isAwaitingSnapshot(): boolean {
    return this.#position === undefined && this.#wantsSnapshot
  }

  /** Whether a snapshot has to begin it again, and says so when what was told does not hold any more. */
  #holdsNoMore(error: unknown): error is PercoliteError {
    if (!(error instanceof PercoliteError)) return false
    const isReplaced = error.code === 'history_replaced'
    if ((isReplaced || error.code === 'resume_too_old') && this.#options.snapshot !== false) {
      if (isReplaced) this.#history = undefined
      this.#restart(isReplaced ? { reason: 'history_replaced' } : {})
      // The server is there again, so it is not to be waited for as if it were not.
      this.#returns.progressed()
      return true
    }
    // A snapshot that was read too slowly.
    const isOutlived = error.code === 'snapshot_too_old' && this.#isAwaitingSnapshot
    const isBroken = this.#isSnapshotTold && (isOutlived || this.#returns.mayReturn(error))
    if (isBroken) this.#listener.event({ kind: 'reset' }, 0)
    if (isBroken) this.#isSnapshotTold = false
    return isOutlived
  }

  /** With a snapshot, since what was told before does not hold any more. */
  #restart(why: { readonly reason?: 'history_replaced' } = {}): void {
    this.#position = undefined
    this.#wantsSnapshot = true
    this.#isSnapshotTold = false
    this.#listener.event({ kind: 'reset', ...why }, 0)
  }
}
