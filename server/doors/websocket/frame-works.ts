// SPDX-License-Identifier: Apache-2.0
import { problemOf } from '../../errors/error-response.ts'
import { isOfLeaving } from '../../errors/fault-log.ts'
import type { ClientKey } from '../../guard/budgets/client-key.ts'
import { type InspectionSink, SocketInspections } from '../../live/cells/socket-inspections.ts'
import {
  type NotificationFields,
  SocketObservations,
} from '../../live/observers/socket-observations.ts'
import { SubscriptionFrame } from '../../live/subscriptions/frames/subscription-frame.ts'
import { textOf } from '../../requests/answers/answer-body.ts'
import { ReplayedAnswer } from '../../requests/prepared/idempotency.ts'
import type { QueryRequest } from '../../requests/prepared/query-request.ts'
import type { RunningRequest } from '../../requests/prepared/running-request.ts'
import type { ObserverRun } from '../../requests/transactions/observer-run.ts'
import {
  busy,
  type TransactionAddress,
  TransactionSession,
} from '../../requests/transactions/transaction-session.ts'
import type { ClientFrame } from './client-frame.ts'
import type { SocketDependencies } from './socket-dependencies.ts'
import type { SocketOutbox } from './socket-outbox.ts'
import type { SocketSink } from './socket-sink.ts'

/** One frame, in the parts that it is sent in; none of them is no frame. */
export type FrameBytes = readonly Buffer[]

type Frame<Type extends ClientFrame['type']> = Extract<ClientFrame, { type: Type }>

/** The client ended the subscription or observation itself. */
export class Unsubscribed extends Error {}

/**
 * What the frames of one socket ask for. Each work resolves to the last frame about its `id`, or rejects
 * with what `failed` makes that frame of.
 */
export class FrameWorks {
  readonly #deps: SocketDependencies
  readonly #outbox: SocketOutbox
  readonly #queries: SocketQueries
  readonly #observations: SocketObservations
  readonly #inspections: SocketInspections

  constructor(deps: SocketDependencies, outbox: SocketOutbox, client: ClientKey) {
    this.#deps = deps
    this.#outbox = outbox
    this.#queries = new SocketQueries(deps)
    this.#observations = new SocketObservations(deps, client)
    this.#inspections = new SocketInspections(deps)
  }

  async query(
    { id, request, notification }: Frame<'query'>,
    running: RunningRequest,
  ): Promise<FrameBytes> {
    const held = notification === undefined ? undefined : this.#observations.held(notification)
    const fields = await this.#queries.answer(request, running, held)
    return [Buffer.from(`{"type":"result","id":${JSON.stringify(id)},${fields}`)]
  }

  async release({ id, request }: Frame<'release'>): Promise<FrameBytes> {
    this.#observations.held(request.notification).giveUp(request.error)
    return frameBytes('released', id)
  }

  async observe({ id, request }: Frame<'observe'>, running: RunningRequest): Promise<FrameBytes> {
    running.follows()
    const deliver = (fields: NotificationFields) =>
      this.#outbox.send(SubscriptionFrame.of('notification', fields).parts(id))
    const served = this.#observations.serve(request, deliver, running)
    return await served.catch(endedBy('unobserved', id))
  }

  async subscribe(
    { id, request }: Frame<'subscribe'>,
    sink: SocketSink,
    running: RunningRequest,
  ): Promise<FrameBytes> {
    const served = this.#deps.subscriptions.serve(request, sink, running)
    return await served.catch(endedBy('unsubscribed', id))
  }

  async inspect({ id, request }: Frame<'inspect'>, running: RunningRequest): Promise<FrameBytes> {
    const outbox = this.#outbox
    const sink: InspectionSink = {
      get isWritable() {
        return outbox.isWritable
      },
      send: (type, fields) => {
        const head = `{"type":"${type}","id":${JSON.stringify(id)}`
        outbox.send([head, ...fields].map((part) => Buffer.from(part)))
      },
      room: (signal) => outbox.room(signal),
    }
    const served = this.#inspections.serve(request, sink, running)
    return await served.catch(endedBy('unsubscribed', id))
  }

  /** To be called when rights may have changed. */
  stepRights(): void {
    this.#inspections.stepRights()
  }

  /**
   * The `type` of a problem only says its code once more, and here it is the type of the frame. `running` is what
   * failed, where it had begun.
   */
  failed(id: string, error: unknown, running?: RunningRequest): FrameBytes {
    if (isOfLeaving(error)) return []
    const told = problemOf(error)
    if (running !== undefined) this.#deps.audit.answered(told, running)
    const { type: _, ...problem } = told
    this.#deps.faults.add(error, 'a frame failed')
    return SubscriptionFrame.of('error', problem).parts(id)
  }

  /** To be called when every work has ended: transactions that are open, and what is held, end too. */
  async close(): Promise<void> {
    await this.#queries.close()
    await this.#observations.close()
  }
}

/** The last frame about what its client ended itself; any other error is thrown. */
function endedBy(type: string, id: string): (error: unknown) => FrameBytes {
  return (error) => {
    if (error instanceof Unsubscribed) return frameBytes(type, id)
    throw error
  }
}

/** A frame that says nothing but its type. */
export function frameBytes(type: string, id: string): FrameBytes {
  return SubscriptionFrame.of(type, {}).parts(id)
}

/** Transactions after which those that have ended are forgotten, so that a long life costs nothing. */
const FORGET_EVERY = 100

/** The queries of one socket, and the transactions that were begun on it and end with it. */
class SocketQueries {
  readonly #deps: SocketDependencies
  readonly #transactions = new Map<string, TransactionAddress>()
  /** Those in which a query of this socket is running. */
  readonly #busy = new Set<string>()

  constructor(deps: SocketDependencies) {
    this.#deps = deps
  }

  /** The fields of `result`, as JSON after the opening brace. Rejects with what is wrong. */
  async answer(
    request: QueryRequest,
    running: RunningRequest,
    observerRun?: ObserverRun,
  ): Promise<string> {
    try {
      const { transaction } = request
      if (transaction === undefined) return await this.#answer(request, running, observerRun)
      return await this.#alone(transaction, () => this.#answer(request, running, observerRun))
    } catch (error) {
      observerRun?.notCommitted(error)
      throw error
    }
  }

  /**
   * Of queries that are sent ahead the first one runs, whatever each of them takes to begin: else a COMMIT
   * would overtake the statements before it, and commit without them. Rejects with `transaction_busy`.
   */
  async #alone<T>(transaction: string, work: () => Promise<T>): Promise<T> {
    if (this.#busy.has(transaction)) throw busy(transaction)
    this.#busy.add(transaction)
    try {
      return await work()
    } finally {
      this.#busy.delete(transaction)
    }
  }

  async #answer(
    request: QueryRequest,
    running: RunningRequest,
    observerRun: ObserverRun | undefined,
  ): Promise<string> {
    const { runner, writer } = this.#deps
    const integers = request.integers ?? 'number'
    const newRowWriter = writer.rowWriters[integers]
    const outcome = await runner.run(request, running, { observerRun, newRowWriter })
    // Only a request with a key is replayed, and those come over HTTP.
    if (outcome instanceof ReplayedAnswer) throw new Error('A query of a socket was replayed.')
    if (outcome instanceof TransactionSession) {
      this.#opened(outcome)
      if (running.signal.aborted) await this.#rollBack(outcome)
      const { id: transaction, expiresAt } = outcome
      const readTimestamp = outcome.transaction.startTs
      return JSON.stringify({ transaction, readTimestamp, expiresAt }).slice(1)
    }
    if (outcome.opened !== undefined) {
      this.#opened({ id: outcome.opened.transaction, owner: running.owner })
    }
    return textOf(await writer.answer(outcome, integers, running.turns)).slice(1, -1)
  }

  /** To be called when the socket has closed: what has not been committed is rolled back. */
  async close(): Promise<void> {
    await Promise.all([...this.#transactions.values()].map((opened) => this.#rollBack(opened)))
    this.#transactions.clear()
  }

  #opened({ id, owner }: TransactionAddress): void {
    this.#transactions.set(id, { id, owner })
    if (this.#transactions.size % FORGET_EVERY > 0) return
    for (const known of this.#transactions.keys()) {
      if (!this.#deps.sessions.isOpen(known)) this.#transactions.delete(known)
    }
  }

  async #rollBack(opened: TransactionAddress): Promise<void> {
    if (!this.#deps.sessions.isOpen(opened.id)) return
    try {
      await this.#deps.sessions.rollBack(opened)
    } catch {
      // Its commit is under way, which is always finished, or a statement that is being stopped.
    }
  }
}
