// SPDX-License-Identifier: Apache-2.0
import { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'
import type { IntegerForm } from '../../../../planner/planner.ts'
import { problemOf } from '../../../errors/error-response.ts'
import type { FaultLog } from '../../../errors/fault-log.ts'
import { ServerError } from '../../../errors/server-error.ts'
import type { Audit } from '../../../guard/audit/audit.ts'
import { type AnswerFormat, FORMAT_TYPES } from '../../../requests/answers/answer-format.ts'
import type { AnswerWriter } from '../../../requests/answers/answer-text.ts'
import type { RequestAbout, RunningRequest } from '../../../requests/prepared/running-request.ts'
import type { RunningRequests } from '../../../requests/prepared/running-requests.ts'
import type { ScanStreams, StreamedScan } from '../../../requests/statements/scan-streams.ts'
import { csvChunks, ndjsonChunks, rowStream } from './row-stream.ts'
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
