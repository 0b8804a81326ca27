// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http'
import {
  type MaybePromise,
  nextTurn,
  STORAGE_LIMITS,
  systemClock,
  type Transaction,
} from '../../../storage/storage.ts'
import { NO_LIMITS, type RoleLimits } from '../../../storage/tables/access/access.ts'
import { ServerError } from '../../errors/server-error.ts'
import type { Caller, Principal } from '../../guard/access/principal.ts'
import { type ClientKey, SERVER_ITSELF } from '../../guard/budgets/client-key.ts'
import { Reservation } from '../../guard/budgets/hold.ts'
import type { Shares } from '../../guard/budgets/shares.ts'
import { TurnQueue, Turns, type TurnTaker } from '../../guard/budgets/turns.ts'
import type { Waiting } from '../../guard/budgets/waiting-line.ts'
import type { WrittenBytes } from '../../guard/budgets/written-bytes.ts'
import { copiedInTime, notCopiedInTime } from './copied-in-time.ts'

/**
 * What may end a request early: its client goes away, a statement has run for too long, or the server
 * can wait no longer. All three abort one signal, with the reason why, since the request is over
 * whichever it is. `end` is to be called when it has been answered.
 *
 * None of this can happen in the turn of the event loop in which the request arrives. So it is armed when it
 * first has to wait, or holds something: until then nothing else knows of it, and most requests end before.
 */
export class RunningRequest implements TurnTaker, Waiting {
  /** Its turns of the event loop. */
  readonly turns: Turns
  readonly #controller = new AbortController()
  readonly #deps: RequestDependencies
  /** Where it stands among those that run. */
  slot = 0
  /** What its client allows each statement; undefined where it says nothing. */
  timeoutMs: number | undefined
  #timer: NodeJS.Timeout | undefined
  #timerMs = 0
  #inStatement = false

  /** Whose shares it takes from. */
  readonly client: ClientKey
  /** Undefined where nobody is asked for a token, and for what the server does on its own account. */
  readonly principal: Principal | undefined
  /** Whose closing ends it; undefined for what came in a frame, or is run by the server itself. */
  readonly response: ServerResponse | undefined
  /** Whether it counts among the requests of its client. */
  readonly takesShare: boolean
  readonly signal: AbortSignal
  #isArmed = false
  #unsent: Reservation | undefined
  #state: RunningState = 'running'
  #isAdmitted = false
  #isInLine = false
  #isFollowing = false
  #mayGiveWay = true
  /** Ends its waiting for a turn; undefined when it does not wait. */
  #goOn: (() => void) | undefined

  constructor(deps: RequestDependencies = {}) {
    this.#deps = deps
    const { client = SERVER_ITSELF, principal } = deps.caller ?? {}
    this.response = deps.response
    this.takesShare = deps.takesShare === true
    this.signal = this.#controller.signal
    this.client = client
    this.principal = principal
    this.turns = new Turns(deps.keeper?.turnQueue ?? new TurnQueue(systemClock), this)
  }

  /** Makes it one of those that run, unless it is. Throws `client_overloaded` and `overloaded`. */
  arm(): void {
    if (this.#isArmed) return
    this.#deps.keeper?.armed(this)
    this.#isArmed = true
  }

  /** The same for work that waits already: where it may not run it is aborted, with the reason. */
  readonly armWaiting = (): void => {
    try {
      this.arm()
    } catch (refusal) {
      this.abort(refusal as Error)
    }
  }

  /**
   * Holds the bytes of its response until the client has taken it. Throws as `arm` and `Hold.moveTo`, and the
   * signal's reason.
   */
  holdUnsent(bytes: number): void {
    this.arm()
    this.signal.throwIfAborted()
    const shares = this.#deps.keeper?.shares
    if (shares !== undefined) this.#unsent ??= new Reservation(shares.unsentBytes, this.client)
    this.#unsent?.moveTo(bytes)
  }

  /** Its response holds nothing so far: it is made again, or held elsewhere. */
  releaseUnsent(): void {
    this.#unsent?.release()
  }

  /** Its response is out, or never will be. */
  closeUnsent(): void {
    this.#unsent?.close()
  }

  /** What it is known by once it is armed, to those who want to end it. */
  id = ''

  /** The address of its client, as far as that is told apart. */
  get address(): ClientKey {
    return this.#deps.caller?.addressOf?.() ?? this.client
  }

  /** The id of its principal: whose transactions, cursors and idempotency keys it may use. */
  get owner(): string | undefined {
    return this.principal?.id
  }

  /** What its client's role may have less of, as that is now. */
  get limits(): RoleLimits {
    if (this.principal === undefined) return NO_LIMITS
    return this.#deps.keeper?.limitsOf(this.principal) ?? NO_LIMITS
  }

  /**
   * Commits what it has written, in the count of its role. Up to here a client that went away has changed nothing:
   * throws as `commits`, and the signal's reason. Rejects as `WrittenBytes.commit`.
   */
  commit(transaction: Transaction): ReturnType<Transaction['commit']> {
    this.commits()
    this.signal.throwIfAborted()
    const written = this.#deps.keeper?.written
    const committing = written?.commit(transaction, this.principal) ?? transaction.commit()
    if (this.#deps.keeper?.copyWaitMs === undefined) return committing
    return this.untilCopied(committing, notCopiedInTime)
  }

  /** Settles as the commit does: no later than a statement may run, where it needs a second copy. */
  untilCopied<T>(committing: Promise<T>, late: () => Error): Promise<T> {
    const most = this.#deps.keeper?.copyWaitMs
    if (most === undefined) return committing
    const waitMs = Math.min(most, this.limits.statement ?? most, this.timeoutMs ?? most)
    return copiedInTime(committing, { waitMs, signal: this.signal, late })
  }

  get operation(): string {
    return this.#deps.about?.operation ?? 'unknown'
  }

  get ageMs(): number {
    return this.turns.ageMs
  }

  /** The texts of its statements. */
  statements(): readonly string[] {
    return this.#deps.about?.statements?.() ?? []
  }

  get state(): RunningState {
    return this.#state
  }

  /** Whether it only tells what others change, for as long as its client likes: then it is no running statement. */
  get isFollowing(): boolean {
    return this.#isFollowing
  }

  /**
   * It waits for its turn, and counts among those that wait until it ends. Throws `client_overloaded` and `overloaded`
   * where too many do, and the signal's reason. What commits is not refused any more.
   */
  waitsForTurn(goOn: () => void): void {
    this.arm()
    // One that gave way does not enter the line again.
    this.signal.throwIfAborted()
    if (!this.#isAdmitted && this.#mayGiveWay) {
      this.#deps.keeper?.shares.waitingLine.enter(this)
      this.#isInLine = true
    }
    this.#state = 'waiting'
    this.#goOn = goOn
  }

  hasTurn(): void {
    this.#state = 'running'
    this.#goOn = undefined
  }

  /** From here on it is finished, whatever becomes of its client. Throws as `arm`. */
  commits(): void {
    this.arm()
    this.#state = 'committing'
    this.#mayGiveWay = false
  }

  get mayGiveWay(): boolean {
    return this.#mayGiveWay
  }

  giveWay(reason: ServerError): void {
    this.abort(reason)
  }

  /**
   * Part of its response is out, which goes on for as long as the client takes it: it is never
   * refused from here on.
   */
  admitted(): void {
    this.#isAdmitted = true
    this.#leaveQueue()
  }

  /** As `admitted`, and from here on it is `isFollowing`. */
  follows(): void {
    this.#isFollowing = true
    this.admitted()
  }

  #leaveQueue(): void {
    if (this.#isInLine) this.#deps.keeper?.shares.waitingLine.leave(this)
    this.#isInLine = false
  }

  /** The first reason stays. What waits for its turn ends now, and not when that comes. */
  abort(reason: Error): void {
    this.#controller.abort(reason)
    this.#goOn?.()
  }

  /** Ends a statement that has run for so long, as its timer does. Throws the reason of the abort. */
  timeOut(timeoutMs: number): never {
    this.abort(this.#timedOut(timeoutMs))
    throw this.signal.reason
  }

  /**
   * Resolves to the result of a statement, or of several that are run as one. Whatever it rejects with, the reason of
   * the abort is what comes out. In the turn in which it began nothing but its own look at the clock can abort it.
   */
  async withinTime<T>(timeoutMs: number, result: Promise<T>): Promise<T> {
    const { signal } = this
    this.#startTimer(timeoutMs)
    this.#inStatement = true
    try {
      return await result
    } catch (error) {
      throw signal.aborted ? signal.reason : error
    } finally {
      this.#inStatement = false
    }
  }

  /** The same of what it asks a store on other machines for before a statement begins; `asked` reacts to the signal. */
  async beginning<T>(pending: Promise<T>): Promise<T> {
    return await this.withinTime(this.#beginningMs, pending)
  }

  /**
   * Waits as long for what may not come in time, and then rejects with `late`, with the reason of the request's own
   * signal, or as `arm`. Undefined where nothing has to be waited for.
   */
  waitingFor(
    begin: (signal: AbortSignal) => MaybePromise<void>,
    late: () => Error,
  ): MaybePromise<void> {
    const waiting = new AbortController()
    const coming = begin(waiting.signal)
    return coming instanceof Promise ? this.#waitFor(coming, waiting, late) : undefined
  }

  async #waitFor(
    coming: Promise<void>,
    waiting: AbortController,
    late: () => Error,
  ): Promise<void> {
    const { signal } = this
    const leave = () => waiting.abort(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    const timer = setTimeout(() => waiting.abort(late()), this.#beginningMs)
    this.armWaiting()
    try {
      await coming
      signal.throwIfAborted()
      // Others may have waited for the same.
      await this.turns.rejoin()
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', leave)
    }
  }

  get #beginningMs(): number {
    const { storeCallMsMax: most } = STORAGE_LIMITS
    return Math.min(most, this.limits.statement ?? most, this.timeoutMs ?? most)
  }

  end(): void {
    clearTimeout(this.#timer)
    if (!this.#isArmed) return
    if (this.#isInLine) this.#leaveQueue()
    this.#deps.keeper?.ended(this)
  }

  /** Whose fault it was: the statement may have waited for nothing but the store. */
  #timedOut(timeoutMs: number): ServerError {
    const silentMs = this.#deps.keeper?.storeSilentMs?.() ?? 0
    const isSilent = silentMs >= Math.max(timeoutMs / 2, SILENT_MS_MIN)
    return isSilent ? storeSilent(timeoutMs) : timedOut(timeoutMs)
  }

  /** One timer serves all statements of the request: starting it again costs next to nothing. */
  #startTimer(timeoutMs: number): void {
    if (this.#timer !== undefined && this.#timerMs === timeoutMs) {
      this.#timer.refresh()
      return
    }
    clearTimeout(this.#timer)
    this.#timerMs = timeoutMs
    this.#timer = setTimeout(async () => {
      // A store may have answered while this process was too busy to look.
      await nextTurn()
      if (this.#inStatement) this.abort(this.#timedOut(timeoutMs))
    }, timeoutMs)
  }
}

/** A store that has not answered for less is only being asked. */
const SILENT_MS_MIN = 20

/** What a request is, for those who list what is running. */
export type RequestAbout = {
  /** The operation of `openapi.yaml`, or the type of the frame. */
  readonly operation: string
  /** The texts of its statements; asked for only by `GET /v1/running`. */
  statements?(): readonly string[]
}

export type RunningState = 'waiting' | 'running' | 'committing'

/** Who keeps those that run. */
export interface RequestKeeper {
  readonly shares: Shares
  readonly turnQueue: TurnQueue
  /** Absent where nobody is asked who it is. */
  readonly written?: Pick<WrittenBytes<Principal>, 'commit'> | undefined
  limitsOf(principal: Principal | undefined): RoleLimits
  /** For how long a store on other machines has left calls unanswered; 0 while it answers. */
  readonly storeSilentMs?: () => number
  /** For how long a commit waits for a second copy before its client is told; undefined where it needs none. */
  readonly copyWaitMs?: number | undefined
  /** Throws where it may not run. */
  armed(request: RunningRequest): void
  ended(request: RunningRequest): void
}

type RequestDependencies = {
  readonly caller?: Caller
  readonly about?: RequestAbout | undefined
  readonly response?: ServerResponse | undefined
  readonly takesShare?: boolean
  readonly keeper?: RequestKeeper
}

/** The error of a statement that was ended by `DELETE /v1/running/{id}`. */
export function statementCancelled(): ServerError {
  return new ServerError('statement_cancelled', 'The statement was stopped on request.')
}

function storeSilent(timeoutMs: number): ServerError {
  const detail = `The store has not answered within ${timeoutMs} ms.`
  return new ServerError('store_unavailable', detail, { timeoutMs })
}

function timedOut(timeoutMs: number): ServerError {
  return new ServerError(
    'statement_timeout',
    `The statement ran for ${timeoutMs} ms, which is as long as it may, and was stopped.`,
    { timeoutMs },
  )
}
