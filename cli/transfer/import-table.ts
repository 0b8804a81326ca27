// SPDX-License-Identifier: Apache-2.0
import { createHash, randomUUID } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import type { Database } from '../../client-sdk/client.ts'
import { hashOfFile } from '../../storage/storage.ts'
import type { Input } from '../command.ts'
import { csvRows } from './csv-rows.ts'
import type { RowFormat } from './export-rows.ts'
import { ndjsonRows } from './ndjson-rows.ts'
import type { RefusedRows } from './refused-rows.ts'
import { type ImportMode, RowSender } from './row-sender.ts'
import { batchesOf } from './source-row.ts'
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

export type ImportParts = {
  readonly db: Database
  readonly options: ImportOptions
  readonly refused: RefusedRows
  readonly progress: TransferProgress
  /** Told of a definition that was not made, because its name is taken. */
  readonly onLeft: (statement: string) => void
  /** Aborted by Ctrl-C. */
  readonly signal: AbortSignal
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
  readonly written: number
  readonly skipped: number
  readonly replayed: number
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
 * batch in progress. Rejects with PercoliteError, and what is wrong with the file.
 */
export async function importTable(
  { db, options, refused, progress, signal }: ImportParts,
  source: ImportSource,
): Promise<ImportedTable> {
  const { table } = source
  const facts = await db.request<TableFacts>('GET', `/v1/tables/${encodeURIComponent(table)}`)
  const counts = { written: 0, skipped: 0, replayed: 0 }
  const stop = new AbortController()
  const ending = AbortSignal.any([signal, stop.signal])
  const endIfTooMany = () => {
    progress.rows += 1
    if (refused.areTooMany) stop.abort()
  }
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
    onRefused: (row, error) => {
      refused.addRefused(row, error)
      endIfTooMany()
    },
  })
  const chunks = chunksOf(source, progress)
  const rows =
    source.format === 'csv'
      ? csvRows(chunks, {
          ...options,
          types: new Map(facts.columns.map(({ name, type }) => [name, type])),
        })
      : ndjsonRows(chunks)
  const running = new Set<Promise<void>>()
  let failure: { readonly error: unknown } | undefined
  const launch = (work: Promise<void>) => {
    const done = work
      .catch((error: unknown) => {
        failure ??= { error }
        stop.abort()
      })
      .finally(() => running.delete(done))
    running.add(done)
  }
  try {
    for await (const each of batchesOf(rows, options.batchRows)) {
      if (ending.aborted) break
      if ('problem' in each) {
        refused.addBad(each)
        endIfTooMany()
        continue
      }
      launch(sender.send(each))
      while (running.size >= options.parallel) await Promise.race(running)
    }
  } finally {
    await Promise.all(running)
  }
  if (failure !== undefined) throw failure.error
  return { table, ...counts }
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
  yield* gunzip
}
