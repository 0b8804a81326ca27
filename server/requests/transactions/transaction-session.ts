// SPDX-License-Identifier: Apache-2.0
import type { Clock, Timestamp, Transaction } from '../../../storage/storage.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import { ServerError } from '../../errors/server-error.ts'
import type { Caller, Principal } from '../../guard/access/principal.ts'
import { standingOf } from '../../guard/access/standing.ts'
import type { ClientKey } from '../../guard/budgets/client-key.ts'
import type { RunningRequest } from '../prepared/running-request.ts'
import type { IndexedStatement } from '../prepared/script.ts'
import type { ObserverRun } from './observer-run.ts'
import { endsTransaction } from './retry.ts'
import { SessionWork } from './session-work.ts'

export type SessionTimeouts = {
  /** From the end of one request to the beginning of the next. */
  readonly idleMsMax: number
  /** From BEGIN on. */
  readonly totalMsMax: number
}

/** How a transaction over several requests ended; kept for a while, so that repeating is harmless. */
export type SessionEnding =
  | { readonly kind: 'committed'; readonly commitTs: Timestamp | null }
  | { readonly kind: 'rolledBack'; readonly reason: string }
  | { readonly kind: 'expired'; readonly by: 'idle' | 'total' }
  | { readonly kind: 'unknown' }
  /** Another process holds it open. */
  | { readonly kind: 'active' }
  /** A statement or the commit met this error, and with it the transaction was over. */
  | { readonly kind: 'failed'; readonly error: unknown; readonly reason: string }

/** A transaction as its client names it, and the id of the principal who asks: it is there for its owner only. */
export type TransactionAddress = Pick<TransactionSession, 'id' | 'owner'>

/** One open transaction over several requests: the transaction and its deadlines. */
export class TransactionSession {
  readonly transaction: Transaction
  /** Whose share it is one of. */
  readonly client: ClientKey
  /** The id of the principal that opened it; undefined where nobody is asked for a token. */
  readonly owner: string | undefined
  /** The request that is running inside. */
  running: Pick<RunningRequest, 'abort' | 'commits'> | undefined
  /** How many requests have run inside. */
  uses = 0
  /** The commit under way; a repeated request waits for the same one. */
  committing: Promise<Timestamp | null> | undefined
  /** As the last request found it; names the rows of a conflict. */
  catalog: Catalog | undefined
  /** The run of an observer that this transaction is, if it is one; told how it ends. */
  observerRun: ObserverRun | undefined
  readonly work = new SessionWork()
  /** The standings under which it was written, see `standingOf`. */
  readonly #writers = new Set<string>()
  readonly #clock: Clock
  readonly #timeouts: SessionTimeouts
  readonly #openedAtMs: number
  readonly #openedAtMicros: number
  #usedAtMs: number

  constructor(
    transaction: Transaction,
    { client, principal }: Caller,
    clock: Clock,
    timeouts: SessionTimeouts,
  ) {
    this.transaction = transaction
    this.client = client
    this.owner = principal?.id
    this.#clock = clock
    this.#timeouts = timeouts
    this.#openedAtMs = clock.monotonicMs()
    this.#openedAtMicros = clock.wallMicros()
    this.#usedAtMs = this.#openedAtMs
  }

  get busy(): boolean {
    return this.running !== undefined
  }

  get id(): string {
    return this.transaction.id
  }

  /** Makes the transaction the run of an observer; repeating it is harmless. Throws as `acknowledge`. */
  async runFor(run: ObserverRun): Promise<void> {
    if (this.observerRun === run) return
    if (this.observerRun !== undefined) {
      throw new ServerError('invalid_request', 'The transaction runs another notification already.')
    }
    this.observerRun = run
    try {
      await run.acknowledge(this.transaction)
    } catch (error) {
      if (!endsTransaction(error)) this.observerRun = undefined
      throw error
    }
  }

  /** These statements have run inside, for this principal. */
  ran(statements: readonly IndexedStatement[], principal: Principal | undefined): void {
    if (this.catalog === undefined || !this.transaction.hasWrites) return
    if (statements.every(({ statement }) => READS.has(statement.kind))) return
    this.#writers.add(standingOf(this.catalog, principal))
  }

  /**
   * A subject may have tokens of several roles, and its rules may have changed: what one has written, no other one
   * commits. Throws ServerError `not_permitted`.
   */
  requireWriter(standing: string): void {
    if ([...this.#writers].every((writer) => writer === standing)) return
    throw new ServerError(
      'not_permitted',
      'The transaction was written with another role, or under other rules or claims.',
      {
        transaction: this.id,
        hint: 'Commit it with a token like the one it was written with, or roll it back.',
      },
    )
  }

  /** Restarts the idle time. */
  touch(): void {
    this.#usedAtMs = this.#clock.monotonicMs()
  }

  /** Which of its deadlines has passed; never one while a request is running inside. */
  expiredBy(): 'idle' | 'total' | undefined {
    if (this.busy || this.committing !== undefined) return undefined
    const now = this.#clock.monotonicMs()
    if (now >= this.#openedAtMs + this.#timeouts.totalMsMax) return 'total'
    if (now >= this.#usedAtMs + this.#idleMsMax) return 'idle'
    return undefined
  }

  /** The function of an observer may work on other things for as long as its row is its alone. */
  get #idleMsMax(): number {
    return Math.max(this.#timeouts.idleMsMax, this.observerRun?.leaseMs ?? 0)
  }

  /** Since its last request; 0 while one is running inside. */
  get idleMs(): number {
    return this.busy ? 0 : this.#clock.monotonicMs() - this.#usedAtMs
  }

  get openedAt(): string {
    return isoOf(this.#openedAtMicros)
  }

  /** When it ends if its client sends nothing more. */
  get expiresAt(): string {
    const idleUntil = this.#usedAtMs + this.#idleMsMax
    const until = Math.min(idleUntil, this.#openedAtMs + this.#timeouts.totalMsMax)
    const fromNowMs = until - this.#clock.monotonicMs()
    return isoOf(this.#clock.wallMicros() + fromNowMs * 1000)
  }
}

/** Kinds of statements that leave nothing to commit; an EXPLAIN of a script may. */
const READS: ReadonlySet<string> = new Set(['get', 'scan', 'check'])

function isoOf(micros: number): string {
  return new Date(Math.floor(micros / 1000)).toISOString()
}

/** What a request meets that wants to go on in a transaction that has ended. */
export function endedError(
  id: string,
  ending: SessionEnding,
  timeouts: SessionTimeouts,
): ServerError {
  if (ending.kind === 'expired') {
    const { idleMsMax, totalMsMax } = timeouts
    return new ServerError(
      'transaction_expired',
      `The transaction was ${ending.by === 'idle' ? 'idle' : 'open'} for too long: it may be idle ` +
        `for ${idleMsMax} ms and open for ${totalMsMax} ms. Nothing of it is kept.`,
      { transaction: id, expiredBy: ending.by, idleMsMax, totalMsMax },
    )
  }
  if (ending.kind === 'active') return busy(id)
  if (ending.kind === 'unknown') return outcomeUnknown(id)
  const status = ending.kind === 'committed' ? 'committed' : 'rolledBack'
  return new ServerError('transaction_closed', `The transaction has ended: it is ${status}.`, {
    transaction: id,
    outcome: status,
    ...('reason' in ending ? { reason: ending.reason } : {}),
  })
}

export function outcomeUnknown(id: string): ServerError {
  return new ServerError(
    'commit_outcome_unknown',
    'The transaction may or may not be committed: ask for its outcome before anything else.',
    { transaction: id },
  )
}

export function busy(id: string): ServerError {
  return new ServerError(
    'transaction_busy',
    'Another request is running inside this transaction; it takes one at a time.',
    { transaction: id },
  )
}
