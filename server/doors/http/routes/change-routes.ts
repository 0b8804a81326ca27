// SPDX-License-Identifier: Apache-2.0
import type { Parameters, SubscriptionMode } from '../../../../planner/planner.ts'
import type { Timestamp } from '../../../../storage/storage.ts'
import { ClientDisconnected, ServerError } from '../../../errors/server-error.ts'
import { HISTORY_HEADER, namedHistory } from '../../../guard/history/request-history.ts'
import type { ListedSubscription } from '../../../live/subscriptions/subscription-list.ts'
import {
  requireOneBeginning,
  type SubscriptionRequest,
} from '../../../live/subscriptions/subscriptions.ts'
import { FORMAT_TYPES } from '../../../requests/answers/answer-format.ts'
import { parametersOfText } from '../../../requests/prepared/query-request.ts'
import { whenVisible } from '../../../requests/prepared/request-snapshot.ts'
import { bodyOfHead } from '../answers/stream-answers.ts'
import type { RouteDependencies } from '../dependencies.ts'
import { aboutRequest, listedWork } from '../listed-work.ts'
import type { CheckedRequest, Handlers } from '../openapi/binding.ts'
import { integersOf, minTimestampOf } from './row-parameters.ts'

export function changeRoutes({ live, requests, parser, storage }: RouteDependencies): Handlers {
  return {
    async getChanges({ parameters, reply }) {
      const about = aboutRequest(reply, () => [String(parameters.sql)])
      const running = requests.begin(reply.raw, about)
      const wanted = {
        ...minTimestampOf(parameters),
        ...namedHistory(parameters[HISTORY_HEADER]),
      }
      try {
        await whenVisible(storage, wanted, running)
      } catch (error) {
        running.end()
        throw error
      }
      const body = await live.streams.open(subscriptionOf(parameters), running)
      reply.header('content-type', FORMAT_TYPES.ndjson)
      if (reply.request.method !== 'HEAD') return body
      // The client has gone and would not read the lines.
      running.abort(new ClientDisconnected('Only the head was asked for.'))
      body.destroy()
      return bodyOfHead()
    },

    async listSubscriptions({ parameters, reply }) {
      const limit = Number(parameters.limit ?? 100)
      return listedWork(requests, reply, async ({ turns }) => {
        const { subscriptions: open, resolved, total } = await live.subscriptions.list(limit, turns)
        const shapes = new Map<string, string>()
        const shapeOf = (text: string): string => {
          const shape = shapes.get(text) ?? parser.shapeOf(text)
          shapes.set(text, shape)
          return shape
        }
        return { subscriptions: open.map((one) => answerOf(one, { resolved, shapeOf })), total }
      })
    },

    async openSocket({ reply }) {
      reply.header('Upgrade', 'websocket')
      throw new ServerError('upgrade_required', 'Only the handshake of a WebSocket is taken here.')
    },
  }
}

/** `OpenSubscription` of `openapi.yaml`. */
function answerOf(
  { texts, position, ...subscription }: ListedSubscription,
  by: { readonly resolved: Timestamp; readonly shapeOf: (text: string) => string },
) {
  const lagMs = Math.max(0, by.resolved - position) / 1000
  return {
    ...subscription,
    statement: texts.map(by.shapeOf).join('; '),
    // It has none while it reads its snapshot.
    ...(position === 0 ? {} : { position, lagMs }),
  }
}

function subscriptionOf(parameters: CheckedRequest['parameters']): SubscriptionRequest {
  const { sql, params, snapshot, since, view, mode, digest } = parameters
  requireOneBeginning(snapshot === true, since)
  return {
    sql: String(sql),
    integers: integersOf(parameters),
    ...(params === undefined ? {} : { params: readParams(String(params)) }),
    ...(snapshot === true ? { snapshot } : {}),
    ...(since === undefined ? {} : { since: Number(since) }),
    ...(view === undefined ? {} : { view: String(view) }),
    ...(mode === undefined ? {} : { mode: mode as SubscriptionMode }),
    ...(digest === undefined ? {} : { digest: String(digest) }),
    ...namedHistory(parameters[HISTORY_HEADER]),
  }
}

function readParams(text: string): Parameters {
  const params = parametersOfText(text)
  if (params !== undefined) return params
  throw new ServerError('invalid_request', 'params is a JSON object or array.')
}
