// SPDX-License-Identifier: Apache-2.0
import { ServerError } from '../../../errors/server-error.ts'
import type { RouteDependencies } from '../dependencies.ts'
import { listedWork } from '../listed-work.ts'
import type { Handlers } from '../openapi/binding.ts'

/** What is asked of a server that follows another. */
export function standbyRoutes(deps: RouteDependencies): Handlers {
  const { following, requests, audit, availability } = deps
  return {
    async promoteServer({ reply }) {
      return await listedWork(requests, reply, async (running) => {
        if (following === undefined) {
          if (availability.successor !== undefined) throw availability.refusal
          const detail = 'This server follows nobody: it takes writes already.'
          throw new ServerError('not_standby', detail)
        }
        await audit.requireWritable()
        audit.promoted(running, following.state.primary)
        following.promote()
        reply.code(202)
        return { promoting: true, primary: following.state.primary }
      })
    },
  }
}
