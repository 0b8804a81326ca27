// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http'
import type { RunningRequest } from '../../requests/running-request.ts'
import type { RunningRequests } from '../../requests/running-requests.ts'
import type { ScriptRequest, ScriptRunner } from '../../scripts/script-runner.ts'
import type { DescribedStatement } from '../../statements/described-statement.ts'
import type { Handlers } from '../openapi/binding.ts'

export function scriptRoutes(parts: {
  readonly scripts: ScriptRunner
  readonly describe: (sql: string, running: RunningRequest) => Promise<DescribedStatement>
  readonly requests: RunningRequests
}): Handlers {
  const { scripts, describe, requests } = parts
  const run = async <T>(
    operation: string,
    sql: string,
    response: ServerResponse,
    work: (running: RunningRequest) => Promise<T>,
  ): Promise<T> => {
    const running = requests.begin(response, { operation, statements: () => [sql] })
    try {
      return await work(running)
    } finally {
      running.end()
    }
  }
  return {
    async runScript({ body, reply }) {
      const request = body as ScriptRequest
      const answer = await run('runScript', request.sql, reply.raw, (running) =>
        scripts.run(request, running),
      )
      reply.header('content-type', 'application/json; charset=utf-8')
      return `${JSON.stringify(answer)}\n`
    },

    async describeStatement({ body, reply }) {
      const { sql } = body as { readonly sql: string }
      return await run('describeStatement', sql, reply.raw, (running) => describe(sql, running))
    },
  }
}
