// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream'
import type { IntegerForm } from '../../../../planner/planner.ts'
import { problemOf } from '../../../errors/error-response.ts'
import { ClientDisconnected } from '../../../errors/server-error.ts'
import type { AnswerWriter } from '../../../requests/answers/answer-text.ts'
import { csvHeader, csvRows } from '../../../requests/answers/csv-text.ts'
import { chunksOf } from '../../../requests/answers/text-pieces.ts'
import type { OpenScan } from '../../../requests/statements/scan-streams.ts'

/** Bytes that wait for a slow reader before no further page is read. */
const WAITING_BYTES = 64 * 1024

/**
 * The rows of a SCAN as the body of an answer. A page is read when the one before has been taken, so
 * that a slow reader costs neither memory nor work; when the reader goes, so does the scan. `ended` is
 * called once, however it ends.
 */
export function rowStream(
  scan: OpenScan,
  chunks: AsyncGenerator<string, void, undefined>,
  ended: () => void,
): Readable {
  const stream = Readable.from(chunks, { objectMode: false, highWaterMark: WAITING_BYTES })
  // Not in the generator, which never runs where the reader went before the first byte.
  stream.once('close', () => {
    scan.close()
    ended()
  })
  return stream
}

/**
 * `{"row":…}` line by line, and a last line `{"end":…}`: without it the rows are not all. What goes
 * wrong on the way is a last line `{"error":…}`; nothing is run again, for rows have been sent.
 */
export async function* ndjsonChunks(
  scan: OpenScan,
  writing: {
    readonly writer: AnswerWriter
    readonly integers: IntegerForm
    readonly failed: (error: unknown) => void
  },
): AsyncGenerator<string, void, undefined> {
  let rows = 0
  try {
    for await (const page of scan.pages()) {
      rows += page.rows.length
      yield* chunksOf(writing.writer.lines(page, writing.integers))
    }
  } catch (error) {
    if (error instanceof ClientDisconnected) throw error
    writing.failed(error)
    yield `${JSON.stringify({ error: problemOf(error) })}\n`
    return
  }
  yield `${JSON.stringify({ end: { rows, readTimestamp: scan.readTimestamp } })}\n`
}

/** CSV has no place for an error: the connection is broken off, which no reader takes for the end. */
export async function* csvChunks(
  scan: OpenScan,
  failed: (error: unknown) => void,
): AsyncGenerator<string, void, undefined> {
  yield csvHeader(scan)
  try {
    for await (const page of scan.pages()) {
      yield* chunksOf(csvRows(page))
    }
  } catch (error) {
    failed(error)
    throw error
  }
}
