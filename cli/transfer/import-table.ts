// SPDX-License-Identifier: Apache-2.0
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Database } from '../../client-sdk/client.ts'
import { hashOfFile } from '../../storage/operations/operations.ts'
import type { Input } from '../command.ts'
import { csvRows } from './csv-rows.ts'
import type { RowFormat } from './export-rows.ts'
import { ndjsonRows } from './ndjson-rows.ts'
import type { RefusedRows } from './refused-rows.ts'
import { type ImportMode, RowSender } from './row-sender.ts'
import { type Batch, batchesOf, SourceBroken, type SourcePlace } from './source-row.ts'
import type { TransferProgress } from './transfer-progress.ts'

/** How all files of one call are imported. */
export type ImportOptions = {
  readonly mode: ImportMode
  readonly batchRows: number
  /** Batches in progress at a time. */
  readonly parallel: number
  readonly delimiter: string
  readonly nullText: string | undefined
  readonly retryMs: number
}

export type ImportDependencies = {
  readonly db: Database
  readonly options: ImportOptions
  readonly refused: RefusedRows
  readonly progress: TransferProgress
  /** Told of a definition that was not made, because its name is taken. */
  readonly onLeft: (statement: string) => void
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
  /** What has been done for each table so far, whatever becomes of the rest. */
  readonly imported: ImportedTable[]
}

/** Rows for one table: a file by its path, or what comes in. */
export type ImportSource = {
  readonly table: string
  readonly from: string | Input
  readonly format: RowFormat
  readonly isZipped: boolean
}

export type ImportedTable = {
  readonly table: string
  written: number
  skipped: number
  replayed: number
}

/** An import that ended before its source did. Its `cause` is why. */
export class ImportBroken extends Error {
  /** `-` for what comes in. */
  readonly file: string
  /** Unknown where not even a text could be read. All rows before it have been sent. */
  readonly place: SourcePlace | undefined

  constructor(cause: unknown, file: string, place: SourcePlace | undefined) {
    super(cause instanceof Error ? cause.message : String(cause), { cause })
    this.file = file
    this.place = place
  }
}

type TableFacts = {
  readonly id: string

  readonly columns: ReadonlyArray<{
    readonly name: string
    readonly type: string
    readonly default?: { readonly identity?: string }
  }>
}

/**
 * Resolves when the source ends, when too many rows were refused, or when the signal is aborted, each time without a
 * batch in progress. Rejects with PercoliteError where nothing was begun, and with ImportBroken.
 */
export async function importTable(deps: ImportDependencies, source: ImportSource): Promise<void> {
  const { db, options, refused, progress, signal, imported } = deps
  const { table } = source
  const facts = await db.request<TableFacts>('GET', `/v1/tables/${encodeURIComponent(table)}`)
  const counts: ImportedTable = { table, written: 0, skipped: 0, replayed: 0 }
  imported.push(counts)
  const stop = new AbortController()
  const ending = AbortSignal.any([signal, stop.signal])
  const endIfTooMany = () => {
    progress.rows += 1
    if (refused.areTooMany) stop.abort()
  }
  const unsent = new Unsent()
  const sender = new RowSender(db, {
    table,
    mode: options.mode,
    // The rows of a file have had their numbers before.
    overridesGenerated: facts.columns.some((column) => column.default?.identity === 'always'),
    keyPrefix: await keyPrefixOf({ ...source, tableId: facts.id }, options.mode, ending),
    signal: ending,
    retryMs: options.retryMs,
    onDone: ({ written, skipped, replayed }) => {
      counts.written += written
      counts.skipped += skipped
      counts.replayed += replayed
      progress.rows += written + skipped + replayed
    },
    onUnsent: (row) => unsent.add(row),
    onRefused: (row, error) => {
      refused.addRefused(row, error)
      endIfTooMany()
    },
  })
  const running = new Set<Promise<void>>()
  const launch = (batch: Batch) => {
    const done = sender
      .send(batch)
      .catch((error: unknown) => {
        unsent.fail(error, batch[0])
        stop.abort()
      })
      .finally(() => running.delete(done))
    running.add(done)
  }
  try {
    for await (const each of batchesOf(rowsOf(source, facts, deps), options.batchRows)) {
      if (ending.aborted) break
      if ('problem' in each) {
        refused.addBad(each)
        endIfTooMany()
        continue
      }
      launch(each)
      while (running.size >= options.parallel) await Promise.race(running)
    }
  } catch (error) {
    unsent.fail(error, error instanceof SourceBroken ? error.place : undefined)
  } finally {
    await Promise.all(running)
  }
  unsent.throwIfFailed(source)
}

/** Why an import broke off, and the first place of which not everything was sent. */
class Unsent {
  #failure: { readonly error: unknown } | undefined
  #first: SourcePlace | undefined

  add(place: SourcePlace): void {
    if (place.byte < (this.#first?.byte ?? Number.POSITIVE_INFINITY)) this.#first = place
  }

  fail(error: unknown, place: SourcePlace | undefined): void {
    this.#failure ??= { error }
    if (place !== undefined) this.add(place)
  }

  throwIfFailed({ from }: ImportSource): void {
    if (this.#failure === undefined) return
    const file = typeof from === 'string' ? from : '-'
    throw new ImportBroken(this.#failure.error, file, this.#first)
  }
}

type Rows = ReturnType<typeof ndjsonRows>

function rowsOf(source: ImportSource, { columns }: TableFacts, deps: ImportDependencies): Rows {
  const chunks = chunksOf(source, deps.progress)
  if (source.format === 'ndjson') return ndjsonRows(chunks)
  const types = new Map(columns.map(({ name, type }) => [name, type]))
  return csvRows(chunks, { ...deps.options, types })
}

/**
 * Rows that are inserted have the keys of their file and table, so that an import that was cut off goes on when it is
 * started again. To put rows or to leave them out again does no harm, and may be meant: then the keys are of this run.
 */
async function keyPrefixOf(
  { from, tableId }: ImportSource & { readonly tableId: string },
  mode: ImportMode,
  signal: AbortSignal,
): Promise<string> {
  if (typeof from !== 'string' || mode !== 'insert') return `import-${randomUUID()}`
  const { sha256 } = await hashOfFile(from, signal)
  return `import-${createHash('sha256').update(`${sha256} ${tableId}`).digest('hex')}`
}

async function* chunksOf(
  { from, isZipped }: ImportSource,
  progress: TransferProgress,
): AsyncGenerator<Uint8Array, void, undefined> {
  const input = typeof from === 'string' ? createReadStream(from) : from
  async function* counted() {
    for await (const chunk of input) {
      const bytes = Buffer.from(chunk)
      progress.bytes += bytes.length
      yield bytes
    }
  }
  if (isZipped) yield* unzipped(counted())
  else yield* counted()
}

async function* unzipped(chunks: AsyncIterable<Buffer>) {
  const gunzip = createGunzip()
  // What it rejects with comes out of the stream as well.
  pipeline(chunks, gunzip).catch(() => undefined)
  try {
    yield* gunzip
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code?.startsWith('Z_') !== true) throw error
    throw new Error(`The compressed file is cut off or damaged: ${message}.`, { cause: error })
  }
}
