// SPDX-License-Identifier: Apache-2.0
import { dirname, join } from 'node:path'
import type { Clock } from '../../../clock.ts'
import type { StorageLog } from '../../../storage-log.ts'
import { CellStoreError, type StoreCopier } from '../../cell-store.ts'
import type { StreamPosition } from '../../store-replication.ts'
import { receivedError, sentError } from '../error.ts'
import { encodeGroup } from '../groups/group-encoding.ts'
import { encodeInTurns } from '../groups/large-batch.ts'
import {
  type BatchResult,
  type CarriedOutGroup,
  type GroupCommitter,
  isFailure,
  type LargeBatch,
  type WriteBatch,
} from '../groups/write-batch.ts'
import type { Flushed, FlushPart, RedoRecord, RedoThread } from '../redo/redo-thread.ts'
import type { Kept } from '../replication/group-files.ts'
import { GroupLog } from '../replication/group-log.ts'
import type { Reclaimed } from '../wal/free-pages.ts'
import { SqliteFullDisk } from '../wal/full-disk.ts'
import { isReplicated } from '../wal/litestream.ts'
import { LOG_BOUNDS, type LogSize, type MadeRoom } from '../wal/write-ahead-log.ts'
import type { Checkpointed, CheckpointerRequest } from './checkpointer-thread.ts'
import { startCopier } from './copier.ts'
import { SqliteThread } from './thread.ts'
import type {
  FlushAnswer,
  GroupAnswer,
  WriteAnswer,
  WriterOpened,
  WriterRequest,
} from './writer-thread.ts'

// TypeScript in the repository, JavaScript where the package is installed.
const isSource = import.meta.url.endsWith('.ts')
const WRITER = new URL(isSource ? './writer-thread.ts' : './writer-thread.js', import.meta.url)
const CHECKPOINTER = new URL(
  isSource ? './checkpointer-thread.ts' : './checkpointer-thread.js',
  import.meta.url,
)

/**
 * With less than this share of the log's preferred disk space free (192 MiB of 768), there is no space for another log.
 */
const REDO_LOG_SHARE_MIN = 1 / 4

/** In the data directory. */
const GROUPS_FOLDER = 'groups'

export type ThreadsDependencies = {
  /** Called when a thread has died or its disk failed. */
  readonly onFailure: (cause: unknown) => void
  readonly log: StorageLog
  readonly keptGroups?: Kept | undefined
  /** By which standbys are waited for. */
  readonly clock?: Clock
}

/**
 * The two threads of the store: one writes, and one, started when first needed, moves the log into the file, so that no
 * commit has to wait for that.
 */
export class SqliteThreads implements GroupCommitter, RedoThread {
  readonly #path: string
  readonly #writer: SqliteThread<WriterRequest, WriterOpened>
  readonly #onFailure: (cause: unknown) => void
  readonly #log: StorageLog
  readonly #fullDisk: SqliteFullDisk
  /** The groups for those who follow. */
  readonly groups: GroupLog
  #share = 1
  #checkpointer: Promise<SqliteThread<CheckpointerRequest, null>> | undefined
  /** After a checkpoint that failed or found the disk full, the next try needs this many bytes that are not moved. */
  #triedFrom = 0
  #checkpoint: Promise<void> | undefined
  #copiers = 0
  /** Pages of the log that had been moved when the last checkpoint began. */
  #movedBefore = 0

  private constructor(
    path: string,
    writer: SqliteThread<WriterRequest, WriterOpened>,
    deps: ThreadsDependencies,
  ) {
    this.#path = path
    this.#writer = writer
    this.#onFailure = deps.onFailure
    this.#log = deps.log
    const folder = join(dirname(path), GROUPS_FOLDER)
    const { log, keptGroups: kept, clock } = deps
    const found = { ...writer.opened, log, ...(kept && { kept }), ...(clock && { clock }) }
    this.groups = new GroupLog(folder, found)
    const isCopied = () => this.#copiers > 0
    this.#fullDisk = new SqliteFullDisk({ ...deps, isCopied, makeRoom: () => this.#makeRoom() })
  }

  /** Creates the file if it is missing. Rejects with StorageError `data_directory_unusable`. */
  static async start(path: string, deps: ThreadsDependencies): Promise<SqliteThreads> {
    const { onFailure } = deps
    const writer = await SqliteThread.start<WriterRequest, WriterOpened>(WRITER, path, onFailure)
    return new SqliteThreads(path, writer, deps)
  }

  get hasRoomForRedoLog(): boolean {
    return this.#share >= REDO_LOG_SHARE_MIN
  }

  commitGroup(batches: readonly WriteBatch[], encodedBytesMax: number): Promise<CarriedOutGroup> {
    const packed = encodeGroup(batches, encodedBytesMax)
    const position = this.groups.isNumbered ? this.groups.append('batches', [packed]) : undefined
    return this.#write({ kind: 'group', packed, position }, [packed.buffer])
  }

  /** The record lies in memory that both threads share. */
  appendRedo(record: RedoRecord): Promise<CarriedOutGroup> {
    const { packed } = record
    const position = this.groups.isNumbered ? this.groups.append('redo', [packed]) : undefined
    return this.#write({ kind: 'redo', record, position }, [])
  }

  async flush(part: FlushPart): Promise<Flushed> {
    const answer = await this.#writer.ask<FlushAnswer>({ kind: 'flush', part })
    this.#react(answer)
    return answer
  }

  async commitLarge(batch: LargeBatch): Promise<CarriedOutGroup> {
    let parts: ReadonlyArray<Uint8Array<ArrayBuffer>>
    try {
      parts = await encodeInTurns(batch)
    } catch (error) {
      // Nothing has been sent yet.
      if (!(error instanceof CellStoreError)) throw error
      return { results: [{ kind: 'invalid', cause: sentError(error) }], ms: 0 }
    }
    const buffers = parts.map(({ buffer }) => buffer)
    const position = this.groups.append('large', parts)
    return await this.#write({ kind: 'large', parts, position }, buffers)
  }

  /** From now on groups are numbered and kept. Rejects when that is not durable. */
  async numberGroups(): Promise<void> {
    const position = this.groups.beginning()
    if (position !== undefined) {
      const { results } = await this.#send({ kind: 'number', position }, [])
      const failure = failureOf(results)
      if (failure !== undefined) throw failure
    }
    this.groups.begun(position)
  }

  /** Applies groups of another store, all of them or none; resolves to why they were not. */
  async replay(frame: Uint8Array): Promise<Error | undefined> {
    const { results, position } = await this.#send({ kind: 'replay', frame }, [])
    const failure = failureOf(results)
    if (failure === undefined) this.groups.followed(position)
    return failure
  }

  /** Returns a bounded part of the pages that deletions have freed to the file system. */
  async reclaimSpace(): Promise<Reclaimed> {
    const answer = await this.#writer.ask<Reclaimed & WriteAnswer>({ kind: 'reclaim' })
    this.#react(answer)
    return answer
  }

  /** A process, which reads the log until it is closed. Its death does the store no harm. */
  openCopier(options: { readonly isInBackground?: boolean } = {}): StoreCopier {
    this.#copiers += 1
    return startCopier(this.#path, options, () => {
      this.#copiers -= 1
    })
  }

  /** No checkpoint may be requested afterwards. */
  async closeCheckpointer(): Promise<void> {
    await this.#fullDisk.settled()
    await this.#checkpoint
    const checkpointer = await this.#checkpointer
    await checkpointer?.close({ kind: 'close' })
  }

  async closeWriter(options: { readonly emptiesLog: boolean }): Promise<void> {
    await this.#writer.close({ kind: 'close', ...options })
    this.groups.close()
  }

  async #write(
    request: WriterRequest & { readonly position: StreamPosition | undefined },
    transferred: readonly ArrayBuffer[],
  ): Promise<CarriedOutGroup> {
    const answer = await this.#writer.ask<GroupAnswer>(request, transferred)
    this.#react(answer)
    const { position } = request
    if (position === undefined) return answer
    this.groups.carriedOut(position, answer.position)
    // By the number that the group got, which is another one after a group that failed (S4).
    const { number } = answer.position ?? position
    const copied = this.groups.secondCopy.wait(number)
    if (copied !== undefined) await copied
    return answer
  }

  async #send(request: WriterRequest, transferred: readonly ArrayBuffer[]): Promise<GroupAnswer> {
    const answer = await this.#writer.ask<GroupAnswer>(request, transferred)
    this.#react(answer)
    return answer
  }

  #react({ log, foundNoRoom }: WriteAnswer): void {
    if (foundNoRoom) this.#fullDisk.refusedWrite()
    if (log.share !== this.#share) this.#changeShare(log.share)
    this.#checkpointWhenWorthIt(log)
  }

  #changeShare(share: number): void {
    const [hadRoom, hasRoom] = [this.#share === 1, share === 1]
    this.#share = share
    if (hasRoom || !hadRoom) return
    const what =
      this.#copiers > 0
        ? 'the log grows until the backup or check has ended'
        : 'the log is kept shorter'
    this.#log.warn({ share }, `the disk of the data directory has little room; ${what}`)
  }

  /** Waits for a checkpoint of our own, which would block this. */
  async #makeRoom(): Promise<MadeRoom | null> {
    await this.#checkpoint
    return await this.#writer.ask<MadeRoom | null>({ kind: 'makeRoom' })
  }

  #checkpointWhenWorthIt({ bytes, moved, share }: LogSize): void {
    const unmoved = bytes - moved
    const enough = LOG_BOUNDS.unmoved * share
    if (unmoved < enough) this.#triedFrom = 0
    if (this.#checkpoint !== undefined) return
    // The last checkpoint moved something, so no reader of the log blocks another.
    const isEnding = bytes >= LOG_BOUNDS.enough * share && moved > this.#movedBefore
    if (unmoved < (isEnding ? LOG_BOUNDS.left : Math.max(enough, this.#triedFrom))) return
    if (isReplicated(this.#path)) {
      this.#triedFrom = unmoved + enough
      return
    }
    this.#movedBefore = moved
    this.#checkpoint = this.#runCheckpoint(isEnding)
      .then((isDone) => {
        // No data depends on it: the next try is due when the log has grown.
        if (!isDone) this.#triedFrom = unmoved + enough
      })
      .catch(this.#onFailure)
      .finally(() => {
        this.#checkpoint = undefined
      })
  }

  /** Resolves to false if the checkpoint failed or found the disk full. Rejects when the disk failed. */
  async #runCheckpoint(catchesUp: boolean): Promise<boolean> {
    const checkpointer = await this.#startedCheckpointer()
    if (checkpointer === undefined) return false
    const { foundNoRoom } = await checkpointer.ask<Checkpointed>({ kind: 'checkpoint', catchesUp })
    return !foundNoRoom
  }

  /**
   * A process may lack memory for a thread or descriptors for its files: then the writer restarts a long log itself.
   */
  async #startedCheckpointer() {
    this.#checkpointer ??= SqliteThread.start(CHECKPOINTER, this.#path, this.#onFailure)
    try {
      return await this.#checkpointer
    } catch (error) {
      this.#checkpointer = undefined
      this.#log.warn(
        { error: String(error) },
        'the checkpointer was not started; the writer does it',
      )
      return undefined
    }
  }
}

function failureOf([result = null]: readonly BatchResult[]): Error | undefined {
  return isFailure(result) ? receivedError(result.cause) : undefined
}
