// SPDX-License-Identifier: Apache-2.0
import type { Clock, Storage } from '../../../storage/storage.ts'
import { StorageError } from '../../../storage/storage.ts'
import {
  type AccessRelay,
  type RelayProgress,
  type RelayRows,
  readRelay,
  writeRelayProgress,
} from '../../../storage/tables/access/access.ts'
import { inTransaction } from '../../snapshot.ts'

/** Another process sends it, a statement has changed where it goes on, or it was dropped. */
export class NotHeld extends Error {}

type Dependencies = { readonly storage: Storage; readonly clock: Clock }

const CONFLICT_RETRY_MS = 20

/** What the store has of a relay that one process sends. */
export class HeldProgress {
  readonly #deps: Dependencies
  readonly #holder: string
  readonly #epoch: number
  #found: RelayRows

  constructor(found: RelayRows, holder: string, deps: Dependencies) {
    this.#deps = deps
    this.#holder = holder
    this.#epoch = found.progress.epoch
    this.#found = found
  }

  /** As it was when its progress was last written or read. */
  get relay(): AccessRelay {
    return this.#found.relay
  }

  get progress(): RelayProgress {
    return this.#found.progress
  }

  /** Throws NotHeld, and rejects with CellStoreError. */
  async read(): Promise<void> {
    await inTransaction(this.#deps.storage, { readOnly: true }, async (transaction) => {
      this.#found = this.#required(await readRelay(transaction, this.relay.name))
    })
  }

  /**
   * Only who holds it writes it, and only in the epoch in which it took it: of two who think so the rows conflict (L1).
   * Throws NotHeld, and rejects with CellStoreError and the signal's reason.
   */
  async write(
    change: (before: RelayProgress) => RelayProgress,
    signal: AbortSignal,
  ): Promise<void> {
    const { storage, clock } = this.#deps
    for (;;) {
      try {
        return await inTransaction(storage, {}, async (transaction) => {
          const found = this.#required(await readRelay(transaction, this.relay.name))
          const { name: history } = storage.history
          const progress = { ...change(found.progress), history }
          writeRelayProgress(transaction, found.progress, progress)
          await transaction.commit()
          this.#found = { ...found, progress }
        })
      } catch (error) {
        // Also after a lost answer: what is written is the same once more.
        if (!(error instanceof StorageError) || !error.isWorthRerun) throw error
        await clock.sleep(CONFLICT_RETRY_MS, signal)
      }
    }
  }

  /** Lets another process take it at once. */
  async release(): Promise<void> {
    const never = new AbortController().signal
    await this.write(({ holder: _, ...before }) => before, never)
  }

  #required(found: RelayRows | undefined): RelayRows {
    const { holder, epoch, stopped, isPaused } = found?.progress ?? {}
    const isHeld = holder === this.#holder && epoch === this.#epoch
    if (found !== undefined && isHeld && stopped === undefined && isPaused === false) return found
    throw new NotHeld()
  }
}
