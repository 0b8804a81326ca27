// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import { andThen, type MaybePromise, SERVER_RIGHTS } from '../../storage/storage.ts'
import type { Access } from '../access/access.ts'
import type { RunningRequests } from '../requests/running-requests.ts'
import type { Operation } from './openapi/document.ts'
import type { Right } from './openapi/rights-and-budgets.ts'

/** Pages that are no operations. */
const PAGES = /^\/(?:docs(?:\/|$)|openapi\.|favicon\.|$)/

/**
 * Lets requests in by the right that their operation declares. Nobody is asked for a token by those whose right is
 * `none`, by the documentation, and by the handshake of a browser, which cannot send a header and shows its token in
 * the first frame. What statements and tables ask for beyond that is the planner's.
 *
 * Throws or rejects as `Access.admit`, and with ServerError `not_permitted`.
 */
export function admission(
  operations: readonly Operation[],
  { access, requests }: { readonly access: Access; readonly requests: RunningRequests },
): (request: FastifyRequest) => MaybePromise<void> {
  const rights = new Map(operations.map(({ id, declaration }) => [id, declaration.right]))
  const clientOf = (raw: IncomingMessage) => requests.clientOf(raw)
  return (request) => {
    const right = rightOf(request, rights)
    if (right === 'none') return undefined
    const admitted = access.admit(request.raw, clientOf)
    const onServer = SERVER_RIGHTS.find((each) => each === right)
    if (onServer === undefined) return admitted
    return andThen(admitted, () => access.requireRight(access.of(request.raw), onServer))
  }
}

/** What is no operation and no page needs a token like all else. */
function rightOf({ raw, routeOptions }: FastifyRequest, rights: ReadonlyMap<string, Right>): Right {
  const { url = '', config } = routeOptions
  const id = config?.operationId
  if (id === undefined) return url !== '' && PAGES.test(url) ? 'none' : 'any'
  const { upgrade, authorization } = raw.headers
  const isOfBrowser = id === 'openSocket' && upgrade !== undefined && authorization === undefined
  return isOfBrowser ? 'none' : (rights.get(id) ?? 'any')
}
