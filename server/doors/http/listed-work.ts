// SPDX-License-Identifier: Apache-2.0
import type { FastifyReply } from 'fastify'
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
