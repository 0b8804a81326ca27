// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { MemoryCellStore } from '../../storage/cells/memory/memory-cell-store.ts'
import type { Mutation } from '../../storage/cells/mutation.ts'
import { keyString } from '../../storage/cells/row-key.ts'
import type {
  BatchFailure,
  CarriedOutGroup,
  GroupCommitter,
  LargeBatch,
  StepsBatch,
  WriteBatch,
} from '../../storage/cells/sqlite/groups/write-batch.ts'
import { Memtable } from '../../storage/cells/sqlite/redo/memtable.ts'
import { Redo } from '../../storage/cells/sqlite/redo/redo.ts'
import type {
  Flushed,
  FlushPart,
  RedoRecord,
  RedoThread,
} from '../../storage/cells/sqlite/redo/redo-thread.ts'
import { SqliteWriter } from '../../storage/cells/sqlite/threads/writer.ts'
import { silentLog } from '../../storage/storage-log.ts'

export const failure = (kind: BatchFailure['kind']): BatchFailure => {
  const cause = { message: 'the disk is full', code: 'SQLITE_FULL' }
  return { kind, cause: { ...cause, refusal: undefined, cause: undefined } }
}

/**
 * Sets a cell in each row; with `?` behind it, only where the row has none. With `-` the cell is erased.
 */
export function batchOf(...texts: readonly string[]): StepsBatch {
  const column = { family: 'data', qualifier: '0' } as const
  const steps = texts.map((text) => {
    const [row = '', sign] = text.split(/(?=[?-])/)
    const when = sign === '?' ? [{ family: 'data' } as const] : []
    const timestamps = { from: 1, until: 2 }
    const mutation: Mutation =
      sign === '-'
        ? { kind: 'deleteFromColumn', ...column, timestamps }
        : { kind: 'setCell', ...column, timestamp: 1, value: Buffer.from(text) }
    return { row: Buffer.from(row), when, ifMatched: [], otherwise: [mutation] }
  })
  return { kind: 'steps', steps }
}

/** Stands in for the thread: notes what it is asked, and answers when and as told. */
export class AsksNoted implements GroupCommitter, RedoThread {
  hasRoomForRedoLog = true
  readonly asked: string[] = []
  disk: Promise<void> = Promise.resolve()
  redoResult: BatchFailure | null = null
  /** So long a group of the redo log takes. */
  redoMs = 0
  flushed: () => Promise<Flushed> = async () => ({ failure: null, isDone: true })

  async commitGroup(batches: readonly WriteBatch[]): Promise<CarriedOutGroup> {
    const rows = batches.flatMap((batch): { readonly row: Uint8Array }[] =>
      batch.kind === 'steps' ? [...batch.steps] : [batch],
    )
    this.asked.push(`tables ${rows.map(({ row }) => keyString(row)).join(' ')}`)
    await this.disk
    return { results: batches.map(() => null), ms: 0 }
  }

  async commitLarge({ steps }: LargeBatch) {
    this.asked.push(`tables ${[...steps].map(({ row }) => keyString(row)).join(' ')}`)
    await this.disk
    return { results: [null], ms: 0 }
  }

  async appendRedo(record: RedoRecord): Promise<CarriedOutGroup> {
    const rows = rowsOf(record)
    this.asked.push(`redo ${rows}`)
    await this.disk
    assert.equal(rowsOf(record), rows, 'the memory of a record that is not answered was used again')
    return { results: [this.redoResult], ms: this.redoMs }
  }

  readonly cellsFlushed: number[] = []

  /** A memtable comes with its first part, and no other before that one is done. */
  async flush({ memtable, cells }: FlushPart): Promise<Flushed> {
    assert.equal(memtable === undefined, this.#isFlushing)
    this.#isFlushing = true
    this.asked.push('flush')
    this.cellsFlushed.push(cells)
    const flushed = await this.flushed()
    if (flushed.isDone) this.#isFlushing = false
    return flushed
  }

  #isFlushing = false
}

function rowsOf(record: RedoRecord): string {
  const memtable = Memtable.of(record.packed.length)
  memtable.add(record)
  return [...memtable.keys('', undefined, false)].join(' ')
}

export function givenRedo(t: TestContext, memtableCells?: number) {
  const thread = new AsksNoted()
  const fatal: unknown[] = []
  let dropped = 0
  const redo = new Redo({
    ...{ thread, use: 'always', memtableCells, log: silentLog },
    beforeDrop: () => {
      dropped += 1
    },
    onFailure: (cause) => writer.fail(cause),
  })
  const writer: SqliteWriter = new SqliteWriter({
    redo,
    beforeAnswers: () => {},
    onFatal: (error) => fatal.push(error),
  })
  t.after(() => redo.stop())
  const submit = (...texts: readonly string[]) => writer.submit(batchOf(...texts))
  const view = redo.view(new MemoryCellStore().view)
  const whole = { start: new Uint8Array(), filter: [{ family: 'data' }] } as const
  /** What the memtables have, by rows. */
  const memtables = () =>
    view
      .readChunk({ ...whole, rowsMax: 1_000, bytesMax: 1_000_000 })
      .rows.map(({ cells }) => cells.map(({ value }) => Buffer.from(value).toString()).join())
  return { thread, fatal, redo, writer, submit, memtables, dropped: () => dropped }
}
