// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { andThen, type MaybePromise } from '../../../storage/storage.ts'
import { SERVER_RIGHTS } from '../../../storage/tables/tables.ts'
import type { Access } from '../../guard/access/access.ts'
import type { RunningRequests } from '../../requests/prepared/running-requests.ts'
import type { Operation } from './openapi/document.ts'
import type { Right } from './openapi/rights-and-budgets.ts'

/** Pages that are no operations. */
const PAGES = /^\/(?:(?:docs|console)(?:\/|$)|openapi\.|favicon\.|$)/

/** What an operator asks while a store on other machines does not answer. */
const NEVER_WAITING: ReadonlySet<string> = new Set([
  ...['getStatus', 'getMetrics', 'getActivity', 'listGateways', 'listRunning', 'cancelRunning'],
])

/**
 * Lets requests in by the right that their operation declares, and at the rate of their client. Nobody is asked for a
 * token, or counted, by those whose right is `none`, by the documentation and by the files of the console. The
 * handshake of a browser, which cannot send a header, is counted, and shows its token in the first frame. What
 * statements and tables ask for beyond that is the planner's.
 *
 * Throws or rejects as `Access.admit`, and with ServerError `rate_limited` and `not_permitted`.
 */
export function admission(
  operations: readonly Operation[],
  { access, requests }: { readonly access: Access; readonly requests: RunningRequests },
): (request: FastifyRequest) => MaybePromise<void> {
  const rights = new Map(operations.map(({ id, declaration }) => [id, declaration.right]))
  const clientOf = (raw: IncomingMessage) => requests.clientOf(raw)
  return ({ raw, routeOptions }) => {
    const right = rightOf(routeOptions, rights)
    if (right === 'none') return undefined
    const onServer = SERVER_RIGHTS.find((each) => each === right)
    const neverWaits = NEVER_WAITING.has(routeOptions.config?.operationId ?? '')
    const admitted = showsTokenLater(raw, routeOptions)
      ? undefined
      : access.admit(raw, clientOf, neverWaits)
    return andThen(admitted, () => {
      const refusal = requests.rateRefusal(access.of(raw), () => clientOf(raw))
      if (refusal !== undefined) throw refusal
      if (onServer !== undefined) access.requireRight(access.of(raw), onServer)
    })
  }
}

/** Fastify makes them anew whenever a request is asked for them. */
type RouteOptions = FastifyRequest['routeOptions']

/** What is no operation and no page needs a token like all else. */
function rightOf({ url = '', config }: RouteOptions, rights: ReadonlyMap<string, Right>): Right {
  const id = config?.operationId
  if (id === undefined) return url !== '' && PAGES.test(url) ? 'none' : 'any'
  return rights.get(id) ?? 'any'
}

function showsTokenLater({ headers }: IncomingMessage, { config }: RouteOptions): boolean {
  const { upgrade, authorization } = headers
  const isHandshake = config?.operationId === 'openSocket' && upgrade !== undefined
  return isHandshake && authorization === undefined
}
