// SPDX-License-Identifier: Apache-2.0
import { type AbortCause, TransactionAborted } from '../../engine.ts'
import type { AnyRow } from '../buffered-transaction.ts'
import type { PercoliteStatement } from './percolite-statements.ts'

const PROTOCOL = 'percolite.v1'

/** A frame of the server: see `docs/websocket-protocol.md`. */
type SocketFrame = {
  readonly type: string
  readonly id: string
  readonly [field: string]: unknown
}

type Waiting = {
  readonly commits: boolean
  answered(answer: never): void
  failed(error: unknown): void
}

/** What the server says of a query that it could not run. */
class RefusedQuery extends Error {
  override readonly name = 'RefusedQuery'
}

/** One socket, opened by the first query, and by the next one when it was lost. */
export class QuerySocket implements PercoliteRequests {
  readonly #url: string
  readonly #waiting = new Map<string, Waiting>()
  #socket: Promise<WebSocket> | undefined
  #ids = 0

  constructor(origin: string) {
    this.#url = `${origin.replace(/^http/, 'ws')}/v1/socket`
  }

  get underWay(): number {
    return this.#waiting.size
  }

  ask<Answer = PercoliteAnswer>(
    request: object & { readonly [field: string]: unknown },
    { commits = false }: { readonly commits?: boolean } = {},
  ): Promise<Answer> {
    const id = String(this.#ids++)
    return new Promise((answered, failed) => {
      this.#waiting.set(id, { commits, answered, failed })
      this.#socket ??= this.#open()
      // Without a socket, its `onclose` has told all that wait.
      this.#socket.then(
        (socket) => socket.send(JSON.stringify({ type: 'query', id, ...request })),
        () => {},
      )
    })
  }

  async close(): Promise<void> {
    const opened = await this.#socket?.catch(() => undefined)
    if (opened === undefined || opened.readyState === WebSocket.CLOSED) return
    await new Promise((closed) => {
      opened.addEventListener('close', closed)
      opened.close()
    })
  }

  #open(): Promise<WebSocket> {
    return new Promise((resolve, reject) => {
      const socket = new WebSocket(this.#url, PROTOCOL)
      socket.onmessage = ({ data }) => {
        const frame = JSON.parse(data)
        if (frame.type === 'welcome') resolve(socket)
        else this.#received(frame)
      }
      socket.onclose = ({ code, reason }) => {
        const error = new Error(`the socket was closed: ${code} ${reason}`)
        this.#socket = undefined
        reject(error)
        for (const { commits, failed } of this.#waiting.values())
          failed(abortOfLoss(error, commits))
        this.#waiting.clear()
      }
    })
  }

  #received(frame: SocketFrame): void {
    const waiting = this.#waiting.get(frame.id)
    if (waiting === undefined) return
    this.#waiting.delete(frame.id)
    if (frame.type === 'result') waiting.answered(frame as never)
    else waiting.failed(abortOfCode(String(frame.code), new RefusedQuery(JSON.stringify(frame))))
  }
}

/** What `POST /v1/query` takes, and a `query` on a socket as well. */
type PercoliteRequest = {
  readonly statements: readonly PercoliteStatement[]
  readonly asOf?: number
  readonly transaction?: string
  readonly keepOpen?: true
}

export type PercoliteAnswer = {
  readonly results: ReadonlyArray<{ readonly rows: AnyRow[]; readonly rowsAffected: number }>
  readonly readTimestamp: number
  /** Of the transaction that stays open. */
  readonly transaction?: string
}

/** The way to one server. */
export interface PercoliteRequests {
  /**
   * Rejects with TransactionAborted where trying again may help. Only of a request that commits does
   * nobody know what became of it when its answer is lost.
   */
  ask(request: PercoliteRequest, options?: { readonly commits?: boolean }): Promise<PercoliteAnswer>
  /** Does not wait for answers that are still to come. */
  close(): Promise<void>
}

const CAUSES: Readonly<Record<string, AbortCause>> = {
  write_conflict: 'writeConflict',
  locked: 'locked',
  transaction_expired: 'timeout',
  overloaded: 'other',
  // The server is there, and what is asked of it is done elsewhere, soon.
  moving: 'connectionLost',
  moved: 'connectionLost',
}

/** What an error of the server means for the transaction; `cause` itself where that was a mistake. */
export function abortOfCode(code: string, cause: unknown): unknown {
  if (code === 'commit_outcome_unknown') {
    return new TransactionAborted('other', { outcome: 'unknown', cause })
  }
  const abort = CAUSES[code]
  return abort === undefined ? cause : new TransactionAborted(abort, { cause })
}

/** The answer will not come. */
export function abortOfLoss(cause: unknown, commits: boolean): TransactionAborted {
  return new TransactionAborted('connectionLost', {
    outcome: commits ? 'unknown' : 'rolledBack',
    cause,
  })
}
