// SPDX-License-Identifier: Apache-2.0
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Storage } from '../../../storage/storage.ts'
import type { Asker } from '../../guard/audit/audit-event.ts'
import { type SnapshotRequest, whenVisible } from '../../requests/prepared/request-snapshot.ts'
import type { RequestAbout, RunningRequest } from '../../requests/prepared/running-request.ts'
import type { RunningRequests } from '../../requests/prepared/running-requests.ts'

/** The request by the name of its operation; `statements` are what else those see who list what is running. */
export function aboutRequest(
  { request }: FastifyReply,
  statements?: () => readonly string[],
): RequestAbout {
  const { operationId: operation = 'unknown' } = request.routeOptions.config
  return { operation, ...(statements && { statements }) }
}

/** Does the work of a request, which is listed until that has ended. Rejects as it, and as `RunningRequests.begin`. */
export async function listedWork<T>(
  requests: Pick<RunningRequests, 'begin'>,
  reply: FastifyReply,
  work: (running: RunningRequest) => Promise<T>,
  statements?: () => readonly string[],
): Promise<T> {
  const running = requests.begin(reply.raw, aboutRequest(reply, statements))
  try {
    return await work(running)
  } finally {
    running.end()
  }
}

/** As `whenVisible`, for a request that is one of those that run only while it waits. */
export async function listedUntilVisible(
  {
    requests,
    storage,
  }: {
    readonly requests: Pick<RunningRequests, 'begin'>
    readonly storage: Storage
  },
  reply: FastifyReply,
  snapshot: Omit<SnapshotRequest, 'readOnly'>,
): Promise<void> {
  if (snapshot.minTimestamp === undefined) return
  await listedWork(requests, reply, async (running) => whenVisible(storage, snapshot, running))
}

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
