// SPDX-License-Identifier: Apache-2.0
import { eitherSignal } from '../backoff.ts'
import { clientError, errorFromProblem, hasCode, PercoliteError, wordsOf } from '../errors.ts'
import { type JsonMode, parseKeeping } from '../json-text.ts'
import { noAnswer } from '../no-answer.ts'
import { besides, type ServerAddress } from '../server-address.ts'
import { isNotPrimary, isOfToken } from '../socket/socket-frame.ts'
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
  /** Those that are undefined are not sent. */
  readonly headers?: Readonly<Record<string, string | undefined>>
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** One server as seen by `fetch`: JSON goes out and in, a problem or a silence becomes an error. */
export class Http {
  readonly #options: HttpOptions
  #histories = new KnownHistories()
  /** Where a server has said that the transaction is open, or where it began; null where it is not about one. */
  #owner: string | undefined | null = null

  constructor(options: HttpOptions) {
    this.#options = options
  }

  /** The same for the requests of one transaction: they go where it was begun, or a server says that it is open. */
  ofTransaction(url: string): Http {
    const own = new Http(this.#options)
    own.#histories = this.#histories
    own.#owner = url
    return own
  }

  /**
   * The answer's JSON, undefined where it has no body. Throws a PercoliteError, or the reason of
   * `signal` when that was aborted. Nothing is ever sent twice here, but to where the database has moved, or the
   * transaction is open, and with a new token where the last one is not taken: a server that says so has done nothing.
   * To the next address once each, as `#nextAfter` has it.
   */
  async request<Answer>(
    method: Method,
    path: string,
    body?: unknown,
    options?: RequestOptions,
  ): Promise<Answer> {
    return answerOf(await this.exchange<Answer>(method, path, body, options))
  }

  /** The answer, whose body is still to be read, however long that takes. Errors are those of `request`. */
  async open(
    method: Method,
    path: string,
    body?: unknown,
    options?: RequestOptions,
  ): Promise<Response> {
    return answerOf(await this.exchange<Response>(method, path, body, options, true))
  }

  /**
   * As `request`, with the headers of the answer. Where they say that a write was committed and the rest cannot
   * be read, because the connection was lost, the signal aborted or a proxy broke it, that is `unreadable`.
   */
  async exchange<Answer>(
    method: Method,
    path: string,
    body?: unknown,
    options: RequestOptions = {},
    isOpened = false,
  ): Promise<Exchanged<Answer>> {
    const { address, tokens, timeoutMs } = this.#options
    const limitMs = options.timeoutMs ?? timeoutMs
    const isFree = this.#owner === null
    const isRepeatable = method === 'GET' || (isFree && options.headers?.['idempotency-key'])
    const tried = new Set<string>()
    const time = timeOf(limitMs, tried)
    const signal = eitherSignal(time.signal, options.signal)
    try {
      let url = this.#owner ?? address.url
      for (let isSentOn = false, isRenewed = false; ; ) {
        let answer: Response | undefined
        tried.add(url)
        const token = await tokens.for(url, signal)
        // What the caller gave and cannot be sent is the caller's error, thrown before anything begins.
        const init = { method, headers: this.#headersOf(body, options, token), ...contentOf(body) }
        // Where another address can be next, each has its share of the time, up to the first of its answer.
        const share = timeOf(isRepeatable ? limitMs / address.urls.length : limitMs, tried)
        const either = eitherSignal(share.signal, signal)
        try {
          answer = await this.#options.fetch(url + path, { ...init, signal: either })
          share.end()
          const known = await this.#read<Answer>(answer, isOpened)
          return { answer: known, headers: answer.headers, url }
        } catch (cause) {
          share.end()
          // It may have gone, and others can tell what became of the transaction.
          if (!answer && !isFree) this.#owner = undefined
          const error = errorOf(cause, either, tried)
          const commitTimestamp = answer?.ok && committedAt(answer.headers)
          if (answer && commitTimestamp) {
            const unreadable = committedError(error, commitTimestamp)
            return { answer: undefined as Answer, headers: answer.headers, url, unreadable }
          }
          if (isPartlyDone(error)) throw error
          let next: string | undefined = isSentOn ? url : placeSaid(cause, url, address)
          if (next !== url) {
            if (!isFree) this.#owner = next
            isSentOn = true
          } else if (isRenewed || !isOfToken(cause) || !(await tokens.renewed(token, signal))) {
            next = nextAfter(error, cause, tried, address)
            const isSafe = isRepeatable || (isFree && isUndone(error, cause))
            if (!next || !isSafe) throw error
          } else {
            // Whoever is not let in has done nothing.
            isRenewed = true
          }
          url = next
        }
      }
    } finally {
      time.end()
    }
  }

  /** Throws the problem, and `invalid_answer`. */
  async #read<Answer>(answer: Response, isOpened: boolean): Promise<Answer> {
    const history = answer.headers.get(HISTORY_HEADER)
    this.#histories.told(history)
    const isRead = !isOpened || !answer.ok
    const known = isRead ? jsonOf(answer, await answer.text(), this.#options.json) : answer
    this.#histories.told(history, known)
    return known as Answer
  }

  #headersOf(body: unknown, options: RequestOptions, token: string | undefined): Headers {
    const history = this.#histories.of(body)
    const headers = {
      accept: 'application/json',
      'content-type': body === undefined ? body : 'application/json',
      ...options.headers,
      [HISTORY_HEADER]: history,
      authorization: token && `Bearer ${token}`,
    }
    // Without those that are undefined.
    return new Headers(JSON.parse(JSON.stringify(headers)))
  }
}

/**
 * Where the server at `url` says that this is done, and has done nothing; `url` for every other error. Throws what is
 * wrong where a transaction is open at a place that may not be followed: to run it again would end the same way.
 */
function placeSaid(error: unknown, url: string, address: ServerAddress): string {
  // For everything from now on.
  if (hasCode(error, 'moved')) return address.moveTo(error.fields.url, url)
  if (!hasCode(error, 'wrong_gateway')) return url
  const place = besides(error.fields.url, url)
  // A server that hands requests on, and could not: the other one may be about to end.
  if (place !== url || error.fields.reason) return place
  const message = `Open at ${error.fields.url}: see --advertise.`
  throw new PercoliteError({ ...error, message, retryable: false })
}

function errorOf(cause: unknown, signal: AbortSignal, tried: ReadonlySet<string>): unknown {
  if (cause instanceof PercoliteError) return cause
  return signal.aborted ? signal.reason : noAnswer(tried, wordsOf(reasonOf(cause)), cause)
}

/** Where it may be sent next, and all that follows; undefined where it did not fail because of the address. */
function nextAfter(
  error: unknown,
  cause: unknown,
  tried: ReadonlySet<string>,
  address: ServerAddress,
): string | undefined {
  if (!(error instanceof PercoliteError)) return undefined
  // A page is not given a reason: there may have been a connection or none.
  const isAway = reasonOf(cause).code === undefined || error.code === 'request_timed_out'
  return isAway || isUndone(error, cause) ? address.next(tried, error.fields.primary) : undefined
}

/** Said by one that is not the primary, or by none: there was no connection at all. */
function isUndone(error: unknown, cause: unknown): boolean {
  const { code, message } = reasonOf(cause)
  if (cause !== error) return UNSENT.test(`${code} ${message}`)
  return isNotPrimary(code)
}

/** A script ends at the part that is refused, and those before it are done. */
function isPartlyDone(error: unknown): boolean {
  const stopped = error as { fields?: { results?: readonly unknown[] } } | undefined
  return Boolean(stopped?.fields?.results?.length)
}

/** Node.js hides the reason (ECONNREFUSED and the like) one level down. */
function reasonOf(cause: unknown): { readonly code?: unknown; readonly message?: unknown } {
  return (cause instanceof Error && cause.cause instanceof Error ? cause.cause : cause) as Error
}

/** There was no connection at all, in the words of Node.js, Bun and Deno. */
const UNSENT = /refused|ENOTFOUND|EAI_AGAIN|CONNECT_TIMEOUT/i

/** Stamps, transactions and cursors of another history are refused by the server, see `docs/http-api.md`. */
const HISTORY_HEADER = 'percolite-history'

/** What a request was answered. */
type Exchanged<Answer> = {
  readonly answer: Answer
  readonly headers: Headers
  /** Of the server that has answered. */
  readonly url: string
  readonly unreadable?: PercoliteError
}

function answerOf<Answer>({ answer, unreadable }: Exchanged<Answer>): Answer {
  if (unreadable !== undefined) throw unreadable
  return answer
}

/** The stamp at which a write was committed, where the headers of its answer tell it. */
export function committedAt(headers: Headers): number | undefined {
  const stamp = Number(headers.get('percolite-commit-timestamp') ?? undefined)
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
  return { body: body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body) }
}

/** Is aborted after so many milliseconds, unless it ends before. */
function timeOf(ms: number, tried: Iterable<string>) {
  const late = new AbortController()
  const timer = setTimeout(() => late.abort(noAnswer(tried)), ms)
  return { signal: late.signal, end: () => clearTimeout(timer) }
}

function refusal(answer: Response, json: unknown, text: string): PercoliteError {
  if (!isProblem(json)) return invalidAnswer(answer, text)
  return errorFromProblem(json, retryAfterMs(answer))
}

/** `Retry-After` is a number of seconds, or a date. */
function retryAfterMs({ headers }: Response): number | undefined {
  const header = headers.get('retry-after') ?? ''
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now()
  return Number.isNaN(ms) ? undefined : Math.max(0, ms)
}

function invalidAnswer(answer: Response, text: string): PercoliteError {
  return clientError('invalid_answer', {
    message: `The answer (status ${answer.status}) is not one of a Percolite server.`,
    httpStatus: answer.status,
    fields: { body: text.slice(0, 1000) },
    retryAfterMs: retryAfterMs(answer),
  })
}

function isProblem(json: unknown): json is Problem {
  const { code, status } = (json ?? {}) as Partial<Problem>
  return typeof code === 'string' && typeof status === 'number'
}

function parseJson(text: string, mode: JsonMode | undefined): unknown {
  try {
    return parseKeeping(text, mode)
  } catch {
    return undefined
  }
}
