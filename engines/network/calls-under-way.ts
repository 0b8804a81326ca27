// SPDX-License-Identifier: Apache-2.0
import { CellStoreError } from '../../storage/cells/cell-store.ts'

/** The calls of a store that is asked over the network: none begins after `close`, which waits for those before it. */
export class CallsUnderWay {
  readonly #closedMessage: string
  readonly #running = new Set<Promise<unknown>>()
  #closing: Promise<void> | undefined

  constructor(closedMessage: string) {
    this.#closedMessage = closedMessage
  }

  /** Throws CellStoreError `closed`. */
  requireOpen(): void {
    if (this.#closing !== undefined) throw new CellStoreError('closed', this.#closedMessage)
  }

  async run<T>(call: () => Promise<T>): Promise<T> {
    this.requireOpen()
    const running = call()
    this.#running.add(running)
    try {
      return await running
    } finally {
      this.#running.delete(running)
    }
  }

  close(free: () => void): Promise<void> {
    this.#closing ??= Promise.allSettled(this.#running).then(free)
    return this.#closing
  }
}
