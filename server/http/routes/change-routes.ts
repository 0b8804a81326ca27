// SPDX-License-Identifier: Apache-2.0
import type { Parameters } from '../../../planner/planner.ts'
import { FORMAT_TYPES } from '../../answers/answer-format.ts'
import { ClientDisconnected, ServerError } from '../../errors/server-error.ts'
import { HISTORY_HEADER, namedHistory } from '../../history/request-history.ts'
import { parametersOfText } from '../../requests/query-request.ts'
import type { RunningRequests } from '../../requests/running-requests.ts'
import type { ChangeStreams } from '../../subscriptions/change-streams.ts'
import { requireOneBeginning, type SubscriptionRequest } from '../../subscriptions/subscriptions.ts'
import { bodyOfHead } from '../answers/stream-answers.ts'
import type { CheckedRequest, Handlers } from '../openapi/binding.ts'
import { integersOf } from './row-parameters.ts'

export function changeRoutes(parts: {
  readonly streams: ChangeStreams
  readonly requests: RunningRequests
}): Handlers {
  const { streams, requests } = parts
  return {
    async getChanges({ parameters, reply }) {
      const running = requests.begin(reply.raw, {
        operation: 'getChanges',
        statements: () => [String(parameters.sql)],
      })
      const body = await streams.open(subscriptionOf(parameters), running)
      reply.header('content-type', FORMAT_TYPES.ndjson)
      if (reply.request.method !== 'HEAD') return body
      // The client has gone and would not read the lines.
      running.abort(new ClientDisconnected('Only the head was asked for.'))
      body.destroy()
      return bodyOfHead()
    },

    async openSocket({ reply }) {
      reply.header('Upgrade', 'websocket')
      throw new ServerError('upgrade_required', 'Only the handshake of a WebSocket is taken here.')
    },
  }
}

function subscriptionOf(parameters: CheckedRequest['parameters']): SubscriptionRequest {
  const { sql, params, snapshot, since } = parameters
  requireOneBeginning(snapshot === true, since)
  return {
    sql: String(sql),
    integers: integersOf(parameters),
    ...(params === undefined ? {} : { params: readParams(String(params)) }),
    ...(snapshot === true ? { snapshot } : {}),
    ...(since === undefined ? {} : { since: Number(since) }),
    ...namedHistory(parameters[HISTORY_HEADER]),
  }
}

function readParams(text: string): Parameters {
  const params = parametersOfText(text)
  if (params !== undefined) return params
  throw new ServerError('invalid_request', 'params is a JSON object or array.')
}
