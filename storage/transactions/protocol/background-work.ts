// SPDX-License-Identifier: Apache-2.0
import { CellStoreError } from '../../cells/cell-store.ts'
import { RenewedSet } from '../../collections/renewed-map.ts'
import type { StorageLog } from '../../storage-log.ts'

/**
 * Work that is started and not waited for: its failure is harmless, because code that needs its effect (a reader that
 * meets a lock) can do the same work. `close()` still waits for all of it, so that a process that stops cleanly leaves
 * no locks.
 */
export class BackgroundWork {
  readonly #log: StorageLog
  readonly #running = new RenewedSet<Promise<void>>()

  constructor(log: StorageLog) {
    this.#log = log
  }

  start(name: string, work: () => Promise<unknown>): void {
    const running = work()
      .then(
        () => undefined,
        (error: unknown) => this.#failed(name, error),
      )
      .finally(() => this.#running.delete(running))
    this.#running.add(running)
  }

  /** Resolves when nothing is under way, including what was started while waiting. */
  async drain(): Promise<void> {
    while (this.#running.size > 0) await Promise.all(this.#running)
  }

  #failed(name: string, error: unknown): void {
    if (error instanceof CellStoreError) {
      this.#log.info({ work: name, kind: error.kind, reason: error.message }, 'left to a resolver')
    } else {
      this.#log.error({ work: name, error: String(error) }, 'background work failed')
    }
  }
}
