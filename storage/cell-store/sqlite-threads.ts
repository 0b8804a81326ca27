// SPDX-License-Identifier: Apache-2.0
import type { CheckpointerRequest } from './sqlite-checkpointer-thread.ts'
import { encodeGroup } from './sqlite-group-encoding.ts'
import { SqliteThread } from './sqlite-thread.ts'
import { type LogSize, UNMOVED_PAGES_MAX } from './sqlite-write-ahead-log.ts'
import type { BatchResult, GroupCommitter, WriteBatch } from './sqlite-write-batch.ts'
import type { GroupAnswer, WriterOpened, WriterRequest } from './sqlite-writer-thread.ts'

const WRITER = new URL('./sqlite-writer-thread.ts', import.meta.url)
const CHECKPOINTER = new URL('./sqlite-checkpointer-thread.ts', import.meta.url)

/**
 * The two threads beside the main one: one writes, and one, started when there is something to do for
 * it, moves the log into the file, so that no commit has to wait for that.
 */
export class SqliteThreads implements GroupCommitter {
  readonly #path: string
  readonly #writer: SqliteThread<WriterRequest, WriterOpened>
  readonly #onFailure: (cause: unknown) => void
  #checkpointer: Promise<SqliteThread<CheckpointerRequest, null>> | undefined
  #checkpoint: Promise<void> | undefined

  private constructor(
    path: string,
    writer: SqliteThread<WriterRequest, WriterOpened>,
    onFailure: (cause: unknown) => void,
  ) {
    this.#path = path
    this.#writer = writer
    this.#onFailure = onFailure
  }

  /**
   * Creates the file when it is missing. Rejects with StorageError `data_directory_unusable`.
   * `onFailure` is told when a thread has died or the disk failed under one.
   */
  static async start(path: string, onFailure: (cause: unknown) => void): Promise<SqliteThreads> {
    const writer = await SqliteThread.start<WriterRequest, WriterOpened>(WRITER, path, onFailure)
    return new SqliteThreads(path, writer, onFailure)
  }

  /** How durable the connection that writes says it is. */
  get writerOpened(): WriterOpened {
    return this.#writer.opened
  }

  async commitGroup(
    batches: readonly WriteBatch[],
    encodedBytesMax: number,
  ): Promise<readonly BatchResult[]> {
    const packed = encodeGroup(batches, encodedBytesMax)
    const request = { kind: 'group', packed } as const
    const { results, log } = await this.#writer.ask<GroupAnswer>(request, [packed.buffer])
    this.#checkpointWhenWorthIt(log)
    return results
  }

  /** Gives back a bounded part of what deletions have freed; resolves to its bytes. */
  async reclaimSpace(): Promise<number> {
    return await this.#writer.ask<number>({ kind: 'reclaim' })
  }

  /** Nothing may be asked any more. */
  async closeCheckpointer(): Promise<void> {
    const checkpointer = await this.#checkpointer?.catch(() => undefined)
    await checkpointer?.close({ kind: 'close' })
  }

  async closeWriter(options: { readonly emptiesLog: boolean }): Promise<void> {
    await this.#writer.close({ kind: 'close', ...options })
  }

  #checkpointWhenWorthIt({ pages, moved }: LogSize): void {
    if (pages - moved < UNMOVED_PAGES_MAX || this.#checkpoint !== undefined) return
    this.#checkpoint = this.#runCheckpoint()
      .catch(this.#onFailure)
      .finally(() => {
        this.#checkpoint = undefined
      })
  }

  async #runCheckpoint(): Promise<void> {
    this.#checkpointer ??= SqliteThread.start(CHECKPOINTER, this.#path, this.#onFailure)
    const checkpointer = await this.#checkpointer
    await checkpointer.ask({ kind: 'checkpoint' })
  }
}
