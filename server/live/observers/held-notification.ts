// SPDX-License-Identifier: Apache-2.0
import type { Notification, Transaction } from '../../../storage/storage.ts'
import { ServerError } from '../../errors/server-error.ts'
import type { ObserverRun } from '../../requests/transactions/observer-run.ts'
import { isAlreadyObserved } from '../../requests/transactions/retry.ts'
import { lostRaceOf } from './observer-event.ts'

/**
 * A notification that a remote worker holds. It runs it in transactions of its own, one after the other,
 * until one of them commits, or it gives the notification back. That its lease may have passed by then
 * is no matter: what another worker has observed meanwhile is not observed again.
 */
export class HeldNotification implements ObserverRun {
  readonly id: string
  readonly leaseMs: number
  readonly #notification: Notification
  readonly #over: () => void
  readonly #done = Promise.withResolvers<void>()
  #transaction: Transaction | undefined
  #lostRace: Error | undefined
  #isOver = false

  /** `over` is called at once when the worker does not hold it any more. */
  constructor(notification: Notification, leaseMs: number, over: () => void) {
    this.id = notification.id
    this.leaseMs = leaseMs
    this.#notification = notification
    this.#over = over
  }

  /** Resolves when it is over and what was to be cleared is. */
  get done(): Promise<void> {
    return this.#done.promise
  }

  async acknowledge(transaction: Transaction): Promise<void> {
    if (mayStillClear(this.#transaction)) throw isBeingRun(this.id)
    this.#transaction = transaction
    const answer = await this.#notification.acknowledge(transaction)
    if (answer === 'alreadyObserved') throw alreadyObserved(this.id)
  }

  committed(): void {
    this.#end(() => this.#notification.committed())
  }

  notCommitted(error: unknown): void {
    if (isAlreadyObserved(error)) this.committed()
    else this.#lostRace = lostRaceOf(error)
  }

  /** The worker gives it up, with what was wrong if anything was. */
  giveUp(error?: string): void {
    const reason = error ?? this.#lostRace
    if (reason === undefined) this.release()
    else this.#end(() => this.#notification.failed(reason))
  }

  /** As if nothing had happened. */
  release(): void {
    this.#end(async () => this.#notification.release())
  }

  #end(how: () => Promise<void>): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#over()
    this.#done.resolve(how())
  }
}

/**
 * The notification remembers one snapshot only, up to which it is cleared after a commit. That of a later
 * transaction would clear what an earlier one, which commits, has not seen; so it waits until that has
 * ended in another way. One that has committed is about to say so.
 */
function mayStillClear(earlier: Transaction | undefined): boolean {
  return earlier !== undefined && earlier.state !== 'rolledBack' && earlier.state !== 'unknown'
}

function alreadyObserved(notification: string): ServerError {
  return new ServerError(
    'already_observed',
    'Another run has observed everything that this notification reported.',
    { notification },
  )
}

function isBeingRun(notification: string): ServerError {
  return new ServerError(
    'transaction_busy',
    'Another transaction of this socket is the run of this notification; it takes one at a time.',
    { notification },
  )
}
