// SPDX-License-Identifier: Apache-2.0
import type { Parser } from '../../../../parser/parser.ts'
import { ServerError } from '../../../errors/server-error.ts'
import {
  type RunningRequest,
  statementCancelled,
} from '../../../requests/prepared/running-request.ts'
import { askerOf } from '../asker-of.ts'
import type { RouteDependencies } from '../dependencies.ts'
import type { Handlers } from '../openapi/binding.ts'

/** Statements of one request whose shapes are shown. */
const SHAPES_MAX = 10

/** What is running now, and how it is ended. */
export function runningRoutes({ requests, parser, audit }: RouteDependencies): Handlers {
  return {
    async listRunning({ parameters }) {
      const running = requests.list()
      const limit = Number(parameters.limit ?? 100)
      const shown = running.slice(0, limit).map((request) => answerOf(request, parser))
      return { running: shown, total: running.length }
    },

    async cancelRunning({ parameters, reply }) {
      const id = String(parameters.id)
      const request = requests.find(id)
      if (request === undefined) throw notRunning(id)
      request.abort(statementCancelled())
      const of = request.principal?.id
      const names = { running: id, ...(of === undefined ? {} : { of }) }
      audit.interrupted(askerOf(requests, reply.request), names)
      reply.code(204)
      return undefined
    },
  }
}

/** `RunningStatement` of `openapi.yaml`. */
function answerOf(request: RunningRequest, parser: Pick<Parser, 'shapeOf'>) {
  const { id, operation, client, state, ageMs } = request
  const texts = request.statements()
  const shapes = texts.slice(0, SHAPES_MAX).map((text) => parser.shapeOf(text))
  if (texts.length > SHAPES_MAX) shapes.push('…')
  const listed = { id, operation, client, state, ageMs: Math.round(ageMs) }
  return shapes.length === 0 ? listed : { ...listed, statement: shapes.join('; ') }
}

function notRunning(id: string): ServerError {
  return new ServerError('unknown_statement', 'Nothing with this id is running, or not any more.', {
    id: id.slice(0, 100),
    hint: 'GET /v1/running lists what is',
  })
}
