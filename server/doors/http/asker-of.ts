// SPDX-License-Identifier: Apache-2.0
import type { FastifyRequest } from 'fastify'
import type { Asker } from '../../guard/audit/audit-event.ts'
import type { RunningRequests } from '../../requests/prepared/running-requests.ts'

/**
 * What the audit log says of the sender of a request that is not one of those that run; before it was let in it has no
 * principal.
 */
export function askerOf(
  requests: Pick<RunningRequests, 'callerOf' | 'addressOf'>,
  { raw, routeOptions }: Pick<FastifyRequest, 'raw' | 'routeOptions'>,
): Asker {
  return {
    principal: requests.callerOf(raw).principal,
    address: requests.addressOf(raw),
    operation: routeOptions.config?.operationId ?? 'none',
  }
}
