// SPDX-License-Identifier: Apache-2.0
import type { CellStore } from '../../cells/cell-store.ts'
import { Move, type MoveDependencies, type MoveOptions, type MoveReport } from './move.ts'
import { type MovedTo, movedAway, readMovedTo } from './move-rows.ts'
import { WriteGate } from './write-gate.ts'

/** Whether a store is here, is being moved, or has gone. */
export class Departure {
  readonly gate = new WriteGate()
  #movedTo: MovedTo | undefined

  /** Undefined while the store takes writes here. */
  get movedTo(): MovedTo | undefined {
    return this.#movedTo
  }

  /** Closes the gate of a store that has gone. Rejects with CellStoreError. */
  async look(cellStore: CellStore): Promise<void> {
    this.#movedTo = await readMovedTo(cellStore)
    if (this.#movedTo !== undefined) await this.gate.close(movedAway(this.#movedTo))
  }

  /** One at a time. See `Move`, for what it rejects with. */
  async move(deps: Omit<MoveDependencies, 'gate'>, options: MoveOptions): Promise<MoveReport> {
    try {
      return await new Move({ ...deps, gate: this.gate }, options).run()
    } finally {
      await this.look(deps.context.cellStore)
    }
  }
}
