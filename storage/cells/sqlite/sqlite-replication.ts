// SPDX-License-Identifier: Apache-2.0
import { CellStoreError } from '../cell-store.ts'
import type {
  GroupFrame,
  KeptGroups,
  SecondCopyMode,
  SecondCopyState,
  StoreReplication,
  StreamPosition,
} from '../store-replication.ts'
import { batchesOf, decodeFrame, rowsOf } from './replication/group-record.ts'
import type { SqliteThreads } from './threads/threads.ts'

/** The groups of the store on disk, as the threads hand them on. */
export class SqliteReplication implements StoreReplication {
  readonly #threads: SqliteThreads
  readonly #applied: () => void
  readonly #failed: (cause: unknown) => CellStoreError

  constructor(
    threads: SqliteThreads,
    own: {
      /** Called in the turn in which groups of another store are durable. */
      readonly applied: () => void
      /** Called when the thread has died. */
      readonly failed: (cause: unknown) => CellStoreError
    },
  ) {
    this.#threads = threads
    this.#applied = own.applied
    this.#failed = own.failed
  }

  get position(): StreamPosition | undefined {
    return this.#threads.groups.position
  }

  get kept(): KeptGroups | undefined {
    return this.#threads.groups.kept
  }

  begin(): Promise<void> {
    return this.#threads.numberGroups()
  }

  read(
    after: StreamPosition,
    options: { readonly bytesMax: number; readonly signal: AbortSignal },
  ): Promise<GroupFrame> {
    return this.#threads.groups.read(after, options)
  }

  demand(mode: SecondCopyMode): void {
    this.#threads.groups.secondCopy.demand(mode)
  }

  get secondCopy(): SecondCopyState {
    return this.#threads.groups.secondCopy
  }

  asks(): (wasAnswered: boolean) => void {
    return this.#threads.groups.secondCopy.asks()
  }

  heard(position: StreamPosition): void {
    this.#threads.groups.heard(position)
  }

  async copied(number: number): Promise<void> {
    await this.#threads.groups.secondCopy.wait(number)
  }

  grownBeyond(number: number, signal: AbortSignal): Promise<void> {
    return this.#threads.groups.grownBeyond(number, signal)
  }

  async replay(groups: Buffer): Promise<readonly Uint8Array[]> {
    let rows: Uint8Array[]
    try {
      rows = decodeFrame(groups).flatMap((record) => rowsOf(batchesOf(record)))
    } catch (cause) {
      throw new CellStoreError('invalid', 'The groups are damaged.', { cause })
    }
    const failure = await this.#threads.replay(groups).catch((cause) => {
      throw this.#failed(cause)
    })
    if (failure !== undefined) {
      throw new CellStoreError('notApplied', 'The groups were not applied.', { cause: failure })
    }
    this.#applied()
    return rows
  }
}
