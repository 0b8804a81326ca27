// SPDX-License-Identifier: Apache-2.0

import type { Clock } from '../../clock.ts'
import { type Measures, UNMEASURED } from '../../measures.ts'
import { type StorageLog, silentLog } from '../../storage-log.ts'
import {
  CellStoreError,
  type CellStoreLimits,
  type DiskUse,
  type Increment,
  type MemtableUse,
  type RowMutations,
  type RowStep,
  type StoreCopier,
} from '../cell-store.ts'
import { CheckedEmbeddedStore, CheckedView } from '../checked-cell-store.ts'
import { type EmbeddedCellStore, type StepList, unconditionalStep } from '../embedded-cell-store.ts'
import type { Note } from '../note.ts'
import type { StoreReplication } from '../store-replication.ts'
import { SqliteView } from './cells/view.ts'
import { diskUseOf, fileSystemOf } from './disk-use.ts'
import { isFull, receivedError } from './error.ts'
import { openReaderConnection, unusableFile } from './file/connection.ts'
import { SqliteDataDirectory } from './file/data-directory.ts'
import { OwnFiles } from './file/own-files.ts'
import { Redo, type RedoLogUse } from './redo/redo.ts'
import type { Kept } from './replication/group-files.ts'
import { SqliteReplication } from './sqlite-replication.ts'
import { SqliteThreads } from './threads/threads.ts'
import { GROUP_STEPS_MAX, SqliteWriter } from './threads/writer.ts'

export type SqliteCellStoreOptions = {
  /** Created if missing. The store owns it until `close`. */
  readonly dataDirectory: string
  /**
   * Called once when the disk, a COMMIT or a thread of the store failed: the outcome of writes under way is unknown,
   * and the store refuses every further call. The process should end; the next start recovers.
   */
  readonly onFatal?: (error: CellStoreError) => void
  readonly log?: StorageLog
  readonly measures?: Measures
  /** Whether commits go through the redo log; `auto` unless given. */
  readonly redoLog?: RedoLogUse
  /** Cells of the redo log that are flushed together; for tests. */
  readonly memtableCells?: number
  /** How much of the groups is kept for stores that follow. */
  readonly keptGroups?: Kept
  /** By which those who follow are waited for. */
  readonly clock?: Clock
}

/** Rejects with StorageError `data_directory_locked` or `data_directory_unusable`. */
export async function openSqliteCellStore(
  options: SqliteCellStoreOptions,
): Promise<EmbeddedCellStore> {
  const directory = new SqliteDataDirectory(options.dataDirectory)
  const { path, warning } = directory
  if (warning !== undefined) options.log?.warn({ path }, warning)
  try {
    directory.makeStoreFile()
    return await SqliteCellStore.open(directory, options)
  } catch (error) {
    directory.release()
    throw error
  }
}

/**
 * The cell store on one machine's disk. Mutations go through the writer's queue to a thread that commits them in
 * groups; reads run on a separate connection, in the turn of the call.
 */
class SqliteCellStore extends CheckedEmbeddedStore {
  readonly limits: CellStoreLimits
  readonly view: CheckedView
  readonly replication: StoreReplication
  readonly #directory: SqliteDataDirectory
  readonly #threads: SqliteThreads
  readonly #writer: SqliteWriter
  readonly #redo: Redo
  readonly #tables: SqliteView
  readonly #files: OwnFiles
  #closing: Promise<void> | undefined

  private constructor(parts: {
    readonly directory: SqliteDataDirectory
    readonly threads: SqliteThreads
    readonly writer: SqliteWriter
    readonly redo: Redo
    readonly tables: SqliteView
  }) {
    super()
    this.#directory = parts.directory
    this.#threads = parts.threads
    this.#writer = parts.writer
    this.#redo = parts.redo
    this.#tables = parts.tables
    const { storeFile, lockFile } = parts.directory
    this.#files = new OwnFiles([storeFile, `${storeFile}-wal`, `${storeFile}-shm`, lockFile])
    this.view = new CheckedView(parts.redo.view(parts.tables))
    this.limits = parts.tables.limits
    this.replication = new SqliteReplication(parts.threads, {
      applied: () => parts.tables.end(),
      failed: (cause) => parts.writer.fail(cause),
    })
  }

  static async open(
    directory: SqliteDataDirectory,
    options: SqliteCellStoreOptions,
  ): Promise<SqliteCellStore> {
    const { onFatal = () => {}, log = silentLog, measures = UNMEASURED } = options
    const { redoLog: use = 'auto', memtableCells, keptGroups, clock } = options
    const file = directory.storeFile
    const onFailure = (cause: unknown) => writer.fail(cause)
    const threads = await SqliteThreads.start(file, {
      ...{ onFailure, log, keptGroups },
      ...(clock && { clock }),
    })
    // The next read opens a new snapshot, which has what is no longer in a memtable (R2).
    const beforeDrop = () => tables.end()
    const redo = new Redo({
      ...{ thread: threads, use, memtableCells },
      ...{ beforeDrop, onDamage: (cause) => writer.metDamage(cause), onFailure, log },
    })
    const writer: SqliteWriter = new SqliteWriter({
      redo,
      // The next read opens a new snapshot: a writer whose promise is settled now sees what was written (C6).
      beforeAnswers: () => tables.end(),
      onFatal,
      measures,
      freeBytes: () => fileSystemOf(file)?.freeBytes,
      secondCopy: threads.groups.secondCopy,
    })
    let tables: SqliteView
    try {
      tables = openView(file, writer)
    } catch (error) {
      await threads.closeWriter({ emptiesLog: true })
      throw error
    }
    return new SqliteCellStore({ directory, threads, writer, redo, tables })
  }

  protected apply(batch: StepList, note?: Note): Promise<boolean[]> {
    if (batch.length === 0 && note === undefined) {
      this.assertOpen()
      return Promise.resolve([])
    }
    const isLarge = batch.length > GROUP_STEPS_MAX
    return this.#writer.submit(
      isLarge
        ? { kind: 'large', steps: batch, note }
        : { kind: 'steps', steps: Array.isArray(batch) ? batch : [...batch], note },
    ) as Promise<boolean[]>
  }

  /** Entries are sent as batches of at most one group, each applied or refused as a whole. */
  protected async changeRows(
    entries: readonly RowMutations[],
  ): Promise<Array<CellStoreError | null>> {
    this.assertOpen()
    const errors = new Array<CellStoreError | null>(entries.length).fill(null)
    const submitted: Promise<void>[] = []
    for (let from = 0; from < entries.length; from += GROUP_STEPS_MAX) {
      const steps: RowStep[] = entries
        .slice(from, from + GROUP_STEPS_MAX)
        .map(({ row, mutations }) => unconditionalStep(row, mutations))
      const failed = (error: unknown) => {
        if (!(error instanceof CellStoreError)) throw error
        errors.fill(error, from, from + steps.length)
      }
      submitted.push(this.#writer.submit({ kind: 'steps', steps }).then(() => {}, failed))
    }
    await Promise.all(submitted)
    return errors
  }

  protected async increment(row: Uint8Array, increments: readonly Increment[]): Promise<bigint[]> {
    return (await this.#writer.submit({ kind: 'increment', row, increments })) as bigint[]
  }

  protected assertOpen(): void {
    this.#writer.assertOpen()
  }

  /** In parts, because the pages at the end of the file are moved to its free pages. */
  async reclaimSpace(): Promise<number> {
    this.assertOpen()
    const { failure, bytes } = await this.#threads.reclaimSpace().catch((cause) => {
      throw this.#writer.fail(cause)
    })
    if (failure === null) return bytes
    const cause = receivedError(failure.cause)
    if (failure.kind === 'unknown') throw this.#writer.fail(cause)
    const kind = isFull(cause) ? 'full' : 'notApplied'
    throw new CellStoreError(kind, 'No space was given back.', { cause })
  }

  async diskUse(): Promise<DiskUse> {
    return diskUseOf(this.#directory.storeFile)
  }

  lostFile(): string | undefined {
    return this.#files.lost()
  }

  openCopier(options?: { readonly isInBackground?: boolean }): StoreCopier {
    this.assertOpen()
    return this.#threads.openCopier(options)
  }

  get damage(): CellStoreError | undefined {
    return this.#tables.damage ?? this.#writer.damage
  }

  get wasKilled(): boolean {
    return this.#directory.wasKilled
  }

  get memtables(): MemtableUse {
    return this.#redo.memtables
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  /**
   * The writer's connection is closed last, so that it can leave one complete file. Once a file is lost the reader is
   * left open until the process ends: the last connection that is closed removes the log by its name, which may be that
   * of another store by now. A lost log is still moved into the file, if nobody else can have opened that.
   */
  async #close(): Promise<void> {
    await this.#writer.close()
    this.#redo.stop()
    try {
      // What a full disk refuses now is flushed at the next start.
      if (!this.#writer.hasFailed) await this.#redo.flushAll()
    } catch (cause) {
      this.#writer.fail(cause)
    }
    const { storeFile, lockFile } = this.#directory
    const isWhole = this.#files.lost() === undefined
    const isOwner = this.#files.lost([storeFile, lockFile]) === undefined
    try {
      await this.#threads.closeCheckpointer()
      if (isWhole) this.#tables.close()
      await this.#threads.closeWriter({ emptiesLog: isOwner && !this.#writer.hasFailed })
    } finally {
      if (isWhole) this.#directory.release()
    }
  }
}

function openView(path: string, writer: SqliteWriter): SqliteView {
  const reader = openReaderConnection(path)
  try {
    return new SqliteView(reader, writer)
  } catch (error) {
    reader.close()
    throw unusableFile(path, error)
  }
}
