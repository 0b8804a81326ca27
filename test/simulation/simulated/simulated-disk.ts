// SPDX-License-Identifier: Apache-2.0
import type { CheckAndMutate, RowMutations } from '../../../storage/cell-store/cell-store.ts'
import type { Counters } from '../sometimes.ts'
import { CellImage } from './cell-image.ts'

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
 * are written and not yet synced is there as a whole afterwards, or not at all, and none behind one that is not.
 */
export class SimulatedDisk {
  readonly image = new CellImage()
  readonly #counters: Counters
  readonly #durable: (group: Group) => void
  #unsynced: Array<{ readonly group: Group; commitFailed: boolean }> = []

  /** `durable` is told of every group in the moment from which it is certain to stay. */
  constructor(counters: Counters, durable: (group: Group) => void) {
    this.#counters = counters
    this.#durable = durable
  }

  write(group: Group): void {
    this.#unsynced.push({ group, commitFailed: false })
  }

  /** Everything that was written so far. */
  sync(): void {
    for (const { group } of this.#unsynced.splice(0)) {
      this.image.apply(group.changes)
      this.#durable(group)
    }
  }

  /** COMMIT reported an error: only the next process will know. */
  failCommit(): void {
    const last = this.#unsynced.at(-1)
    if (last !== undefined) last.commitFailed = true
  }

  /**
   * The image that the next process finds, for it alone. Of the groups that were not synced that part is there,
   * 0 to 1, from the first on.
   */
  open(partThere: number): CellImage {
    const there = Math.floor(partThere * (this.#unsynced.length + 1))
    for (const [at, { commitFailed }] of this.#unsynced.entries()) {
      const before = commitFailed ? 'COMMIT failed' : 'died before the sync ended'
      this.#counters.count(`${before}, and the group is ${at < there ? 'there' : 'gone'}`)
    }
    this.#unsynced.splice(there)
    this.sync()
    return this.image.copy()
  }
}
