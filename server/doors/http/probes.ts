// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, ServerResponse } from 'node:http'
import { type Clock, type Storage, timeText } from '../../../storage/storage.ts'
import { ServerError } from '../../errors/server-error.ts'
import type { Availability } from '../../operations/replication/availability.ts'
import type { StandbyState } from '../../operations/replication/standby-state.ts'
import type { AnswerListener } from '../../requests/answers/answer-body.ts'
import { FORMAT_TYPES } from '../../requests/answers/answer-format.ts'
import { Drain } from './drain.ts'

const HEALTH = '/healthz'
const READINESS = '/readyz'

/** For so long a standby is ready without its primary. */
const STANDBY_SILENCE_MS_MAX = 60_000

/** Who watches a server asks with the same head every time. */
const HEADS_MAX = 8
/** What is kept of all of them together. */
const CHARACTERS_MAX = 8_192

type Opened = {
  /** Names and values in turn, see `headersOfAll`. */
  readonly headers: readonly string[]
  readonly availability: Pick<Availability, 'refusal'>
  readonly metrics: { answered(operation: string, status: number, request: IncomingMessage): void }
  readonly onAnswer?: AnswerListener | undefined
}

/**
 * What `/healthz` and `/readyz` answer. Nobody is asked for a token there, so whether a request is let in follows from
 * its head alone: once the general way has let one in, the same head is answered in front of everything, on whichever
 * connection. All others, and whatever is not 200, go the general way.
 */
export class Probes {
  readonly drain: Drain
  readonly #storage: Storage
  /** Of a store in this process, where it never changes. */
  readonly #health: string | undefined
  /** Names and values, each in a line. */
  #heads: string[] = []
  #opened: Opened | undefined

  readonly #standby: StandbyState | undefined
  readonly #promotion: string

  constructor(
    { promotion }: Pick<Availability, 'promotion'>,
    deps: {
      readonly storage: Storage
      readonly clock: Clock
      readonly drainMs: number
      readonly following?: { readonly state: StandbyState } | undefined
    },
  ) {
    const { storage, clock, drainMs, following } = deps
    this.drain = new Drain(clock, drainMs)
    this.#storage = storage
    this.#standby = following?.state
    this.#promotion = promotion
    const isLocal = storage.health.answeredMicros === undefined
    this.#health = isLocal ? textOf(this.health()) : undefined
  }

  open(opened: Opened): void {
    const headers = opened.headers.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : text))
    this.#opened = { ...opened, headers: ['content-type', FORMAT_TYPES.json, ...headers] }
  }

  /** From now on a connection ends with its answer, as the general way says in it. */
  close(): void {
    this.#opened = undefined
  }

  health(): object {
    const promotion = this.#promotion
    return { status: 'ok', ...(promotion && { promotion }), ...storeAnsweredAt(this.#storage) }
  }

  /** Throws what keeps the server from taking work. */
  readiness({ refusal }: Pick<Availability, 'refusal'>): object {
    this.drain.readinessAsked()
    const { outage, warnings } = this.#storage.health
    // It may be why the server stops.
    if (outage !== undefined) throw outage
    if (refusal !== undefined) throw refusal
    if (this.drain.isDraining) throw new ServerError('overloaded', 'The server is stopping.')
    const standby = this.#standby && readinessOf(this.#standby)
    return { status: 'ready', warnings, ...(standby && { standby }) }
  }

  /** To be told of a request that was let in. An answer may also depend on a body, or on the page that asks. */
  letIn({ headers, rawHeaders }: IncomingMessage): void {
    if (headers.host === undefined || headers.origin !== undefined) return
    if (headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined)
      return
    let characters = 0
    this.#heads = [rawHeaders.join('\n'), ...this.#heads.slice(0, HEADS_MAX - 1)].filter((head) => {
      characters += head.length
      return characters <= CHARACTERS_MAX
    })
  }

  /** Answers it or returns false. */
  answers(request: IncomingMessage, response: ServerResponse): boolean {
    const { url, method, rawHeaders } = request
    if ((url !== HEALTH && url !== READINESS) || method !== 'GET') return false
    const opened = this.#opened
    if (opened === undefined || !this.#heads.includes(rawHeaders.join('\n'))) return false
    let body = this.#health
    try {
      if (url === READINESS) body = textOf(this.readiness(opened.availability))
      else body ??= textOf(this.health())
    } catch {
      return false
    }
    const operation = url === HEALTH ? 'getHealth' : 'getReadiness'
    opened.metrics.answered(operation, 200, request)
    opened.onAnswer?.(operation, { status: 200, contentType: FORMAT_TYPES.json, body })
    const length = String(Buffer.byteLength(body))
    response.writeHead(200, [...opened.headers, 'content-length', length]).end(body)
    return true
  }
}

/** How far a standby is. Throws where it knows its primary's store no more; who asks need not know where that is. */
function readinessOf(state: StandbyState): object {
  const { connected, groupsBehind, behindMs, silentMs } = state
  if (silentMs > STANDBY_SILENCE_MS_MAX) {
    const detail = `The primary has not answered this standby for ${Math.round(silentMs / 1_000)} s.`
    throw new ServerError('behind', detail, { behindMs })
  }
  return { connected, groupsBehind, behindMs }
}

function textOf(body: object): string {
  return `${JSON.stringify(body)}\n`
}

/** When a store on other machines last answered; nothing of one in this process. */
export function storeAnsweredAt({ health }: Pick<Storage, 'health'>): {
  readonly storeAnsweredAt?: string
} {
  const { answeredMicros } = health
  return answeredMicros === undefined ? {} : { storeAnsweredAt: timeText(answeredMicros) }
}
