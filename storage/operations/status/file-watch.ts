// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../cells/cell-store.ts'
import { type Clock, repeat } from '../../clock.ts'
import { StorageError } from '../../errors.ts'
import type { StorageLog } from '../../storage-log.ts'

const LOOK_MS = 5_000

/**
 * Looks whether the store still has its files. After `rm` or `mv` what is written goes into files that end with the
 * process, and another process can open what stands in their place.
 */
export class FileWatch {
  readonly #deps: {
    readonly cellStore: CellStore
    readonly clock: Clock
    readonly log: StorageLog
  }
  readonly #stopping = new AbortController()
  readonly #found = Promise.withResolvers<StorageError>()
  #lost: StorageError | undefined
  #running: Promise<void> = Promise.resolve()

  constructor(parts: {
    readonly cellStore: CellStore
    readonly clock: Clock
    readonly log: StorageLog
  }) {
    this.#deps = parts
  }

  /** Never looks at a store without files. */
  start(): void {
    const { cellStore, clock } = this.#deps
    if (cellStore.lostFile === undefined) return
    const { signal } = this.#stopping
    this.#running = repeat(clock, { everyMs: LOOK_MS, signal, work: () => this.#look() })
  }

  async stop(): Promise<void> {
    this.#stopping.abort()
    await this.#running
  }

  /** Why nothing may be written any more, once a file is lost. */
  get lost(): StorageError | undefined {
    return this.#lost
  }

  /** Resolves when a file is lost. */
  get whenLost(): Promise<StorageError> {
    return this.#found.promise
  }

  #look(): void {
    const file = this.#deps.cellStore.lostFile?.()
    if (file === undefined) return
    this.#stopping.abort()
    this.#lost = new StorageError(
      'store_lost',
      'The files of the database were removed or replaced under the server, which takes no writes and ends.',
    )
    this.#deps.log.error(
      { file },
      'this file of the database was removed, replaced or moved; writes are refused and the server ends',
    )
    this.#found.resolve(this.#lost)
  }
}
