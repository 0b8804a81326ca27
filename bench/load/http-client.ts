// SPDX-License-Identifier: Apache-2.0
import { type Dispatcher, Pool } from 'undici'

const HEADERS = { 'content-type': 'application/json' }

/** An answer that is no success: the benchmark's own request was wrong, or the server gave up. */
export class UnexpectedAnswer extends Error {
  override readonly name = 'UnexpectedAnswer'
  readonly status: number
  readonly text: string

  constructor(path: string, status: number, text: string) {
    super(`POST ${path} answered ${status}: ${text.slice(0, 500)}`)
    this.status = status
    this.text = text
  }

  /** Whether a percolite says that the whole transaction may simply be run again. */
  get retryable(): boolean {
    return this.status === 409 && JSON.parse(this.text).retryable === true
  }
}

/**
 * POSTs JSON over connections that stay open, one request at a time on each. It goes below undici's
 * `request`, which makes a stream of every answer: the client would need more CPU than the server.
 */
export class HttpClient {
  readonly #pool: Pool

  constructor(origin: string, connections: number) {
    this.#pool = new Pool(origin, { connections, pipelining: 1 })
  }

  /** The text of the answer. Throws UnexpectedAnswer when its status is not of the 200s. */
  post(path: string, body: string): Promise<string> {
    return new Promise((resolve, reject) => {
      let status = 0
      const chunks: Buffer[] = []
      const handler: Dispatcher.DispatchHandler = {
        onRequestStart() {},
        onResponseStart(_controller, statusCode) {
          status = statusCode
        },
        onResponseData(_controller, chunk) {
          chunks.push(chunk)
        },
        onResponseEnd() {
          const [only] = chunks
          const text = (chunks.length === 1 ? (only as Buffer) : Buffer.concat(chunks)).toString(
            'utf8',
          )
          if (status >= 200 && status < 300) resolve(text)
          else reject(new UnexpectedAnswer(path, status, text))
        },
        onResponseError(_controller, error) {
          reject(error)
        },
      }
      this.#pool.dispatch({ method: 'POST', path, body, headers: HEADERS }, handler)
    })
  }

  /** Does not wait for answers that will never come. */
  async destroy(): Promise<void> {
    await this.#pool.destroy()
  }

  async close(): Promise<void> {
    await this.#pool.close()
  }
}

/** Runs transactions that met too many conflicts in the server again, and counts that. */
export class Retries {
  #count = 0

  async run<Result>(transaction: () => Promise<Result>): Promise<Result> {
    for (;;) {
      try {
        return await transaction()
      } catch (error) {
        if (!(error instanceof UnexpectedAnswer && error.retryable)) throw error
        this.#count += 1
      }
    }
  }

  /** How many since the last call. */
  take(): number {
    const count = this.#count
    this.#count = 0
    return count
  }
}
