// SPDX-License-Identifier: Apache-2.0
import type { RowMutations } from '../../../storage/cells/cell-store.ts'
import type { BatchFailure } from '../../../storage/cells/sqlite/groups/write-batch.ts'
import type { RecordedCell } from '../../../storage/cells/sqlite/redo/record.ts'
import type { RedoFile } from '../../../storage/cells/sqlite/redo/redo-log.ts'
import type { RedoRecord } from '../../../storage/cells/sqlite/redo/redo-thread.ts'
import type { FileState, Group, SimulatedDisk } from './simulated-disk.ts'

export const NOT_APPLIED: BatchFailure = {
  kind: 'notApplied',
  cause: { message: 'no', code: undefined, refusal: undefined, cause: undefined },
}

/** The file of an embedded store under the real redo log: what it writes there is on the simulated disk. */
export class SimulatedRedoFile implements RedoFile {
  readonly #disk: SimulatedDisk
  readonly #state: FileState
  /** From now on a new read transaction sees these changes. */
  readonly #shown: (changes: readonly RowMutations[]) => void
  #changes: RowMutations[] = []
  #deletedRecords: number[] = []
  #record: RedoRecord | undefined
  /** The group of which the next record is. */
  group: Group | undefined
  /** The next transaction is rolled back. */
  failsOnce = false
  /** Whether what was written last has to be synced before anybody is answered. */
  awaitsSync = false

  constructor(
    disk: SimulatedDisk,
    state: FileState,
    shown: (changes: readonly RowMutations[]) => void,
  ) {
    this.#disk = disk
    this.#state = state
    this.#shown = shown
  }

  write(work: () => void, { isSynced }: { readonly isSynced: boolean }): BatchFailure | null {
    this.#changes = []
    this.#deletedRecords = []
    this.#record = undefined
    work()
    const hasFailed = this.failsOnce
    this.failsOnce = false
    if (hasFailed) return NOT_APPLIED
    const transaction = {
      group: this.group,
      changes: this.#changes,
      record: this.#record,
      deletedRecords: this.#deletedRecords,
    }
    this.group = undefined
    this.#state.apply(transaction)
    this.#disk.write(transaction)
    this.awaitsSync = isSynced
    this.#shown(this.#changes)
    return null
  }

  insertRecord(record: RedoRecord): void {
    this.#record = { id: record.id, packed: new Uint8Array(record.packed) }
  }

  deleteRecords(lastId: number, countMax: number): number {
    const ids = [...this.#state.records.keys()].filter((id) => id <= lastId).sort((a, b) => a - b)
    this.#deletedRecords = ids.slice(0, countMax)
    return this.#deletedRecords.length
  }

  putCell(row: Uint8Array, { value, ...cell }: RecordedCell): void {
    if (value === undefined) throw new Error('No record erases a cell.')
    const copy = { ...cell, value: Buffer.from(value) }
    this.#changes.push({ row, mutations: [{ kind: 'setCell', ...copy }] })
  }

  recordBytes(): number {
    return [...this.records()].reduce((sum, { packed }) => sum + packed.length, 0)
  }

  records(): Iterable<RedoRecord> {
    return [...this.#state.records.values()].sort((a, b) => a.id - b.id)
  }
}
