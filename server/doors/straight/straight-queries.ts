// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http'
import type { Statement } from '../../../parser/ast.ts'
import type { Parser } from '../../../parser/parser.ts'
import { JsonSource, noteSource, type Parameters } from '../../../planner/planner.ts'
import type { MaybePromise } from '../../../storage/storage.ts'
import type { Access } from '../../guard/access/access.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import type { QueryRequest } from '../../requests/prepared/query-request.ts'
import type { RunningRequests } from '../../requests/prepared/running-requests.ts'
import type { ReadyAnswer } from '../http/answers/outbox.ts'
import type { QueryAnswers } from '../http/answers/query-answers.ts'
import { checkShape, decodeUtf8 } from '../http/bodies/body.ts'
import { type SeenHead, transactionOf } from './seen-heads.ts'
import type { StraightReads } from './straight-reads.ts'
import type { StraightWrite, StraightWrites } from './straight-writes.ts'

type QueriesDependencies = {
  readonly reads: StraightReads
  readonly writes: StraightWrites
  readonly parser: Pick<Parser, 'knownScript'>
  readonly access: Pick<Access, 'letIn'>
  readonly requests: RunningRequests
  readonly answers: QueryAnswers
  /** Throws for a body that is not of the operation's schema for JSON. */
  readonly checkBody: (operation: string, body: unknown) => void
}

/** A body that is a request, its text, and how many names are in it where they were counted. */
type ReadBody = {
  readonly request: QueryRequest
  readonly text: string
  readonly names: number | undefined
}

const NO_PARAMETERS: Parameters = []

/** `POST /v1/query`, and the same inside an open transaction. */
export class StraightQueries {
  readonly #deps: QueriesDependencies

  constructor(deps: QueriesDependencies) {
    this.#deps = deps
  }

  /**
   * The answer; undefined where the general way has to make it, and nothing has happened yet. Rejects with whatever a
   * request can fail by that runs; throws for what the general way refuses.
   */
  answer(
    body: Buffer,
    head: SeenHead,
    response: ServerResponse,
  ): MaybePromise<ReadyAnswer> | undefined {
    const { reads, writes, parser, access, requests, checkBody } = this.#deps
    const text = decodeUtf8(body)
    const isShort = head.isText || text.length <= SERVER_LIMITS.bodyNestingMax
    const names = isShort ? undefined : checkShape(text)
    const request = head.isText ? { sql: text } : JSON.parse(text)
    const { sql, params = NO_PARAMETERS, integers = 'number' } = request
    let isPlain = typeof sql === 'string' && typeof params === 'object' && integers === 'number'
    let fields = 0
    for (const name in request) {
      fields += 1
      if (name !== 'sql' && name !== 'params' && name !== 'integers') isPlain = false
    }
    const known = isPlain && params !== null ? parser.knownScript(sql) : undefined
    let write: StraightWrite | undefined
    if (known === undefined) {
      // A text that is wrong as one, and what names a history beside the head, are told of by the general way.
      if (head.isText || request.history !== undefined) return undefined
      checkBody(head.operation, request)
    } else if (head.operation === 'query' && known.length === 1) {
      const requested = head.isText
        ? { sql, params, text: '', fields: 0 }
        : { sql, params, text, fields, names }
      const statement = known[0] as Statement
      const isRead = statement.kind === 'get' || statement.kind === 'scan'
      const read = isRead ? reads.query(statement, requested, head) : undefined
      if (read !== undefined) return read
      if (statement.kind === 'set') write = writes.of(statement, requested, head)
    }
    const { isRated, caller } = head
    const { principal, client } = caller
    if (isRated && requests.rateRefusal(principal, () => client) !== undefined) return undefined
    access.letIn(response.req, principal)
    if (write === undefined) return this.#general({ request, text, names }, head, response)
    return writes
      .run(write, head, response)
      .then((answer) => answer ?? this.#general({ request, text, names }, head, response))
  }

  #general(
    { request, text, names }: ReadBody,
    { isText, operation, caller }: SeenHead,
    response: ServerResponse,
  ): MaybePromise<ReadyAnswer> {
    const { answers } = this.#deps
    if (!isText) noteSource(request, JsonSource.of(text, names))
    try {
      if (operation === 'query') return answers.of(request, response, { caller })
      const transaction = transactionOf(response.req.url as string)
      return answers.of({ ...request, transaction }, response, { caller })
    } catch (error) {
      return Promise.reject(error)
    }
  }
}
