// SPDX-License-Identifier: Apache-2.0
import { HttpClient, UnexpectedAnswer } from '../../../load/http-client.ts'
import { abortOfCode, abortOfLoss, type PercoliteRequests } from './percolite-requests.ts'

/** Each request is a `POST /v1/query`, those of open transactions as well. */
export function httpRequests(origin: string, connections: number): PercoliteRequests {
  const http = new HttpClient(origin, connections)
  return {
    async ask(request, { commits = false } = {}) {
      try {
        return JSON.parse(await http.ask('/v1/query', JSON.stringify(request)))
      } catch (error) {
        if (error instanceof UnexpectedAnswer) throw abortOfCode(codeOf(error.text), error)
        throw abortOfLoss(error, commits)
      }
    },
    close: async () => http.close(),
  }
}

function codeOf(text: string): string {
  try {
    return String(JSON.parse(text).code)
  } catch {
    return ''
  }
}
