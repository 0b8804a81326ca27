// SPDX-License-Identifier: Apache-2.0
import { type Database, PercoliteError } from '../../client-sdk/client.ts'
import { byteLines } from './byte-lines.ts'

export type RowFormat = 'ndjson' | 'csv'

/** Which rows are asked for; those of one moment. */
export type RowsWanted = {
  /** All of a table, or those of a condition, in the order of its key; or those of a SCAN. */
  readonly from:
    | { readonly table: string; readonly where?: string | undefined }
    | { readonly sql: string; readonly params?: Readonly<Record<string, unknown>> | undefined }
  readonly format: RowFormat
  /** A stamp in microseconds since 1970, or an ISO time; now where it is undefined. */
  readonly asOf: number | string | undefined
}

/** How long a server may send nothing before its connection is taken for lost. */
const SILENCE_MS_MAX = 300_000

/**
 * The rows as the text of a file; `onRows` is told how many more they are. A stream that does not end as a whole one
 * does rejects with PercoliteError.
 */
export async function* exportedRows(
  db: Database,
  wanted: RowsWanted,
  { signal, onRows }: { readonly signal: AbortSignal; readonly onRows: (rows: number) => void },
): AsyncGenerator<Buffer, void, undefined> {
  const silence = new AbortController()
  const answer = await db.open(...requestOf(wanted), {
    signal: AbortSignal.any([signal, silence.signal]),
    timeoutMs: SILENCE_MS_MAX,
  })
  const chunks = chunksOf(answer, signal, silence)
  yield* wanted.format === 'csv' ? csvText(answer, chunks, onRows) : ndjsonText(chunks, onRows)
}

function requestOf({
  from,
  format,
  asOf,
}: RowsWanted): readonly [method: 'GET' | 'POST', path: string, body: unknown] {
  if ('sql' in from) return ['POST', `/v1/query?format=${format}`, { ...from, asOf }]
  const request = new URLSearchParams({ format, index: 'primary' })
  if (asOf !== undefined) request.set('asOf', String(asOf))
  if (from.where !== undefined) request.set('where', from.where)
  return ['GET', `/v1/tables/${encodeURIComponent(from.table)}/rows?${request}`, undefined]
}

/** Rejects with PercoliteError where the connection is lost, or silent for too long. */
async function* chunksOf(
  { body }: Response,
  signal: AbortSignal,
  silence: AbortController,
): AsyncGenerator<Uint8Array, void, undefined> {
  const timer = setTimeout(() => silence.abort(), SILENCE_MS_MAX)
  try {
    for await (const chunk of body ?? []) {
      timer.refresh()
      yield chunk
    }
  } catch {
    if (signal.aborted) throw signal.reason
    throw connectionLost(silence.signal.aborted ? 'it sent nothing for too long' : 'it broke off')
  } finally {
    clearTimeout(timer)
  }
}

function connectionLost(how: string): PercoliteError {
  const message = `The connection to the server was lost before the last row: ${how}.`
  return new PercoliteError({ code: 'connection_failed', message })
}

const ROW = Buffer.from('{"row":')
const NEWLINE = Buffer.from('\n')

/** What stands behind `"row":`, byte by byte, so that no digit is lost. */
async function* ndjsonText(
  chunks: AsyncIterable<Uint8Array>,
  onRows: (rows: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  let rows = 0
  let isWhole = false
  for await (const lines of byteLines(chunks)) {
    const parts: Buffer[] = []
    for (const line of lines) {
      if (typeof line === 'number') throw new Error('A row is too long to be exported.')
      if (line.subarray(0, ROW.length).equals(ROW)) {
        parts.push(line.subarray(ROW.length, line.length - 1), NEWLINE)
      } else {
        isWhole = isLastLine(line.toString(), rows + parts.length / 2)
      }
    }
    rows += parts.length / 2
    onRows(parts.length / 2)
    yield Buffer.concat(parts)
  }
  if (!isWhole) throw connectionLost('it ended without its last line')
}

/** Whether it says so, and of as many rows. Throws PercoliteError for a line that says what went wrong. */
function isLastLine(line: string, rows: number): boolean {
  const { end, error } = JSON.parse(line)
  if (error === undefined) return end?.rows === rows
  const { code, detail, status: httpStatus, retryable, ...fields } = error
  throw new PercoliteError({ code, message: detail, httpStatus, retryable, fields })
}

const [QUOTE, LINE_END] = [0x22, 0x0a]

/** The text as it is. CSV has no last line; of a known length or in chunks, it breaks off where it is not whole. */
async function* csvText(
  { headers }: Response,
  chunks: AsyncIterable<Uint8Array>,
  onRows: (rows: number) => void,
): AsyncGenerator<Buffer, void, undefined> {
  if (!headers.has('content-length') && !headers.has('transfer-encoding')) {
    const message =
      'The CSV comes by a proxy that does not tell where it ends: use --format ndjson, which has a last line.'
    throw new PercoliteError({ code: 'invalid_answer', message })
  }
  let isQuoted = false
  let isHeader = true
  for await (const chunk of chunks) {
    let lines = 0
    for (const byte of chunk) {
      if (byte === QUOTE) isQuoted = !isQuoted
      else if (byte === LINE_END && !isQuoted) lines += 1
    }
    if (isHeader && lines > 0) {
      isHeader = false
      lines -= 1
    }
    onRows(lines)
    yield Buffer.from(chunk)
  }
}
