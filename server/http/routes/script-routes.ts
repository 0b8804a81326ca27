// SPDX-License-Identifier: Apache-2.0
import type { RunningRequest } from '../../requests/running-request.ts'
import type { RunningRequests } from '../../requests/running-requests.ts'
import type { ScriptRequest, ScriptRunner } from '../../scripts/script-runner.ts'
import type { DescribedStatement } from '../../statements/described-statement.ts'
import { listedWork } from '../listed-work.ts'
import type { Handlers } from '../openapi/binding.ts'

export function scriptRoutes(parts: {
  readonly scripts: ScriptRunner
  readonly describe: (sql: string, running: RunningRequest) => Promise<DescribedStatement>
  readonly requests: RunningRequests
}): Handlers {
  const { scripts, describe, requests } = parts
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
