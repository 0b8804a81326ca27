// SPDX-License-Identifier: Apache-2.0
import { baseUrl } from './base-url.ts'
import { clientError, errorFromProblem, type PercoliteError } from './errors.ts'
import { type JsonMode, parseKeeping } from './json-text.ts'
import type { Problem } from './wire.ts'

export type HttpOptions = {
  readonly url: string
  readonly token?: string | undefined
  readonly fetch: typeof fetch
  /** How long an answer may take, in milliseconds, where a request does not say. */
  readonly timeoutMs: number
  readonly json?: JsonMode | undefined
}

export type RequestOptions = {
  readonly signal?: AbortSignal | undefined
  readonly timeoutMs?: number | undefined
  readonly headers?: Readonly<Record<string, string>>
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One server as seen by `fetch`: JSON goes out and in, a problem or a silence becomes an error. */
export class Http {
  readonly #options: HttpOptions
  readonly #base: string

  constructor(options: HttpOptions) {
    this.#options = options
    this.#base = baseUrl(options.url)
  }

  /**
   * The answer's JSON, undefined where it has no body. Throws a PercoliteError, or the reason of
   * `signal` when that was aborted. Nothing is ever sent twice here.
   */
  async request<Answer>(
    method: Method,
    path: string,
    body?: unknown,
    options: RequestOptions = {},
  ): Promise<Answer> {
    return (await this.exchange<Answer>(method, path, body, options)).answer
  }

  /** The same, with the headers of the answer. */
  async exchange<Answer>(
    method: Method,
    path: string,
    body?: unknown,
    options: RequestOptions = {},
  ): Promise<{ readonly answer: Answer; readonly headers: Headers }> {
    // What the caller gave and cannot be sent is the caller's error, thrown before anything begins.
    const init = { method, headers: this.#headersOf(body, options), ...contentOf(body) }
    const timeout = new AbortController()
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs
    const timer = setTimeout(() => timeout.abort(), timeoutMs)
    const signal =
      options.signal === undefined
        ? timeout.signal
        : AbortSignal.any([options.signal, timeout.signal])

    let answer: Response
    let text: string
    try {
      answer = await this.#options.fetch(this.#base + path, { ...init, signal })
      text = await answer.text()
    } catch (cause) {
      options.signal?.throwIfAborted()
      throw silence(this.#base, timeout.signal.aborted, cause)
    } finally {
      clearTimeout(timer)
    }
    const json = parseJson(text, this.#options.json)
    if (!answer.ok) throw refusal(answer, json, text)
    if (json === undefined && answer.status !== 204) throw invalidAnswer(answer, text)
    return { answer: json as Answer, headers: answer.headers }
  }

  #headersOf(body: unknown, options: RequestOptions): Headers {
    const { token } = this.#options
    return new Headers({
      accept: 'application/json',
      ...options.headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    })
  }
}

function contentOf(body: unknown): { readonly body?: string } {
  return body === undefined ? {} : { body: JSON.stringify(body) }
}

function silence(base: string, timedOut: boolean, cause: unknown): PercoliteError {
  if (timedOut) return clientError('request_timed_out', { cause })
  // Node.js hides the reason (ECONNREFUSED and the like) one level down.
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const words = reason instanceof Error ? reason.message || reason.name : String(reason)
  return clientError('connection_failed', { message: `No answer from ${base}: ${words}`, cause })
}

function refusal(answer: Response, json: unknown, text: string): PercoliteError {
  if (!isProblem(json)) return invalidAnswer(answer, text)
  return errorFromProblem(json, retryAfterMs(answer.headers.get('retry-after')))
}

/** `Retry-After` is a number of seconds, or a date. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined
}

function invalidAnswer(answer: Response, text: string): PercoliteError {
  return clientError('invalid_answer', {
    message: `The answer (status ${answer.status}) is not one of a Percolite server.`,
    status: answer.status,
    fields: { body: text.slice(0, 1000) },
  })
}

function isProblem(json: unknown): json is Problem {
  if (typeof json !== 'object' || json === null) return false
  const { code, status } = json as Partial<Problem>
  return typeof code === 'string' && typeof status === 'number'
}

function parseJson(text: string, mode: JsonMode | undefined): unknown {
  try {
    return parseKeeping(text, mode)
  } catch {
    return undefined
  }
}
