// SPDX-License-Identifier: Apache-2.0
import type { CheckAndMutate, RowMutations } from '../../storage/cell-store/cell-store.ts'
import { CellImage } from './cell-image.ts'
import type { Counters } from './sometimes.ts'

/** A conditional mutation as the writer took it. */
export type TakenStep = {
  readonly row: Uint8Array
  readonly step: CheckAndMutate
  readonly matched: boolean
}

/** What the writer commits as one transaction of the engine. */
export type Group = {
  /** Whose writer it is. */
  readonly process: string
  readonly changes: readonly RowMutations[]
  readonly steps: readonly TakenStep[]
}

/**
 * The files of an embedded store: all that is left of it when its process dies. A group whose frames
 * are written and not yet synced is there as a whole afterwards, or not at all.
 */
export class SimulatedDisk {
  readonly image = new CellImage()
  readonly #counters: Counters
  readonly #durable: (group: Group) => void
  #unsynced: { readonly group: Group; commitFailed: boolean } | undefined

  /** `durable` is told of every group in the moment from which it is certain to stay. */
  constructor(counters: Counters, durable: (group: Group) => void) {
    this.#counters = counters
    this.#durable = durable
  }

  write(group: Group): void {
    this.#unsynced = { group, commitFailed: false }
  }

  sync(): void {
    if (this.#unsynced === undefined) return
    const { group } = this.#unsynced
    this.#unsynced = undefined
    this.image.apply(group.changes)
    this.#durable(group)
  }

  /** COMMIT reported an error: only the next process will know. */
  failCommit(): void {
    if (this.#unsynced !== undefined) this.#unsynced.commitFailed = true
  }

  /** The image that the next process finds, for it alone. */
  open(isUnsyncedThere: boolean): CellImage {
    if (this.#unsynced !== undefined) {
      const before = this.#unsynced.commitFailed ? 'COMMIT failed' : 'died before the sync ended'
      this.#counters.count(`${before}, and the group is ${isUnsyncedThere ? 'there' : 'gone'}`)
    }
    if (isUnsyncedThere) this.sync()
    this.#unsynced = undefined
    return this.image.copy()
  }
}
