// SPDX-License-Identifier: Apache-2.0
import { HttpConnection } from './http-connection.ts'
import { Pool } from './pool.ts'

/** An answer that is no success: the benchmark's own request was wrong, or the server gave up. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer'
  readonly status: number
  readonly text: string

  constructor(path: string, status: number, text: string) {
    super(`${path} answered ${status}: ${text.slice(0, 500)}`)
    this.status = status
    this.text = text
  }

  /** Whether a percolite says that the whole transaction may simply be run again. */
  get retryable(): boolean {
    return this.status === 409 && JSON.parse(this.text).retryable === true
  }
}

/** Asks for JSON over connections that stay open, one request at a time on each. */
export class HttpClient {
  readonly #connections: Pool<HttpConnection>

  constructor(origin: string, connections: number, token?: string) {
    const url = new URL(origin)
    const all = Array.from({ length: connections }, () => new HttpConnection(url, token))
    this.#connections = new Pool(all)
  }

  /** The text of the answer to a POST of this body, or to a GET. Throws UnexpectedAnswer for a status beyond 299. */
  ask(path: string, body?: string): Promise<string> {
    return this.#connections.use(async (connection) => {
      const { status, text } = await connection.ask(path, body)
      if (status < 300) return text
      throw new UnexpectedAnswer(path, status, text)
    })
  }

  /** Does not wait for answers that are still to come. */
  close(): void {
    for (const connection of this.#connections.all) connection.close()
  }
}

/** Runs transactions again that have changed nothing and say that they may be, and counts that. */
export class Retries {
  #count = 0

  async run<Result>(transaction: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await transaction()
      } catch (error) {
        if ((error as { retryable?: unknown } | null)?.retryable !== true) throw error
        this.#count += 1
      }
    }
  }

  /** Those that were run again elsewhere, such as by the server. */
  add(count: number): void {
    this.#count += count
  }

  /** How many since the last call. */
  take(): number {
    const count = this.#count
    this.#count = 0
    return count
  }
}
