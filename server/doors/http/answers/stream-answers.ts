// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { IntegerForm } from '../../../../planner/planner.ts'
import { problemOf } from '../../../errors/error-response.ts'
import type { FaultLog } from '../../../errors/fault-log.ts'
import { ClientDisconnected, ServerError } from '../../../errors/server-error.ts'
import type { Audit } from '../../../guard/audit/audit.ts'
import { type AnswerFormat, FORMAT_TYPES } from '../../../requests/answers/answer-format.ts'
import type { AnswerWriter } from '../../../requests/answers/answer-text.ts'
import { csvHeader, csvRows } from '../../../requests/answers/csv-text.ts'
import { chunksOf } from '../../../requests/answers/text-pieces.ts'
import type { RequestAbout, RunningRequest } from '../../../requests/prepared/running-request.ts'
import type { RunningRequests } from '../../../requests/prepared/running-requests.ts'
import type {
  OpenScan,
  ScanStreams,
  StreamedScan,
} from '../../../requests/statements/scan-streams.ts'
import { answerReadTimestamp } from './transaction-answers.ts'

type StreamAnswerDependencies = {
  readonly streams: ScanStreams
  readonly writer: AnswerWriter
  readonly requests: RunningRequests
  readonly audit: Audit
  readonly faults: FaultLog
}

/** Answers one SCAN row by row, as NDJSON or CSV. */
export class StreamAnswers {
  readonly #deps: StreamAnswerDependencies

  constructor(deps: StreamAnswerDependencies) {
    this.#deps = deps
  }

  /**
   * The body of the answer; whatever is wrong before its first row is thrown. What `read` finds to be no SCAN is
   * answered by `otherwise`, if that is given.
   */
  async answer(
    reply: FastifyReply,
    format: AnswerFormat,
    integers: IntegerForm,
    about: RequestAbout,
    read: (running: RunningRequest) => Promise<StreamedScan | undefined>,
    otherwise: () => Promise<unknown> = noScan,
  ): Promise<unknown> {
    const { streams, writer, requests, audit, faults } = this.#deps
    const running = requests.begin(reply.raw, about)
    let streaming = false
    try {
      const requested = await read(running)
      if (requested === undefined) return otherwise()
      const scan = await streams.open(requested, running)
      const failed = (error: unknown) => {
        faults.add(error, 'a stream failed')
        audit.answered(problemOf(error), running)
      }
      const chunks =
        format === 'csv'
          ? csvChunks(scan, failed)
          : ndjsonChunks(scan, { writer, integers, failed })
      answerReadTimestamp(reply, scan.readTimestamp)
      reply.header('content-type', FORMAT_TYPES[format])
      if (reply.request.method === 'HEAD') {
        // The client has gone and would not read the rows.
        scan.close()
        return bodyOfHead()
      }
      streaming = true
      return rowStream(scan, chunks, () => running.end())
    } finally {
      if (!streaming) running.end()
    }
  }
}

/** A text would have a length, and that of a stream is not known. */
export function bodyOfHead(): Readable {
  return Readable.from([])
}

async function noScan(): Promise<never> {
  throw new ServerError('invalid_request', 'A stream is of one SCAN, outside of a transaction.', {
    hint: 'leave the format out, and the answer comes as one JSON text',
  })
}

/** Bytes that wait for a slow reader before no further page is read. */
const WAITING_BYTES = 64 * 1024

/**
 * The rows of a SCAN as the body of an answer. A page is read when the one before has been taken, so
 * that a slow reader costs neither memory nor work; when the reader goes, so does the scan. `ended` is
 * called once, however it ends.
 */
function rowStream(
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
async function* ndjsonChunks(
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
async function* csvChunks(
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
