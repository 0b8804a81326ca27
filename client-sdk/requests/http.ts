// SPDX-License-Identifier: Apache-2.0
import { clientError, errorFromProblem, PercoliteError } from '../errors.ts'
import { type JsonMode, parseKeeping } from '../json-text.ts'
import { originHint } from '../origin-hint.ts'
import type { ServerAddress } from '../server-address.ts'
import { isOfToken } from '../socket/socket-frame.ts'
import type { TokenSource } from '../token-source.ts'
import type { Problem } from '../wire.ts'
import { committedError } from './committed.ts'
import { KnownHistories } from './known-histories.ts'

export type HttpOptions = {
  readonly address: ServerAddress
  readonly tokens: TokenSource
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

type Sent = {
  readonly method: Method
  readonly path: string
  /** Bytes are JSON text, sent as they are. */
  readonly body: unknown
  readonly options: RequestOptions
}

/** One server as seen by `fetch`: JSON goes out and in, a problem or a silence becomes an error. */
export class Http {
  readonly #options: HttpOptions
  #histories = new KnownHistories()
  /** Where the transaction is open, as far as is known; null where it is not about one. */
  #owner: string | undefined | null = null

  constructor(options: HttpOptions) {
    this.#options = options
  }

  /** The same for the requests of one transaction: they go where it is open, once a server has said so. */
  ofTransaction(): Http {
    const own = new Http(this.#options)
    own.#histories = this.#histories
    own.#owner = undefined
    return own
  }

  /**
   * The answer's JSON, undefined where it has no body. Throws a PercoliteError, or the reason of
   * `signal` when that was aborted. Nothing is ever sent twice here, but to where the database has moved, or the
   * transaction is open, and with a new token where the last one is not taken: a server that says so has done nothing.
   */
  async request<Answer>(
    method: Method,
    path: string,
    body?: unknown,
    options: RequestOptions = {},
  ): Promise<Answer> {
    const { answer, unreadable } = await this.exchange<Answer>(method, path, body, options)
    if (unreadable !== undefined) throw unreadable
    return answer
  }

  /**
   * The same, with the headers of the answer. Where they say that a write was committed and the rest cannot
   * be read, because the connection was lost, the signal aborted or a proxy broke it, that is `unreadable`.
   */
  async exchange<Answer>(
    method: Method,
    path: string,
    body?: unknown,
    options: RequestOptions = {},
  ): Promise<Exchanged<Answer>> {
    return await this.#exchange({ method, path, body, options }, async (answer) => {
      return jsonOf(answer, await answer.text(), this.#options.json) as Answer
    })
  }

  /** The answer, whose body is still to be read, however long that takes. Errors are those of `request`. */
  async open(
    method: Method,
    path: string,
    body?: unknown,
    options: RequestOptions = {},
  ): Promise<Response> {
    const sent = { method, path, body, options }
    const { answer, unreadable } = await this.#exchange(sent, async (opened) => {
      if (!opened.ok) jsonOf(opened, await opened.text(), this.#options.json)
      return opened
    })
    if (unreadable !== undefined) throw unreadable
    return answer
  }

  async #exchange<Answer>(
    sent: Sent,
    read: (answer: Response) => Promise<Answer>,
    again: { readonly sentOnTo?: string; readonly isRenewed?: boolean } = {},
  ): Promise<Exchanged<Answer>> {
    const { method, path, body, options } = sent
    const { address, tokens } = this.#options
    const url = again.sentOnTo ?? this.#owner ?? address.url
    const timeout = new AbortController()
    const timeoutMs = options.timeoutMs ?? this.#options.timeoutMs
    const timedOut = () => timeout.abort(clientError('request_timed_out'))
    const timer = setTimeout(timedOut, timeoutMs)
    const signal =
      options.signal === undefined
        ? timeout.signal
        : AbortSignal.any([options.signal, timeout.signal])

    let answer: Response | undefined
    try {
      const token = await tokens.for(url, signal)
      // What the caller gave and cannot be sent is the caller's error, thrown before anything begins.
      const init = { method, headers: this.#headersOf(body, options, token), ...contentOf(body) }
      try {
        answer = await this.#options.fetch(url + path, { ...init, signal })
        const history = answer.headers.get(HISTORY_HEADER)
        this.#histories.told(history)
        const known = await read(answer)
        this.#histories.told(history, known)
        return { answer: known, headers: answer.headers }
      } catch (cause) {
        const elsewhere = again.sentOnTo === undefined ? placeSaid(cause, address) : undefined
        if (elsewhere !== undefined && elsewhere !== url) {
          if (this.#owner !== null) this.#owner = elsewhere
          return await this.#exchange(sent, read, { ...again, sentOnTo: elsewhere })
        }
        // Whoever is not let in has done nothing.
        const isRefused = isOfToken(cause) && again.isRenewed !== true
        if (isRefused && (await tokens.renewed(token, signal)) !== undefined) {
          return await this.#exchange(sent, read, { ...again, isRenewed: true })
        }
        const error = this.#errorOf(cause, signal)
        const commitTimestamp = answer?.ok ? committedAt(answer.headers) : undefined
        if (answer === undefined || commitTimestamp === undefined) throw error
        const unreadable = committedError(error, commitTimestamp)
        return { answer: undefined as Answer, headers: answer.headers, unreadable }
      }
    } finally {
      clearTimeout(timer)
      // It may have gone, and others can tell what became of the transaction.
      if (answer === undefined && this.#owner !== null) this.#owner = undefined
    }
  }

  #errorOf(cause: unknown, signal: AbortSignal): unknown {
    if (cause instanceof PercoliteError) return cause
    return signal.aborted ? signal.reason : silence(this.#options.address.url, cause)
  }

  #headersOf(body: unknown, options: RequestOptions, token: string | undefined): Headers {
    const history = this.#histories.of(body)
    return new Headers({
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
      ...(history === undefined ? {} : { [HISTORY_HEADER]: history }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    })
  }
}

/** Where the server says that this is done, and has done nothing; undefined for every other error. */
function placeSaid(error: unknown, address: ServerAddress): string | undefined {
  if (!(error instanceof PercoliteError)) return undefined
  const { code, fields } = error
  if (code === 'wrong_gateway') return address.ownerAt(fields.url, error)
  if (code !== 'moved') return undefined
  // For everything from now on. A socket may have been sent on before.
  address.moveTo(fields.url)
  return address.url
}

/** Stamps, transactions and cursors of another history are refused by the server, see `docs/http-api.md`. */
const HISTORY_HEADER = 'percolite-history'

/** What a request was answered. */
type Exchanged<Answer> = {
  readonly answer: Answer
  readonly headers: Headers
  readonly unreadable?: PercoliteError
}

/** The stamp at which a write was committed, where the headers of its answer tell it. */
export function committedAt(headers: Headers): number | undefined {
  const stamp = Number(headers.get('percolite-commit-timestamp') ?? Number.NaN)
  return Number.isSafeInteger(stamp) ? stamp : undefined
}

/** The object of an answer, undefined where it has no body. Throws the problem, and `invalid_answer`. */
function jsonOf(answer: Response, text: string, mode: JsonMode | undefined): unknown {
  const json = parseJson(text, mode)
  if (!answer.ok) throw refusal(answer, json, text)
  if (answer.status === 204) return undefined
  if (typeof json !== 'object' || json === null) throw invalidAnswer(answer, text)
  return json
}

function contentOf(body: unknown): Pick<RequestInit, 'body'> {
  if (body === undefined) return {}
  return { body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body) }
}

function silence(base: string, cause: unknown): PercoliteError {
  // Node.js hides the reason (ECONNREFUSED and the like) one level down.
  const reason = cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause
  const words = reason instanceof Error ? reason.message || reason.name : String(reason)
  const { words: hint, ...fields } = originHint(base)
  const message = `No answer from ${base}: ${words}${hint}`
  return clientError('connection_failed', { message, fields, cause })
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
    httpStatus: answer.status,
    fields: { body: text.slice(0, 1000) },
    retryAfterMs: retryAfterMs(answer.headers.get('retry-after')),
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
