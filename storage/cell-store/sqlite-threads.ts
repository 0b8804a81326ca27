// SPDX-License-Identifier: Apache-2.0
import type { StorageLog } from '../storage-log.ts'
import { CellStoreError } from './cell-store.ts'
import type { CheckpointerRequest } from './sqlite-checkpointer-thread.ts'
import { sentError } from './sqlite-error.ts'
import type { Reclaimed } from './sqlite-free-pages.ts'
import { encodeGroup } from './sqlite-group-encoding.ts'
import { encodeInTurns } from './sqlite-large-batch.ts'
import { SqliteThread } from './sqlite-thread.ts'
import {
  LEFT_PAGES_MAX,
  LOG_PAGES_ENOUGH,
  type LogSize,
  UNMOVED_PAGES_MAX,
} from './sqlite-write-ahead-log.ts'
import type {
  BatchResult,
  CarriedOutGroup,
  Flushed,
  GroupCommitter,
  LargeBatch,
  RedoRecord,
  WriteBatch,
} from './sqlite-write-batch.ts'
import type {
  FlushAnswer,
  GroupAnswer,
  WriterOpened,
  WriterRequest,
} from './sqlite-writer-thread.ts'

const WRITER = new URL('./sqlite-writer-thread.ts', import.meta.url)
const CHECKPOINTER = new URL('./sqlite-checkpointer-thread.ts', import.meta.url)

export type ThreadsOutside = {
  /** Told when a thread has died or the disk failed under one. */
  readonly onFailure: (cause: unknown) => void
  readonly log: StorageLog
}

/**
 * The two threads beside the main one: one writes, and one, started when there is something to do for
 * it, moves the log into the file, so that no commit has to wait for that.
 */
export class SqliteThreads implements GroupCommitter {
  readonly #path: string
  readonly #writer: SqliteThread<WriterRequest, WriterOpened>
  readonly #onFailure: (cause: unknown) => void
  readonly #log: StorageLog
  #checkpointer: Promise<SqliteThread<CheckpointerRequest, null>> | undefined
  #checkpointFrom = UNMOVED_PAGES_MAX
  #checkpoint: Promise<void> | undefined
  /** How much of the log had been moved when the last checkpoint began. */
  #movedBefore = 0

  private constructor(
    path: string,
    writer: SqliteThread<WriterRequest, WriterOpened>,
    outside: ThreadsOutside,
  ) {
    this.#path = path
    this.#writer = writer
    this.#onFailure = outside.onFailure
    this.#log = outside.log
  }

  /** Creates the file when it is missing. Rejects with StorageError `data_directory_unusable`. */
  static async start(path: string, outside: ThreadsOutside): Promise<SqliteThreads> {
    const { onFailure } = outside
    const writer = await SqliteThread.start<WriterRequest, WriterOpened>(WRITER, path, onFailure)
    return new SqliteThreads(path, writer, outside)
  }

  /** How durable the connection that writes says it is. */
  get writerOpened(): WriterOpened {
    return this.#writer.opened
  }

  async commitGroup(
    batches: readonly WriteBatch[],
    encodedBytesMax: number,
  ): Promise<CarriedOutGroup> {
    const packed = encodeGroup(batches, encodedBytesMax)
    return await this.#write({ kind: 'group', packed }, [packed.buffer])
  }

  async appendRedo(record: RedoRecord): Promise<CarriedOutGroup> {
    return await this.#write({ kind: 'redo', record }, [record.packed.buffer])
  }

  async flush(generation: number, cells: number): Promise<Flushed> {
    const answer = await this.#writer.ask<FlushAnswer>({ kind: 'flush', generation, cells })
    this.#checkpointWhenWorthIt(answer.log)
    return answer
  }

  async commitLarge(batch: LargeBatch): Promise<BatchResult> {
    let parts: ReadonlyArray<Uint8Array<ArrayBuffer>>
    try {
      parts = await encodeInTurns(batch)
    } catch (error) {
      // Nothing has been sent yet.
      if (error instanceof CellStoreError) return { kind: 'invalid', cause: sentError(error) }
      throw error
    }
    const buffers = parts.map(({ buffer }) => buffer)
    const { results } = await this.#write({ kind: 'large', parts }, buffers)
    return results[0] as BatchResult
  }

  /** Gives back a bounded part of what deletions have freed. */
  async reclaimSpace(): Promise<Reclaimed> {
    return await this.#writer.ask<Reclaimed>({ kind: 'reclaim' })
  }

  /** Nothing may be asked any more. */
  async closeCheckpointer(): Promise<void> {
    await this.#checkpoint
    const checkpointer = await this.#checkpointer
    await checkpointer?.close({ kind: 'close' })
  }

  async closeWriter(options: { readonly emptiesLog: boolean }): Promise<void> {
    await this.#writer.close({ kind: 'close', ...options })
  }

  async #write(
    request: WriterRequest,
    transferred: readonly ArrayBuffer[],
  ): Promise<CarriedOutGroup> {
    const answer = await this.#writer.ask<GroupAnswer>(request, transferred)
    if (answer.log !== undefined) this.#checkpointWhenWorthIt(answer.log)
    return answer
  }

  #checkpointWhenWorthIt({ pages, moved }: LogSize): void {
    const unmoved = pages - moved
    if (unmoved < UNMOVED_PAGES_MAX) this.#checkpointFrom = UNMOVED_PAGES_MAX
    if (this.#checkpoint !== undefined) return
    // The last one moved something, so nobody who still reads the log stands in the way of another.
    const isEnding = pages >= LOG_PAGES_ENOUGH && moved > this.#movedBefore
    if (unmoved < (isEnding ? LEFT_PAGES_MAX : this.#checkpointFrom)) return
    this.#movedBefore = moved
    this.#checkpoint = this.#runCheckpoint(unmoved, isEnding)
      .catch(this.#onFailure)
      .finally(() => {
        this.#checkpoint = undefined
      })
  }

  async #runCheckpoint(unmoved: number, catchesUp: boolean): Promise<void> {
    const checkpointer = await this.#startedCheckpointer(unmoved)
    await checkpointer?.ask({ kind: 'checkpoint', catchesUp })
  }

  /**
   * A process may be out of memory for a thread, or of descriptors for its files. No data hangs on it:
   * the writer begins a long log anew by itself, and another try is due when the log has grown.
   */
  async #startedCheckpointer(unmoved: number) {
    this.#checkpointer ??= SqliteThread.start(CHECKPOINTER, this.#path, this.#onFailure)
    try {
      return await this.#checkpointer
    } catch (error) {
      this.#checkpointer = undefined
      this.#checkpointFrom = unmoved + UNMOVED_PAGES_MAX
      this.#log.warn(
        { error: String(error) },
        'the checkpointer was not started; the writer does it',
      )
      return undefined
    }
  }
}
