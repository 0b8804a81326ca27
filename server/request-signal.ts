// SPDX-License-Identifier: Apache-2.0
import type { FastifyReply } from 'fastify'
import { ClientDisconnected } from './server-error.ts'

/** Aborted when the client goes away before its answer, or when the server can wait no longer. */
export function requestSignal({ raw }: FastifyReply, stopping: AbortSignal): AbortSignal {
  const gone = new AbortController()
  const leave = () => {
    if (!raw.writableFinished) gone.abort(new ClientDisconnected('The client left.'))
  }
  // It may have gone while its body was being read.
  if (raw.destroyed) leave()
  else raw.once('close', leave)
  return AbortSignal.any([gone.signal, stopping])
}
