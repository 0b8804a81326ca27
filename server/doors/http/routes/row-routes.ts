// SPDX-License-Identifier: Apache-2.0
import type { FastifyReply } from 'fastify'
import { PlanError } from '../../../../planner/planner.ts'
import { sendableLine } from '../../../requests/answers/answer-body.ts'
import { formatOf } from '../../../requests/answers/answer-format.ts'
import { distinctPieces } from '../../../requests/prepared/distinct-pieces.ts'
import { IdempotentRequest } from '../../../requests/prepared/idempotency.ts'
import { meaningless } from '../../../requests/prepared/meaningless-options.ts'
import type { RunningRequest } from '../../../requests/prepared/running-request.ts'
import { type PostMode, writeSeveral } from '../../../requests/rows/posted-rows.ts'
import { RowConditions } from '../../../requests/rows/row-conditions.ts'
import type { RowTransactions, WrittenAnswer } from '../../../requests/rows/row-transactions.ts'
import type { RowObject } from '../../../requests/rows/row-values.ts'
import {
  insertRow,
  mergeRow,
  type RowForm,
  type RowTarget,
  removeRow,
  replaceRow,
  setBytes,
  versionTag,
} from '../../../requests/rows/row-writes.ts'
import { answerCommitTimestamp, answerReadTimestamp } from '../answers/transaction-answers.ts'
import type { RouteDependencies } from '../dependencies.ts'
import { listedWork } from '../listed-work.ts'
import type { CheckedRequest, Handlers } from '../openapi/binding.ts'
import { bytesOfRow } from './bytes-of-row.ts'
import { formOf, minTimestampOf, targetOf } from './row-parameters.ts'
import { conditionOf, oneRow, pageOfRows, streamOfRows } from './row-reads.ts'

/** Rows as resources: the operations on `/v1/tables/{table}/rows`. */
export function rowRoutes(deps: RouteDependencies): Handlers {
  const { rows, writer, requests } = deps

  const running = (
    requested: CheckedRequest,
    work: (running: RunningRequest) => Promise<unknown>,
  ): Promise<unknown> =>
    listedWork(
      requests,
      requested.reply,
      async (request) => {
        const { turns } = request
        if (!turns.mayBegin) await turns.begin()
        return await work(request)
      },
      () => conditionOf(requested),
    )

  /** A write is one transaction, whose answer is kept where the request asks for that. */
  const write = (
    request: CheckedRequest,
    work: (target: RowTarget, form: RowForm, conditions: RowConditions) => Promise<WrittenAnswer>,
  ): Promise<unknown> => {
    const { parameters } = request
    const conditions = new RowConditions(parameters)
    return running(request, async (run) => {
      const { turns } = run
      const key = parameters['Idempotency-Key']
      const idempotent = await IdempotentRequest.of(key, () => identityOf(request), run)
      const form = formOf(writer, parameters, turns)
      const table = String(parameters.table)
      const requested = { ...minTimestampOf(parameters), idempotent, table }
      const written = await rows.write(requested, run, (transaction) =>
        work(targetOf(transaction, parameters), form, conditions),
      )
      return writtenAnswer(request.reply, written)
    })
  }

  return {
    async listRows(request) {
      const { parameters, raw, reply } = request
      const format = formatOf(parameters.format, raw.headers.accept)
      if (parameters.format === undefined) varyBy(reply, 'Accept')
      const answered =
        format === 'json'
          ? running(request, (run) => pageOfRows(deps, request, run))
          : streamOfRows(deps, request, format)
      return answered.catch((error) => {
        throw inPathWords(error)
      })
    },

    async insertRows(request) {
      const { body } = request
      const mode = (request.parameters.mode ?? 'insert') as PostMode
      const overridesGenerated = request.parameters.overriding === 'system'
      if (!Array.isArray(body) && mode !== 'insert') {
        throw meaningless('mode', 'query', 'one row is inserted', 'send a list, or PUT the row')
      }
      return write(request, (target, form) =>
        Array.isArray(body)
          ? writeSeveral(target, body as RowObject[], { mode, overridesGenerated }, form)
          : insertRow(target, body as RowObject, { overridesGenerated }, form),
      )
    },

    async getRow(request) {
      return running(request, (run) => oneRow(deps, request, run))
    },

    async putRow(request) {
      const row = request.body as RowObject
      return write(request, (target, form, conditions) => replaceRow(target, row, conditions, form))
    },

    async patchRow(request) {
      const row = request.body as RowObject
      return write(request, (target, form, conditions) => mergeRow(target, row, conditions, form))
    },

    async getBytes(request) {
      return running(request, (run) => bytesOfRow(deps, request, run))
    },

    async putBytes(request) {
      const { parameters, body } = request
      return write(request, (target, _form, conditions) =>
        setBytes(target, String(parameters.column), body as Buffer, conditions),
      )
    },

    async deleteRow(request) {
      return write(request, (target, _form, conditions) => removeRow(target, conditions))
    },
  }
}

/** A cache may keep the answer for requests that have this header field in common (RFC 9110, 12.5.5). */
function varyBy(reply: FastifyReply, field: string): void {
  const before = reply.getHeader('Vary')
  reply.header('Vary', before === undefined ? field : `${before}, ${field}`)
}

/** What makes it this request and no other; a list, which the body of a query never is. */
function* identityOf({
  raw,
  body,
  parameters,
}: CheckedRequest): Generator<string, void, undefined> {
  const head = [raw.method, raw.url, parameters['If-Match'], parameters['If-None-Match']]
  yield `${JSON.stringify(head).slice(0, -1)},`
  yield* distinctPieces(body ?? null)
  yield ']'
}

function writtenAnswer(
  reply: FastifyReply,
  written: Awaited<ReturnType<RowTransactions['write']>>,
): string | Buffer | undefined {
  const { status, location, body, counts, readTimestamp, commitTimestamp, replayed } = written
  const tag = versionTag(written, commitTimestamp)
  reply.code(status)
  answerReadTimestamp(reply, readTimestamp)
  answerCommitTimestamp(reply, commitTimestamp)
  if (location !== undefined) reply.header('Location', location)
  if (tag !== undefined) reply.header('ETag', tag)
  if (replayed) reply.header('Idempotent-Replayed', 'true')
  if (counts !== undefined) {
    reply.header('Preference-Applied', 'return=minimal')
    return sendableLine(JSON.stringify({ ...counts, commitTimestamp }))
  }
  if (body !== undefined) return sendableLine(body)
  reply.removeHeader('content-type')
  return undefined
}

const LIMIT = ' Or write LIMIT n'
const LIMIT_END = 'are sorted.'
const WALK = 'or write SCAN … FROM '
const TO_WALK = 'to walk the table'

/** An error of a page of rows with a hint in the parameters of its path; any other error as it is. */
function inPathWords(error: unknown): unknown {
  if (!(error instanceof PlanError) || error.hint === undefined) return error
  const { code, message, position, fields } = error
  return new PlanError(code, message, { position, fields, hint: hintOfPath(error.hint) })
}

/** `limit` of a path is that of a page, and sorts nothing; `order` and `index` are ORDER BY and USE. */
function hintOfPath(hint: string): string {
  const limit = hint.indexOf(LIMIT)
  const limitEnd = hint.indexOf(LIMIT_END, limit) + LIMIT_END.length
  const ordered = limit < 0 ? hint : hint.slice(0, limit) + hint.slice(limitEnd)
  const walk = ordered.indexOf(WALK)
  const toWalk = ordered.indexOf(TO_WALK, walk)
  const walked =
    walk < 0 || toWalk < 0
      ? ordered
      : `${ordered.slice(0, walk)}or say index=primary ${ordered.slice(toWalk)}`
  return walked
    .replaceAll('ORDER BY ', 'order=')
    .replaceAll('Leave out the hint', 'Leave out index=')
}
