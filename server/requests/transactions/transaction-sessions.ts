// SPDX-License-Identifier: Apache-2.0
import { LRUCache } from 'lru-cache'
import {
  type Clock,
  repeat,
  type Storage,
  StorageError,
  type Timestamp,
  type TransactionOutcome,
} from '../../../storage/storage.ts'
import { NO_LIMITS, type RoleLimits } from '../../../storage/tables/access/access.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import { problemOf } from '../../errors/error-response.ts'
import { ServerError } from '../../errors/server-error.ts'
import type { Caller, Principal } from '../../guard/access/principal.ts'
import { standingOf } from '../../guard/access/standing.ts'
import { requireWithinRole } from '../../guard/budgets/shared-bound.ts'
import type { Shares } from '../../guard/budgets/shares.ts'
import type { WrittenBytes } from '../../guard/budgets/written-bytes.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { withRowNamed } from '../answers/row-address.ts'
import type { SnapshotRequest } from '../prepared/request-snapshot.ts'
import type { RunningRequest } from '../prepared/running-request.ts'
import type { EndedTransactions } from './ended-transactions.ts'
import { endsTransaction } from './retry.ts'
import {
  busy,
  endedError,
  outcomeUnknown,
  type SessionEnding,
  type SessionTimeouts,
  type TransactionAddress,
  TransactionSession,
} from './transaction-session.ts'
import { WrongGateway } from './wrong-gateway.ts'

export type SessionsDependencies = {
  readonly storage: Storage
  readonly clock: Clock
  readonly shares: Shares
  readonly ended: EndedTransactions
  /** Absent where no role limits anybody. */
  readonly limitsOf?: (principal: Principal | undefined) => RoleLimits
  /** Absent where nobody is asked who it is. */
  readonly written?: Pick<WrittenBytes<Principal>, 'commit'>
  /** By the rights of now. Absent where nobody is asked who it is. */
  readonly viewOf?: (principal: Principal | undefined, catalog: Catalog) => Catalog
}

type SessionRequest = Pick<
  RunningRequest,
  'abort' | 'commits' | 'owner' | 'principal' | 'untilCopied'
>

/** What is remembered of a transaction that has ended. */
type Ended = Pick<TransactionAddress, 'owner'> & { readonly ending: SessionEnding }

const SWEEP_EVERY_MS = 1_000
const ENDINGS_MAX = 100_000

/**
 * The transactions that stay open over several requests. An idle one blocks no other, since its
 * writes are only buffered; still it ends, idle or not, when its time is over.
 */
export class TransactionSessions {
  readonly #deps: SessionsDependencies
  readonly #timeouts: SessionTimeouts
  readonly #open = new Map<string, TransactionSession>()
  readonly #endings: LRUCache<string, Ended>
  /** Transactions of other gateways that requests came for: their records are not read before each statement. */
  readonly #knownElsewhere = new LRUCache<string, true>({
    maxSize: 10_000,
    sizeCalculation: () => 1,
  })
  readonly #stopping = new AbortController()

  constructor(deps: SessionsDependencies, timeouts: SessionTimeouts) {
    this.#deps = deps
    this.#timeouts = timeouts
    this.#endings = new LRUCache({
      // Each weighs one, because with `max` it would allocate room for all of them at the start.
      maxSize: ENDINGS_MAX,
      sizeCalculation: () => 1,
      ttl: SERVER_LIMITS.outcomeMemoryMs,
      ttlResolution: 0,
      perf: { now: () => deps.clock.monotonicMs() },
    })
  }

  /**
   * Throws `client_overloaded` and `overloaded`. Until it ends, the transaction is one of its caller's share. Who asks
   * for a snapshot of some age has waited for it before.
   */
  async open(caller: Caller, request: SnapshotRequest): Promise<TransactionSession> {
    const { client } = caller
    const { storage, clock, shares, limitsOf } = this.#deps
    const { openTransactions } = shares
    const { what } = openTransactions
    const limits = limitsOf?.(caller.principal) ?? NO_LIMITS
    requireWithinRole('transactions', limits, openTransactions.heldBy(client), what)
    openTransactions.take(client)
    try {
      const budget = shares.writtenBy(client)
      const transaction = await storage.begin({ ...request, keepsOutcome: true, budget })
      const session = new TransactionSession(transaction, caller, clock, this.#timeouts)
      this.#open.set(session.id, session)
      return session
    } catch (error) {
      openTransactions.giveBack(client)
      throw error
    }
  }

  /**
   * Runs `work` inside the transaction, and with `end` commits it or rolls it back afterwards.
   * One request at a time; `running` is aborted when another one rolls the transaction back. An error that
   * asks for the whole transaction to be run again ends it, and so does a CHECK that failed.
   */
  async run<T>(
    id: string,
    running: SessionRequest,
    work: (session: TransactionSession) => Promise<T>,
    end?: 'commit' | 'rollback',
  ): Promise<{ readonly result: T; readonly commitTs: Timestamp | null }> {
    const address = { id, owner: running.owner }
    const session = await this.#requireOpen(address)
    if (session.busy || session.committing !== undefined) throw busy(id)
    session.running = running
    session.uses += 1
    try {
      const result = await work(session)
      if (!this.#open.has(id)) throw endedError(id, await this.#endingOf(address), this.#timeouts)
      if (end === 'commit') {
        const committing = this.#startCommit(session, running.principal)
        const commitTs = await running.untilCopied(committing, () => outcomeUnknown(id))
        return { result, commitTs }
      }
      if (end === 'rollback') this.#rollBack(session, 'requested')
      return { result, commitTs: null }
    } catch (error) {
      if (endsTransaction(error) && this.#open.has(id)) {
        session.transaction.rollback()
        this.#ended(session, { kind: 'failed', error, reason: problemOf(error).code })
      }
      throw error
    } finally {
      session.running = undefined
      session.touch()
    }
  }

  /** Null when there was nothing to commit. Repeating it answers the same. Throws as `requireWriter`. */
  async commit(address: TransactionAddress, principal?: Principal): Promise<Timestamp | null> {
    const session = this.#find(address)
    if (session?.committing !== undefined) return session.committing
    if (session === undefined || this.#expire(session)) return this.#repeatCommit(address)
    if (session.busy) throw busy(session.id)
    session.uses += 1
    return this.#startCommit(session, principal)
  }

  /**
   * Nothing of the transaction is kept; a statement that is running inside is stopped. A commit under way is finished
   * first. Repeating it is harmless; a committed one is an error.
   */
  async rollBack(address: TransactionAddress): Promise<void> {
    const session = this.#find(address)
    if (session !== undefined && session.committing === undefined) {
      session.running?.abort(rolledBackMeanwhile(session.id))
      this.#rollBack(session, 'requested')
      return
    }
    // How it ends, its own client is told.
    await session?.committing?.catch(() => undefined)
    const ending = await this.#endingOf(address)
    if (ending.kind === 'rolledBack' || ending.kind === 'failed' || ending.kind === 'expired')
      return
    throw endedError(address.id, ending, this.#timeouts)
  }

  /** What rolls the transaction back, unless a request has come for it since: its client may never learn its id. */
  unlessUsed(id: string, reason: string): () => void {
    const session = this.#open.get(id)
    const uses = session?.uses
    return () => {
      if (session === undefined || session.uses !== uses || !this.#open.has(id)) return
      this.#rollBack(session, reason)
    }
  }

  /** What became of it; the open session while it is open. Throws `unknown_transaction`. */
  async outcome(address: TransactionAddress): Promise<TransactionSession | SessionEnding> {
    const session = this.#find(address)
    if (session !== undefined && !this.#expire(session)) return session
    const remembered = this.#remembered(address)
    if (remembered !== undefined && remembered.kind !== 'unknown') return remembered
    return knownEnding(address.id, await this.#outcomeOf(address.id))
  }

  /** The oldest first: those of one owner, or of all. */
  list(owner: string | undefined, ofAll: boolean): TransactionSession[] {
    return [...this.#open.values()].filter((session) => ofAll || session.owner === owner)
  }

  get count(): number {
    return this.#open.size
  }

  isOpen(id: string): boolean {
    return this.#open.has(id)
  }

  /** Ends what has expired, once a second, until `close`. */
  async sweepUntilClosed(): Promise<void> {
    const { signal } = this.#stopping
    await repeat(this.#deps.clock, { everyMs: SWEEP_EVERY_MS, signal, work: () => this.sweep() })
  }

  sweep(): void {
    for (const session of this.#open.values()) this.#expire(session)
  }

  /** Waits for commits under way and rolls everything else back. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await Promise.allSettled([...this.#open.values()].map((session) => session.committing))
    for (const session of this.#open.values()) this.#rollBack(session, 'server_stopped')
  }

  /** The open one of this id. Throws `unknown_transaction` for that of another owner. */
  #find({ id, owner }: TransactionAddress): TransactionSession | undefined {
    const session = this.#open.get(id)
    if (session !== undefined && session.owner !== owner) throw unknownTransaction(id)
    return session
  }

  /** How the one of this id ended. Throws as `#find`. */
  #remembered({ id, owner }: TransactionAddress): SessionEnding | undefined {
    const ended = this.#endings.get(id)
    if (ended !== undefined && ended.owner !== owner) throw unknownTransaction(id)
    return ended?.ending
  }

  async #startCommit(
    session: TransactionSession,
    principal: Principal | undefined,
  ): Promise<Timestamp | null> {
    const { viewOf } = this.#deps
    if (viewOf !== undefined && session.catalog !== undefined) {
      session.requireWriter(standingOf(viewOf(principal, session.catalog), principal))
    }
    session.running?.commits()
    session.committing = this.#commit(session, principal)
    return session.committing
  }

  async #commit(
    session: TransactionSession,
    principal: Principal | undefined,
  ): Promise<Timestamp | null> {
    const { transaction } = session
    try {
      const committed = this.#deps.written?.commit(transaction, principal) ?? transaction.commit()
      const { commitTs } = await committed
      this.#ended(session, { kind: 'committed', commitTs })
      return commitTs
    } catch (cause) {
      const { code } = cause instanceof StorageError ? cause : problemOf(cause)
      // Of no effect on one that has come to its end.
      transaction.rollback()
      if (code === 'commit_outcome_unknown') {
        this.#ended(session, { kind: 'unknown' })
        throw outcomeUnknown(session.id)
      }
      const error = session.catalog === undefined ? cause : withRowNamed(cause, session.catalog)
      this.#ended(session, { kind: 'failed', error, reason: code })
      throw error
    }
  }

  async #repeatCommit(address: TransactionAddress): Promise<Timestamp | null> {
    const ending = await this.#endingOf(address)
    if (ending.kind === 'committed') return ending.commitTs
    if (ending.kind === 'failed') throw ending.error
    throw endedError(address.id, ending, this.#timeouts)
  }

  async #requireOpen(address: TransactionAddress): Promise<TransactionSession> {
    const session = this.#find(address)
    if (session !== undefined && !this.#expire(session)) return session
    const { id } = address
    if (this.#knownElsewhere.has(id)) {
      // While its process lives, that one says whether it is open.
      const place = await this.#deps.storage.gateways.placeOf(id)
      if (place.kind === 'elsewhere') throw new WrongGateway(id, place.url)
    }
    throw endedError(id, await this.#endingOf(address), this.#timeouts)
  }

  /** How a transaction that is not open ended. Throws when that cannot be said. */
  async #endingOf(address: TransactionAddress): Promise<SessionEnding> {
    const { id } = address
    const remembered = this.#remembered(address)
    if (remembered !== undefined && remembered.kind !== 'unknown') return remembered
    const ending = knownEnding(id, await this.#outcomeOf(id))
    if (ending.kind === 'active') await this.#requireHere(id)
    if (remembered !== undefined || ending.kind !== 'rolledBack') return ending
    // A process that ran before this one had it open, and took its buffered writes along.
    const place = await this.#deps.storage.gateways.placeOf(id)
    throw place.kind === 'here' ? unknownTransaction(id) : lost(id)
  }

  /** Throws `wrong_gateway` for a transaction that another process has open, and `transaction_lost` after its end. */
  async #requireHere(id: string): Promise<void> {
    const place = await this.#deps.storage.gateways.placeOf(id)
    if (place.kind === 'nowhere') throw lost(id)
    if (place.kind === 'here') return
    this.#knownElsewhere.set(id, true)
    throw new WrongGateway(id, place.url)
  }

  #outcomeOf(id: string): Promise<TransactionOutcome> {
    return this.#deps.storage.outcomeOf(id, this.#timeouts.totalMsMax)
  }

  #expire(session: TransactionSession): boolean {
    const by = session.expiredBy()
    if (by === undefined) return false
    session.transaction.rollback()
    this.#ended(session, { kind: 'expired', by })
    return true
  }

  #rollBack(session: TransactionSession, reason: string): void {
    session.transaction.rollback()
    this.#ended(session, { kind: 'rolledBack', reason })
  }

  #ended(session: TransactionSession, ending: SessionEnding): void {
    this.#open.delete(session.id)
    this.#deps.shares.openTransactions.giveBack(session.client)
    this.#endings.set(session.id, { owner: session.owner, ending })
    this.#count(ending)
    if (ending.kind === 'committed') session.observerRun?.committed()
    else session.observerRun?.notCommitted('error' in ending ? ending.error : undefined)
  }

  #count(ending: SessionEnding): void {
    const { ended } = this.#deps
    if (ending.kind === 'committed') ended.committed(ending.commitTs)
    else if (ending.kind === 'failed') ended.failed(ending.error)
    else if (ending.kind === 'unknown') ended.failed(outcomeUnknown(''))
    else ended.rolledBack()
  }
}

function knownEnding(id: string, outcome: TransactionOutcome): SessionEnding {
  if (outcome.kind === 'neverBegun') throw unknownTransaction(id)
  return outcome
}

function rolledBackMeanwhile(id: string): ServerError {
  return new ServerError(
    'statement_cancelled',
    'The statement was stopped, because another request rolled its transaction back.',
    { transaction: id },
  )
}

function lost(id: string): ServerError {
  return new ServerError(
    'transaction_lost',
    'The server that had the transaction open has ended, and it is lost; nothing of it is kept.',
    { transaction: id },
  )
}

function unknownTransaction(id: string): ServerError {
  return new ServerError('unknown_transaction', 'There is no such transaction.', {
    transaction: id.slice(0, 100),
  })
}
