// SPDX-License-Identifier: Apache-2.0
import { HttpClient, UnexpectedAnswer } from '../../../load/http-client.ts'
import {
  abortOfCode,
  abortOfLoss,
  type PercoliteAnswer,
  type PercoliteRequest,
  type PercoliteRequests,
} from './percolite-requests.ts'

/** Each request is a `POST /v1/query`, those of open transactions as well. */
export class HttpRequests implements PercoliteRequests {
  readonly #http: HttpClient

  constructor(origin: string, connections: number) {
    this.#http = new HttpClient(origin, connections)
  }

  async ask(
    request: PercoliteRequest,
    { commits = false }: { readonly commits?: boolean } = {},
  ): Promise<PercoliteAnswer> {
    try {
      return JSON.parse(await this.#http.post('/v1/query', JSON.stringify(request)))
    } catch (error) {
      if (error instanceof UnexpectedAnswer) throw abortOfCode(codeOf(error.text), error)
      throw abortOfLoss(error, commits)
    }
  }

  async destroy(): Promise<void> {
    this.#http.close()
  }

  async close(): Promise<void> {
    this.#http.close()
  }
}

function codeOf(text: string): string {
  try {
    return String(JSON.parse(text).code)
  } catch {
    return ''
  }
}
