// SPDX-License-Identifier: Apache-2.0
import { orAborted } from '../backoff.ts'
import { PercoliteError } from '../errors.ts'
import { type ReturnOptions, Returns } from '../socket/returns.ts'
import type { SharedSocket } from '../socket/shared-socket.ts'
import type { SocketConnection, SocketUse } from '../socket/socket-connection.ts'
import { errorOfFrame, type ServerFrame } from '../socket/socket-frame.ts'
import { tell } from '../tell.ts'
import { encodeParameters, type Parameters, type ValueModes } from '../values.ts'
import type { KeyColumn, ResultColumn } from '../wire.ts'
import type { Bookmark } from './subscription-event.ts'
import { type AnyEvent, SubscriptionFrames } from './subscription-frames.ts'

export type SubscriberOptions = ReturnOptions &
  Bookmark & {
    /**
     * `true`: the rows come first, as of one moment, unless there is a `since`. `false`: there is never a
     * snapshot, and when changes were missed that the server does not keep any more, the subscription
     * ends with `resume_too_old` instead of a `reset`. In the mode `result` they always come first.
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
  readonly modes: ValueModes
}

const USE: SocketUse = { limit: 'socketSubscriptionsMax', count: 1 }

/** Who is told what a subscription brings, in the turn in which it comes. */
export type SubscriberListener<R> = {
  /** The columns of the primary key, before the first event; undefined in the mode `result`. */
  key(columns: readonly KeyColumn[] | undefined): void
  /**
   * Whether it starts again with a snapshot when the table has got other columns: the rows that it was told
   * before and that did not change would not be those of the table any more.
   */
  readonly needsOneShape?: boolean
  /** `characters` is how much of the wire it took; `columns` are those of its rows. */
  event(event: AnyEvent<R>, characters: number, columns?: readonly ResultColumn[]): void
}

type SubscribedFrame = Omit<Bookmark, 'since'> & {
  readonly timestamp: number
  readonly key?: readonly KeyColumn[]
  /** The mode `result` has nothing to go on from: the rows come. */
  readonly reset?: boolean
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
  /** Of what was told last. */
  #bookmark: Bookmark
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
    const { mode, since, history, view, digest } = options
    this.#bookmark = { mode, since, history, view, digest }
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

  /** Where one that is to go on after all that was told begins. */
  get bookmark(): Bookmark {
    return this.#bookmark
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
    const frames = new SubscriptionFrames<R>(this.#statement.modes)
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
    const { mode, since } = this.#bookmark
    return {
      type: 'subscribe',
      sql,
      params: params && encodeParameters(params),
      ...(since === undefined ? { mode, snapshot: this.#wantsSnapshot } : this.#bookmark),
    }
  }

  /** Throws what the server says is wrong, and `integer_out_of_range`. */
  #take(frames: SubscriptionFrames<R>, frame: ServerFrame, characters: number): void {
    if (frame.type === 'error') throw errorOfFrame(frame)
    if (frame.type === 'subscribed') this.#begun(frame)
    if (frame.type === 'columns') this.#require(frame)
    const read = frames.read(frame, characters)
    if (read === undefined) return
    const { event } = read
    const wasCaughtUp = this.#isCaughtUp
    this.#isSnapshotTold = event.kind === 'rows'
    if ('timestamp' in event) {
      const { timestamp: since, digest } = { ...this.#bookmark, ...event }
      this.#moveTo({ since, digest })
      if (event.kind !== 'progress') this.#returns.progressed()
      if (event.kind !== 'commit') this.#isCaughtUp = true
    }
    this.#listener.event(event, read.characters, read.columns)
    if (this.#isCaughtUp && !wasCaughtUp) tell(this.#options.onCaughtUp)
  }

  /** Throws OtherShape. A list of rows gets those of the new columns by itself. */
  #require({ shape }: ServerFrame): void {
    const isOther = this.#shape !== undefined && shape !== this.#shape
    // A snapshot that begins has the columns of now.
    const hasRows = this.#bookmark.since !== undefined || this.#isSnapshotTold
    this.#shape = shape
    const isRestarting = this.#listener.needsOneShape && !this.#isOfResult
    if (isOther && hasRows && isRestarting) throw new OtherShape()
  }

  /** Throws OtherShape. */
  #begun(frame: ServerFrame): void {
    const { key, timestamp, mode, history, view, reset } = frame as unknown as SubscribedFrame
    this.#moveTo({ ...(history && { history }), mode, view })
    this.#require(frame)
    this.#returns.begun()
    this.#listener.key(key)
    if (this.#isOfResult) {
      this.#wantsSnapshot = true
      if (reset) this.#restart()
    } else if (!this.#isAwaitingSnapshot) {
      // Of a snapshot that is only beginning there is nothing to come back to.
      this.#moveTo({ since: timestamp })
    }
    tell(this.#options.onConnect)
  }

  #moveTo(bookmark: Bookmark): void {
    this.#bookmark = { ...this.#bookmark, ...bookmark }
  }

  get #isOfResult(): boolean {
    return this.#bookmark.mode === 'result'
  }

  get #isAwaitingSnapshot(): boolean {
    return this.#bookmark.since === undefined && this.#wantsSnapshot
  }

  /** Whether a snapshot has to begin it again, and says so when what was told does not hold any more. */
  #holdsNoMore(error: unknown): error is PercoliteError {
    if (!(error instanceof PercoliteError)) return false
    const isReplaced = error.code === 'history_replaced'
    if ((isReplaced || error.code === 'resume_too_old') && this.#options.snapshot !== false) {
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
    this.#bookmark = { mode: this.#bookmark.mode }
    this.#wantsSnapshot = true
    this.#isSnapshotTold = false
    this.#listener.event({ kind: 'reset', ...why }, 0)
  }
}
