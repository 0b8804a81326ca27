// SPDX-License-Identifier: Apache-2.0
import { markReplaced, type Successor } from '../../../storage/operations/operations.ts'
import {
  isNewerPromotion,
  noSecondCopy,
  promotionOf,
  type Storage,
  superseded,
} from '../../../storage/storage.ts'
import { ServerError } from '../../errors/server-error.ts'

/** Whether a server serves. What changes that is rare, so a request reads one field. */
export class Availability {
  /** The history that began when this primary was promoted last; empty where it never was. */
  readonly promotion: string
  readonly #storage: Storage
  readonly #folder: string
  readonly #replaced = Promise.withResolvers<Error>()
  #successor: Successor | undefined
  /** Why it answers nothing but questions about itself; undefined while it serves. */
  refusal: Error | undefined

  /** `successor` is the server that had taken its place before it started. */
  constructor(storage: Storage, folder: string, successor?: Successor) {
    this.#storage = storage
    this.#folder = folder
    const isPrimary = storage.primary !== undefined
    this.promotion = isPrimary ? promotionOf(folder, storage.history.name) : ''
    if (successor !== undefined) this.#isReplacedBy(successor)
  }

  /** Who has taken the place of this server. */
  get successor(): Successor | undefined {
    return this.#successor
  }

  /** Resolves to the error for everybody when another server has taken its place. */
  get whenReplaced(): Promise<Error> {
    return this.#replaced.promise
  }

  stop(): void {
    this.refusal = new ServerError('overloaded', 'The server is stopping.')
  }

  /** Serves nothing until a standby has all that is durable here: nobody may have been answered. */
  awaitCopy(copied: Promise<void>): void {
    const refusal = noSecondCopy()
    this.refusal ??= refusal
    copied.then(() => {
      if (this.refusal === refusal) this.refusal = undefined
    })
  }

  /** Whether a promotion is of this store, and newer than its own (S7). */
  isOlderThan(promotion: string): boolean {
    const { id, name } = this.#storage.history
    return promotion !== name && isNewerPromotion(promotion, { id, promotion: this.promotion })
  }

  /**
   * Another server has taken the place of this one, also after a restart. Throws ServerError `invalid_request` where
   * its history began with no newer promotion of this one's.
   */
  supersede(successor: Successor): void {
    if (!this.isOlderThan(successor.history)) {
      const { name } = this.#storage.history
      const detail = `The history ${successor.history} is no newer epoch of ${name}.`
      throw new ServerError('invalid_request', detail)
    }
    markReplaced(this.#folder, successor)
    this.#isReplacedBy(successor)
  }

  #isReplacedBy(successor: Successor): void {
    this.#successor = successor
    this.refusal = superseded(successor.url)
    this.#replaced.resolve(this.refusal)
  }
}
