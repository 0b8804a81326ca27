// SPDX-License-Identifier: Apache-2.0
import { type IntegerForm, requireTableRight } from '../../../planner/planner.ts'
import type { Notification, Observers } from '../../../storage/storage.ts'
import { requireObserver } from '../../../storage/tables/tables.ts'
import { requireWithin, ServerError } from '../../errors/server-error.ts'
import type { Access } from '../../guard/access/access.ts'
import type { Principal } from '../../guard/access/principal.ts'
import type { ClientKey } from '../../guard/budgets/client-key.ts'
import { Room } from '../../guard/budgets/room.ts'
import type { Shares } from '../../guard/budgets/shares.ts'
import type { RunningRequest } from '../../requests/prepared/running-request.ts'
import { HeldNotification } from './held-notification.ts'
import { factsOf, type NotificationFacts } from './observer-event.ts'

/** What a worker asks for; see `docs/websocket-protocol.md`. */
export type ObservationRequest = {
  readonly observer: string
  /** How many notifications it takes at a time. */
  readonly workers: number
  /** How long each of them is its alone. */
  readonly leaseMs: number
  readonly integers: IntegerForm
}

type ObservationDependencies = {
  readonly observers: Pick<Observers, 'lease'>
  readonly shares: Shares
  readonly access: Pick<Access, 'currentCatalog'>
}

export type NotificationFields = { readonly notification: string } & NotificationFacts

/** What one socket observes, and the notifications that it holds. */
export class SocketObservations {
  readonly #observers: Pick<Observers, 'lease'>
  readonly #shares: Shares
  readonly #access: ObservationDependencies['access']
  readonly #client: ClientKey
  readonly #held = new Map<string, HeldNotification>()
  readonly #ending = new Set<Promise<void>>()
  #workers = 0

  constructor({ observers, shares, access }: ObservationDependencies, client: ClientKey) {
    this.#observers = observers
    this.#shares = shares
    this.#access = access
    this.#client = client
  }

  /**
   * Hands over notifications, one for each worker that is free, until the signal is aborted; rejects with
   * its reason, or with what else ended it. What is held then stays so.
   */
  async serve(
    request: ObservationRequest,
    deliver: (fields: NotificationFields) => void,
    { signal, principal }: Pick<RunningRequest, 'signal' | 'principal'>,
  ): Promise<never> {
    const mayObserve = () => this.#requireRights(request.observer, principal)
    await mayObserve()
    this.#take(request.workers)
    try {
      return await this.#handOver(request, deliver, { signal, mayObserve })
    } finally {
      this.#workers -= request.workers
      this.#shares.observerWorkers.giveBack(this.#client, request.workers)
    }
  }

  /** Throws `unknown_notification`. */
  held(id: string): HeldNotification {
    const held = this.#held.get(id)
    if (held !== undefined) return held
    const detail = 'This socket holds no such notification, or not any more.'
    throw new ServerError('unknown_notification', detail, { notification: id })
  }

  /** To be called when the socket is closed and its transactions have ended: others get what it held. */
  async close(): Promise<void> {
    for (const held of this.#held.values()) held.release()
    await Promise.all(this.#ending)
  }

  /** Throws `limit_exceeded`, `client_overloaded` and `overloaded`. */
  #take(workers: number): void {
    const count = this.#workers + workers
    requireWithin('socketWorkersMax', count, 'Workers of a socket')
    this.#shares.observerWorkers.take(this.#client, workers)
    this.#workers = count
  }

  async #handOver(
    { observer, workers, leaseMs, integers }: ObservationRequest,
    deliver: (fields: NotificationFields) => void,
    { signal, mayObserve }: { readonly signal: AbortSignal; mayObserve(): Promise<void> },
  ): Promise<never> {
    let busy = 0
    let ended = signal
    let known: AbortSignal | undefined
    const room = new Room(() => busy < workers)
    while (true) {
      await room.wait(ended)
      const notification = await this.#observers.lease(observer, { signal, leaseMs })
      if (signal.aborted) {
        notification.release()
        throw signal.reason
      }
      try {
        await mayObserve()
      } catch (error) {
        notification.release()
        throw error
      }
      if (notification.observerGone !== known) {
        // Who is busy asks for nothing, and learns all the same that the observer was dropped.
        known = notification.observerGone
        ended = AbortSignal.any([signal, known])
      }
      busy += 1
      const held = this.#hold(notification, leaseMs)
      held.done.then(() => {
        busy -= 1
        room.taken()
      })
      deliver({ notification: held.id, ...factsOf(notification, integers) })
    }
  }

  /** Throws StorageError `unknown_observer`, also for one of a table that is not to be known, and PlanError. */
  async #requireRights(name: string, principal: Principal | undefined): Promise<void> {
    if (principal === undefined) return
    const catalog = await this.#access.currentCatalog(principal)
    const { table } = requireObserver(catalog, name)
    for (const right of ['read', 'observe'] as const) requireTableRight(catalog, table, right)
  }

  #hold(notification: Notification, leaseMs: number): HeldNotification {
    const { id } = notification
    const held = new HeldNotification(notification, leaseMs, () => this.#held.delete(id))
    this.#held.set(id, held)
    const ending = held.done.finally(() => this.#ending.delete(ending))
    this.#ending.add(ending)
    return held
  }
}
