// SPDX-License-Identifier: Apache-2.0
import { afterTurn, type Clock } from '../../../storage/storage.ts'
import { ALL_LIMITS } from '../../limits.ts'
import { type ClientKey, SERVER_ITSELF } from './client-key.ts'
import { FairQueue } from './fair-queue.ts'

/**
 * So long requests that arrive in one turn go on at once, and so long those who have not begun are woken in one. To put
 * one off costs as much as a small one, and makes the groups smaller in which their commits are synced.
 */
const ARRIVALS_MS_MAX = 2 * ALL_LIMITS.turnMsMax

/**
 * So long at most are they woken in one turn after a long piece of work, which took as long; and so long do those
 * arrive that are known to be small.
 */
const NEWCOMERS_MS_MAX = 5 * ALL_LIMITS.turnMsMax

/** A piece of work that takes so long is alone in its turn. */
const LONG_MS = 2 * ALL_LIMITS.turnMsMax

/** So many turns at most a client lets others have: the process may have stood still for seconds, by no fault of it. */
const LET_GO_MAX = 100

/** Work that is done in turns. */
export type TurnTaker = {
  /** The clients take turns, and with each one of its requests. */
  readonly client: ClientKey
  readonly signal: AbortSignal
  /** Told before it waits; throws where too many wait already. `goOn` ends the waiting when the signal is aborted. */
  waitsForTurn(goOn: () => void): void
  /** Told when its turn has come. */
  hasTurn(): void
}

/** Somebody who works in turns of the client, and is never refused one. */
export function turnTaker(
  client: ClientKey = SERVER_ITSELF,
  signal: AbortSignal = new AbortController().signal,
): TurnTaker {
  return { client, signal, waitsForTurn: () => undefined, hasTurn: () => undefined }
}

/** When a turn ends for those who have not begun, and for those who have. */
type End = { readonly ofNewcomersMs: number; readonly ofOthersMs: number }

type Waiter = { readonly client: ClientKey; readonly goOn: () => void }

/**
 * Who wants to go on after a pause waits here, and each turn of the event loop wakes them one after
 * the other until its time for that is used up. If every statement continued on its own, a turn would grow
 * with their number, and everybody else (a new connection, a small request) would wait for all of them.
 *
 * Requests that have not begun come before those that have had turns: most are small, and done in less
 * time than a long one would keep them waiting. Where they have taken a whole turn, the next one begins
 * with one of the others. Of either kind the clients take turns, so that the one statement of a client
 * does not wait for the five hundred of another.
 *
 * A single row may take ten times as long as a turn should. It ends its turn, and no work is woken in
 * the next one, because who connects is heard only two turns later; nor is any after arrivals that took so
 * long. Then those who have not begun have as long as it took, and its client lets others have that many
 * turns before its next one: otherwise its rows would have nearly all of the time.
 */
export class TurnQueue {
  readonly clock: Pick<Clock, 'monotonicMs'>
  readonly #newcomers = new FairQueue<Waiter>()
  readonly #others = new FairQueue<Waiter>()
  #scheduled = false
  /** Whether some of `#others` waited in the last turn, and none went on. */
  #areOthersDue = false
  /** How long the last turn took where one piece of work was long. */
  #lastTookMs = 0
  /** Whether no work is woken in the next turn of the event loop. */
  #isNextFree = false
  /** When the first request of this turn asked whether it may go on; absent until one has. */
  #turnBeganMs: number | undefined
  #hasOneRejoined = false
  /** Whether those that arrived in this turn took long. */
  #areArrivalsLong = false

  constructor(clock: Pick<Clock, 'monotonicMs'>) {
    this.clock = clock
  }

  get isEmpty(): boolean {
    return this.#newcomers.size === 0 && this.#others.size === 0
  }

  /**
   * Whether a request that arrives now may start at once: none waits before it, and those that have arrived in
   * the same turn have left something of it.
   */
  get isFree(): boolean {
    return this.isFreeFor(false)
  }

  /**
   * As `isFree`, for one that has waited, and once a turn: others may have waited for the same, and all of them ask
   * before the first of them has gone on.
   */
  get isFreeToRejoin(): boolean {
    if (this.#hasOneRejoined || !this.isFree) return false
    this.#hasOneRejoined = true
    return true
  }

  /** As `isFree`; one that is small is known to take less time than putting it off would. */
  isFreeFor(isSmall: boolean): boolean {
    if (this.#newcomers.size > 0 || this.#others.size > 0) return false
    const nowMs = this.clock.monotonicMs()
    if (this.#turnBeganMs !== undefined)
      return nowMs - this.#turnBeganMs < (isSmall ? NEWCOMERS_MS_MAX : ARRIVALS_MS_MAX)
    this.#turnBeganMs = nowMs
    afterTurn(this.#endOfTurn)
    return true
  }

  readonly #endOfTurn = (): void => {
    const beganMs = this.#turnBeganMs ?? 0
    this.#areArrivalsLong = this.clock.monotonicMs() - beganMs >= LONG_MS
    this.#turnBeganMs = undefined
    this.#hasOneRejoined = false
  }

  /** Resolves when it is the turn of a request that has not begun, or when it is aborted. */
  first(taker: TurnTaker): Promise<void> {
    return this.#wait(this.#newcomers, taker)
  }

  /** Resolves when who has had a turn may go on, or when it is aborted. */
  next(taker: TurnTaker): Promise<void> {
    return this.#wait(this.#others, taker)
  }

  async #wait(line: FairQueue<Waiter>, taker: TurnTaker): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const { client } = taker
    const waiter: Waiter = { client, goOn: resolve }
    taker.waitsForTurn(() => {
      line.delete(client, waiter)
      resolve()
    })
    line.push(client, waiter)
    this.#schedule()
    await promise
    taker.hasTurn()
  }

  #schedule(): void {
    if (this.#scheduled || this.isEmpty) return
    this.#scheduled = true
    const begin = () => this.#begin()
    if (this.#isNextFree) afterTurn(() => afterTurn(begin))
    else afterTurn(begin)
    this.#isNextFree = false
  }

  #begin(): void {
    if (this.#areArrivalsLong) {
      this.#areArrivalsLong = false
      afterTurn(() => this.#begin())
      return
    }
    const nowMs = this.clock.monotonicMs()
    const newcomersMs = Math.min(Math.max(this.#lastTookMs, ARRIVALS_MS_MAX), NEWCOMERS_MS_MAX)
    const end: End = {
      ofNewcomersMs: nowMs + newcomersMs,
      ofOthersMs: nowMs + ALL_LIMITS.turnMsMax,
    }
    const areOthersDue = this.#areOthersDue
    this.#areOthersDue = this.#others.size > 0
    this.#lastTookMs = 0
    if (areOthersDue) this.#wakeOther(end)
    else this.#wakeUntil(end)
  }

  #wakeUntil(end: End): void {
    const nowMs = this.clock.monotonicMs()
    const newcomer = nowMs < end.ofNewcomersMs ? this.#newcomers.shift() : undefined
    if (newcomer !== undefined) this.#wake(newcomer, end)
    else if (nowMs < end.ofOthersMs) this.#wakeOther(end)
    else this.#endTurn()
  }

  #wakeOther(end: End): void {
    this.#areOthersDue = false
    const woken = this.#others.shift()
    if (woken === undefined) this.#endTurn()
    else this.#wake(woken, end)
  }

  /** What is woken runs in microtasks, and those come to their end before a tick that one of them asks for. */
  #wake({ client, goOn }: Waiter, end: End): void {
    const beganMs = this.clock.monotonicMs()
    goOn()
    queueMicrotask(() =>
      process.nextTick(() => {
        const tookMs = this.clock.monotonicMs() - beganMs
        if (tookMs < LONG_MS) this.#wakeUntil(end)
        else this.#endAfterLong(client, tookMs)
      }),
    )
  }

  #endAfterLong(client: ClientKey, tookMs: number): void {
    const turns = Math.min(Math.floor(tookMs / ALL_LIMITS.turnMsMax) - 1, LET_GO_MAX)
    this.#newcomers.putOff(client, turns)
    this.#others.putOff(client, turns)
    this.#lastTookMs = tookMs
    this.#isNextFree = true
    this.#endTurn()
  }

  #endTurn(): void {
    this.#scheduled = false
    this.#schedule()
  }
}

/**
 * Lets the rest of the process have its turn between the statements of one request. Each of them is
 * short; a thousand of them, parsed or run one after the other, would hold everybody else up.
 */
export class Turns {
  readonly #queue: TurnQueue
  readonly #taker: TurnTaker
  readonly #createdMs: number
  #beganMs: number
  #longestMs = 0
  #workedMs = 0

  constructor(queue: TurnQueue, taker: TurnTaker) {
    this.#queue = queue
    this.#taker = taker
    this.#createdMs = queue.clock.monotonicMs()
    this.#beganMs = this.#createdMs
  }

  /** Since it was created, in ms. */
  get ageMs(): number {
    return this.#queue.clock.monotonicMs() - this.#createdMs
  }

  /** How long the longest of its turns was up to now, in ms, with what it has waited for in it. */
  get longestMs(): number {
    return Math.max(this.#longestMs, this.#queue.clock.monotonicMs() - this.#beganMs)
  }

  /** How long all of its turns were up to now, in ms: as `ageMs`, without the time in which it waited for a turn. */
  get workedMs(): number {
    return this.#workedMs + this.#queue.clock.monotonicMs() - this.#beganMs
  }

  /** To be asked once, before the first piece of work, and to be answered with `begin` where it is false. */
  get mayBegin(): boolean {
    return this.#queue.isFreeFor(false)
  }

  /** As `mayBegin`, for what is known to take less time than putting it off would. */
  get maySmallBegin(): boolean {
    return this.#queue.isFreeFor(true)
  }

  /** Waits for the first turn. Throws the signal's reason, and what `waitsForTurn` throws. */
  async begin(): Promise<void> {
    await this.#queue.first(this.#taker)
    this.#began()
  }

  /**
   * To be called after something that many may have waited for together: they would all go on in the turn in which it
   * came. Throws as `pause`.
   */
  async rejoin(): Promise<void> {
    if (!this.#queue.isFreeToRejoin) await this.pause()
  }

  /** To be asked between two pieces of work, and to be answered with `pause`. */
  get isDue(): boolean {
    return this.#queue.clock.monotonicMs() - this.#beganMs >= ALL_LIMITS.turnMsMax
  }

  /** Throws the signal's reason. Separate from the questions, so that most work costs no promise. */
  async pause(): Promise<void> {
    this.#longestMs = this.longestMs
    this.#workedMs = this.workedMs
    await this.#queue.next(this.#taker)
    this.#began()
  }

  #began(): void {
    this.#taker.signal.throwIfAborted()
    this.#beganMs = this.#queue.clock.monotonicMs()
  }
}
