// SPDX-License-Identifier: Apache-2.0
import {
  abortOfCode,
  abortOfLoss,
  type PercoliteAnswer,
  type PercoliteAsking,
} from './percolite-requests.ts'

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
export class QuerySocket implements PercoliteAsking {
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
