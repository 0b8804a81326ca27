// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http'
import type { Statement } from '../../parser/ast.ts'
import type { Parser } from '../../parser/parser.ts'
import { JsonSource, type Parameters } from '../../planner/planner.ts'
import type { MaybePromise } from '../../storage/storage.ts'
import type { Access } from '../access/access.ts'
import type { AnswerWriter } from '../answers/answer-text.ts'
import type { QueryOutcome } from '../answers/query-answer.ts'
import type { ReadyAnswer } from '../http/answers/outbox.ts'
import { AboutQuery, answered } from '../http/answers/query-answers.ts'
import { decodeUtf8 } from '../http/bodies/body.ts'
import { preparedScript, scriptWith } from '../requests/prepared-script.ts'
import { checkedParameters, noteParameters } from '../requests/query-request.ts'
import type { RunningRequests } from '../requests/running-requests.ts'
import type { RunResult, StatementRunner } from '../statements/statement-runner.ts'
import type { SeenHead } from './seen-heads.ts'
import type { KnownQuery, StraightReads } from './straight-reads.ts'

type QueriesParts = {
  readonly reads: StraightReads
  readonly parser: Pick<Parser, 'knownScript'>
  readonly access: Pick<Access, 'letIn'>
  readonly requests: RunningRequests
  readonly runner: StatementRunner
  readonly writer: AnswerWriter
}

const NO_PARAMETERS: Parameters = []

/** `POST /v1/query` with nothing but a text that is known, and its parameters. */
export class StraightQueries {
  readonly #parts: QueriesParts

  constructor(parts: QueriesParts) {
    this.#parts = parts
  }

  /**
   * The answer; undefined where the general way has to make it, and nothing has happened yet. Rejects with whatever a
   * transaction can fail by; throws for what the general way refuses.
   */
  answer(
    body: Buffer,
    head: SeenHead,
    response: ServerResponse,
  ): MaybePromise<ReadyAnswer> | undefined {
    const text = decodeUtf8(body)
    const request = JSON.parse(text) as { sql?: unknown; params?: unknown }
    const { sql, params = NO_PARAMETERS } = request
    if (typeof sql !== 'string' || typeof params !== 'object' || params === null) return undefined
    for (const name in request) if (name !== 'sql' && name !== 'params') return undefined
    const statements = this.#parts.parser.knownScript(sql)
    const fields = params === NO_PARAMETERS ? 1 : 2
    const query: KnownQuery = { sql, params: params as Parameters, text, fields }
    if (statements === undefined) return undefined
    const [first, another] = statements
    const read =
      first?.kind === 'get' && another === undefined
        ? this.#parts.reads.query(first, query, head)
        : undefined
    return read ?? this.#ran(statements, query, head, response)
  }

  #ran(
    statements: readonly Statement[],
    query: KnownQuery,
    { isRated, caller }: SeenHead,
    response: ServerResponse,
  ): MaybePromise<ReadyAnswer> | undefined {
    const { access, requests, runner, writer } = this.#parts
    const { sql, params, text } = query
    const parameters = checkedParameters(params)
    const request = params === NO_PARAMETERS ? { sql } : { sql, params }
    noteParameters(request, JsonSource.of(text))
    const prepared = preparedScript(statements)
    const script = prepared === null ? undefined : scriptWith(prepared, parameters)
    const { turnQueue } = requests
    if (
      script === undefined ||
      !(turnQueue.isFree || (runner.isSmall(sql) && turnQueue.isFreeFor(true)))
    ) {
      return undefined
    }
    const { principal, client } = caller
    if (isRated && requests.rateRefusal(principal, () => client) !== undefined) return undefined
    access.letIn(response.req, principal)
    const running = requests.arrivedBy(caller, response, new AboutQuery(request))
    const around = { newRowWriter: writer.rowWriters.number }
    const answerOf = (outcome: RunResult): MaybePromise<ReadyAnswer> => {
      // Nothing is replayed or left open here.
      const made = outcome as QueryOutcome
      const body = writer.answer(made, 'number', running.turns)
      return body instanceof Promise
        ? body.then((coming) => answered(made, coming))
        : answered(made, body)
    }
    let ready: MaybePromise<ReadyAnswer>
    try {
      const outcome = runner.runTransaction(script, request, running, around)
      ready = outcome instanceof Promise ? outcome.then(answerOf) : answerOf(outcome)
    } catch (error) {
      running.end()
      return Promise.reject(error)
    }
    if (ready instanceof Promise) {
      running.armWaiting()
      return ready.finally(() => running.end())
    }
    running.end()
    return ready
  }
}
