// SPDX-License-Identifier: Apache-2.0
import type { RunningRequest } from '../../../requests/prepared/running-request.ts'
import type { ScriptRequest } from '../../../requests/scripts/script-runner.ts'
import type { RouteDependencies } from '../dependencies.ts'
import { listedWork } from '../listed-work.ts'
import type { Handlers } from '../openapi/binding.ts'

export function scriptRoutes({ scripts, describe, requests }: RouteDependencies): Handlers {
  return {
    async runScript({ body, reply }) {
      const request = body as ScriptRequest
      const run = (running: RunningRequest) => scripts.run(request, running)
      const answer = await listedWork(requests, reply, run, () => [request.sql])
      reply.header('content-type', 'application/json; charset=utf-8')
      return `${JSON.stringify(answer)}\n`
    },

    async describeStatement({ body, reply }) {
      const { sql } = body as { readonly sql: string }
      const run = (running: RunningRequest) => describe(sql, running)
      return listedWork(requests, reply, run, () => [sql])
    },
  }
}
