// SPDX-License-Identifier: Apache-2.0
import type { CheckAndMutate, RowMutations } from '../../../storage/cells/cell-store.ts'
import type { RedoRecord } from '../../../storage/cells/sqlite/redo/redo-thread.ts'
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

/** A transaction of the engine: what it changes in the file, and the group that it makes durable, if it does. */
type Transaction = {
  readonly group?: Group | undefined
  /** Of the tables. */
  readonly changes: readonly RowMutations[]
  readonly record?: RedoRecord | undefined
  readonly deletedRecords?: readonly number[]
}

/** What a process finds in the file, or has written there. */
export class FileState {
  readonly tables: CellImage
  readonly records: Map<number, RedoRecord>

  constructor(tables = new CellImage(), records: ReadonlyMap<number, RedoRecord> = new Map()) {
    this.tables = tables
    this.records = new Map(records)
  }

  apply({ changes, record, deletedRecords = [] }: Transaction): void {
    this.tables.apply(changes)
    if (record !== undefined) this.records.set(record.id, record)
    for (const id of deletedRecords) this.records.delete(id)
  }

  copy(): FileState {
    return new FileState(this.tables.copy(), this.records)
  }
}

/**
 * The files of an embedded store: all that is left of it when its process dies. A transaction whose frames
 * are written and not yet synced is there as a whole afterwards, or not at all, and none behind one that is not.
 */
export class SimulatedDisk {
  /** What the groups that are certain to stay have made of the store, whichever way they were made durable. */
  readonly image = new CellImage()
  readonly #file = new FileState()
  readonly #counters: Counters
  readonly #durable: (group: Group) => void
  #unsynced: Array<{ readonly transaction: Transaction; commitFailed: boolean }> = []

  /** `durable` is told of every group in the moment from which it is certain to stay. */
  constructor(counters: Counters, durable: (group: Group) => void) {
    this.#counters = counters
    this.#durable = durable
  }

  write(transaction: Transaction): void {
    this.#unsynced.push({ transaction, commitFailed: false })
  }

  /** Everything that was written so far. */
  sync(): void {
    for (const { transaction } of this.#unsynced.splice(0)) {
      const { group } = transaction
      this.#file.apply(transaction)
      if (group === undefined) continue
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
   * The file that the next process finds, for it alone. Of the transactions that were not synced that part is there,
   * 0 to 1, from the first on.
   */
  open(partThere: number): FileState {
    const there = Math.floor(partThere * (this.#unsynced.length + 1))
    for (const [at, { transaction, commitFailed }] of this.#unsynced.entries()) {
      if (transaction.group === undefined) continue
      const before = commitFailed ? 'COMMIT failed' : 'died before the sync ended'
      this.#counters.count(`${before}, and the group is ${at < there ? 'there' : 'gone'}`)
    }
    this.#unsynced.splice(there)
    this.sync()
    return this.#file.copy()
  }
}
