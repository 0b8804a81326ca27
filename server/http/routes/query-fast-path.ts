// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http'
import type { onRequestHookHandler } from 'fastify'
import { FORMAT_TYPES, isJsonWanted } from '../../answers/answer-format.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import type { QueryRequest } from '../../requests/query-request.ts'
import { asksForMore, type NamedHistory } from '../../straight/plain-head.ts'
import type { Outbox, ReadyAnswer } from '../answers/outbox.ts'
import type { QueryAnswers } from '../answers/query-answers.ts'
import { parseJson, parseLargeJson } from '../bodies/body.ts'
import type { LargeBodies } from '../bodies/large-bodies.ts'
import { WholeRequest } from '../bodies/whole-request.ts'
import type { SentAnswer } from '../openapi/answer-check.ts'
import { type BodyCheck, JSON_TYPE } from '../openapi/binding.ts'

/**
 * The way that nearly every request takes: statements as JSON, by `POST /v1/query`, with no header that
 * asks for more. Once the hooks of all requests have let it pass, its body is read and its answer written
 * on Node's own request and response, because Fastify's parsing of bodies and its replies cost more than a
 * GET by its key. Whatever is not plain goes on to the ordinary route, and an error goes back to Fastify:
 * what is refused, and in which words, is decided there for both.
 */
export function queryFastPath(parts: {
  readonly answers: QueryAnswers
  readonly outbox: Outbox
  readonly largeBodies: Pick<LargeBodies, 'isLarge' | 'turn'>
  readonly history: NamedHistory
  /** Told of each answer before it is sent, because hooks of Fastify see none of them. */
  readonly answered: (sent: SentAnswer, request: IncomingMessage) => void
}): (checkBody: BodyCheck) => onRequestHookHandler {
  const { answers, outbox, answered, largeBodies, history } = parts

  const told = (ready: ReadyAnswer, request: IncomingMessage): ReadyAnswer => {
    const { status, body } = ready
    answered({ status, contentType: FORMAT_TYPES.json, body }, request)
    return ready
  }

  return (checkBody) => (request, reply, done) => {
    const { raw } = request
    // Every request of our server is a WholeRequest.
    if (!(raw instanceof WholeRequest) || !isPlain(raw, history)) {
      done()
      return
    }
    const failed = (error: unknown) => done(error as Error)
    const answer = (body: unknown) => {
      try {
        const query = checkBody(body) as QueryRequest
        const ready = answers.of(query, reply.raw)
        // What had to be waited for is sent at once. The commits of a group are answered in one turn, and
        // its first clients ask again, on another core, while the last ones are still being answered.
        if (ready instanceof Promise) {
          ready.then((later) => outbox.send(reply.raw, told(later, raw))).catch(failed)
        } else outbox.post(reply.raw, told(ready, raw))
      } catch (error) {
        failed(error)
      }
    }
    // Node hands over as many bytes as were announced, or never comes to the end.
    raw.readWhole((bytes) => {
      try {
        if (!largeBodies.isLarge(bytes.length)) answer(parseJson(bytes))
        else parseLargeJson(bytes, () => largeBodies.turn(raw)).then(answer, failed)
      } catch (error) {
        failed(error)
      }
    })
  }
}

function isPlain({ url, headers }: IncomingMessage, history: NamedHistory): boolean {
  if (url !== '/v1/query' || headers['content-type'] !== JSON_TYPE) return false
  if (!isJsonWanted(headers.accept) || asksForMore(headers, history)) return false
  return Number(headers['content-length']) <= SERVER_LIMITS.bodyBytesMax
}
