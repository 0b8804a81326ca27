// SPDX-License-Identifier: Apache-2.0
import type { StorageError } from '../../errors.ts'
import type { ProtocolContext } from '../../transactions/protocol/protocol-context.ts'
import type { TransactionProtocol } from '../../transactions/protocol/transaction-protocol.ts'

/** Lets commits and what is written without one through to the store, until it is closed. */
export class WriteGate {
  #refusal: StorageError | undefined
  #underWay = 0
  /** There while a refusal waits for those that have begun. */
  #drained: PromiseWithResolvers<void> | undefined

  /** Why no commit is taken; undefined while they are. */
  get refusal(): StorageError | undefined {
    return this.#refusal
  }

  /** Refuses all commits that have not begun. Resolves when none of the others is under way. */
  async close(refusal: StorageError): Promise<void> {
    this.#refusal = refusal
    if (this.#underWay === 0) return
    this.#drained ??= Promise.withResolvers()
    await this.#drained.promise
  }

  open(): void {
    this.#refusal = undefined
  }

  /** The same protocol behind the gate, which reports how long each of its commits took. */
  guarding(
    protocol: TransactionProtocol,
    { clock, measures }: Pick<ProtocolContext, 'clock' | 'measures'>,
  ): TransactionProtocol {
    return {
      ...protocol,
      commit: async (request) => {
        if (this.#refusal !== undefined) return { kind: 'aborted', reason: this.#refusal }
        this.#underWay += 1
        const beganMs = clock.monotonicMs()
        try {
          const outcome = await protocol.commit(request)
          measures.commitTook(clock.monotonicMs() - beganMs)
          return outcome
        } finally {
          this.#underWay -= 1
          if (this.#underWay === 0 && this.#drained !== undefined) this.#isDrained()
        }
      },
    }
  }

  /** Lets a write through that is no commit. Rejects as it does, and with the refusal. */
  async pass(write: () => Promise<void>): Promise<void> {
    if (this.#refusal !== undefined) throw this.#refusal
    this.#underWay += 1
    try {
      await write()
    } finally {
      this.#underWay -= 1
      if (this.#underWay === 0 && this.#drained !== undefined) this.#isDrained()
    }
  }

  #isDrained(): void {
    this.#drained?.resolve()
    this.#drained = undefined
  }
}
