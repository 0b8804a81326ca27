// SPDX-License-Identifier: Apache-2.0

import type { IncomingMessage } from 'node:http'
import type { WebSocket } from '@fastify/websocket'
import websocket from '@fastify/websocket'
import type { FastifyInstance, RouteOptions } from 'fastify'
import { repeat } from '../../../storage/storage.ts'
import { ServerError } from '../../errors/server-error.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { ChangeStreams } from '../../live/subscriptions/change-streams.ts'
import type { SubscriptionDependencies } from '../../live/subscriptions/subscription-parts.ts'
import { Subscriptions } from '../../live/subscriptions/subscriptions.ts'
import type { SchemaValidator } from '../http/openapi/validator.ts'
import { ClientFrameReader } from './client-frame.ts'
import { CLOSE_CODES, SERVER_STOPS, type SocketEnd } from './close-codes.ts'
import type { SocketDependencies } from './socket-dependencies.ts'
import { SocketSession } from './socket-session.ts'
import { PROTOCOL } from './welcome.ts'

/** What stays open as long as its client likes: sockets, and answers that are subscriptions. */
export class LiveConnections {
  readonly subscriptions: Subscriptions
  readonly streams: ChangeStreams
  readonly sockets: SocketServer

  constructor(
    deps: Omit<SocketDependencies, 'subscriptions' | 'observers' | 'frames' | 'history'> &
      Pick<SubscriptionDependencies, 'log' | 'parseRule' | 'opaqueIds'> & {
        readonly validator: SchemaValidator
      },
  ) {
    const { parser, validator, requests } = deps
    const { turnQueue } = requests
    this.subscriptions = new Subscriptions({ ...deps, turnQueue }, parser)
    const { subscriptions } = this
    this.streams = new ChangeStreams({ ...deps, subscriptions })
    const frames = new ClientFrameReader(validator)
    const { observers, history } = deps.storage
    const more = { subscriptions, observers, frames, history: history.name }
    this.sockets = new SocketServer({ ...deps, ...more })
  }

  /** Subscriptions end at once, and sockets after the answers of their running queries. */
  stop(): void {
    this.streams.stop()
    this.sockets.stop()
  }

  /** Sends clients on to another server, now and when they come. */
  sendOn(url: string): void {
    this.streams.refuse(new ServerError('moved', `The database has been moved to ${url}.`, { url }))
    this.sockets.stop({ reason: 'moved', words: url })
  }

  /** To be called when every connection is gone. */
  async close(): Promise<void> {
    await this.streams.close()
    await this.sockets.close()
    await this.subscriptions.close()
  }
}

const TICK_MS = 1_000

/** How long the other side may take to answer that a socket is being closed. */
const CLOSE_MS_MAX = 2_000

const OPTIONS = {
  // Of the frames that one read holds, each has a turn of the event loop of its own.
  allowSynchronousEvents: false,
  maxPayload: SERVER_LIMITS.bodyBytesMax,
  closeTimeout: CLOSE_MS_MAX,
  perMessageDeflate: false,
  handleProtocols: (offered: ReadonlySet<string>) => offered.has(PROTOCOL) && PROTOCOL,
} as const

/** All sockets of the server. */
class SocketServer {
  readonly #deps: SocketDependencies
  readonly #sessions = new Set<SocketSession>()
  readonly #closing = new Set<Promise<void>>()
  readonly #stopping = new AbortController()
  readonly #ticking: Promise<void>
  #end: SocketEnd | undefined

  constructor(deps: SocketDependencies) {
    this.#deps = deps
    this.#ticking = repeat(deps.clock, {
      everyMs: TICK_MS,
      signal: this.#stopping.signal,
      work: () => {
        for (const session of this.#sessions) session.tick()
      },
    })
  }

  get count(): number {
    return this.#sessions.size
  }

  /** Adds the route of the handshake; a request that is none of one goes to the route's handler. */
  addRoute(fastify: FastifyInstance, route: RouteOptions): void {
    // In a scope of its own, or its hooks would run for every request of every other route.
    fastify.register(async (scope) => {
      await scope.register(websocket, {
        options: OPTIONS,
        // The sockets are closed by `stop`, and in order.
        preClose: (done) => done(),
        // What breaks a rule of WebSocket is being closed with its code already.
        errorHandler: (_error, socket) => {
          if (socket.readyState === socket.OPEN) socket.terminate()
        },
      })
      // After a handshake that was refused nothing else closes the connection.
      scope.addHook('onResponse', (request, _reply, done) => {
        if (request.raw.headers.upgrade !== undefined) request.raw.socket.end()
        done()
      })
      scope.route({ ...route, wsHandler: (socket, { raw }) => this.#opened(socket, raw) })
    })
  }

  /** Ends subscriptions, takes no new work, and closes each socket after its last answer. */
  stop(end: SocketEnd = SERVER_STOPS): void {
    this.#end = end
    for (const session of this.#sessions) session.stop(end)
  }

  /** Closes those whose token does not count any more. */
  endRevoked(): void {
    for (const session of this.#sessions) session.stepAccess()
  }

  /** To be called when all sockets are gone; resolves when nothing of them is left. */
  async close(): Promise<void> {
    this.#stopping.abort()
    await this.#ticking
    await Promise.all(this.#closing)
  }

  #opened(socket: WebSocket, handshake: IncomingMessage): void {
    const { requests, shares } = this.#deps
    const client = requests.clientOf(handshake)
    const refusal = shares.sockets.refusal(client)
    if (refusal !== undefined) {
      const whose = refusal.code === 'overloaded' ? 'of other clients' : 'of this client'
      socket.close(CLOSE_CODES.tooMany, `Too many sockets ${whose} are open.`)
      return
    }
    shares.sockets.take(client)
    const session = new SocketSession(socket, { handshake, client }, this.#deps)
    this.#sessions.add(session)
    // Its handshake may have been one request too many of its client, after which nothing was read for a turn.
    socket.resume()
    socket.once('close', () => {
      this.#sessions.delete(session)
      shares.sockets.giveBack(client)
      const closing = session.closed().finally(() => this.#closing.delete(closing))
      this.#closing.add(closing)
    })
    // Its handshake was under way when the others were stopped, or it comes to a store that has gone.
    if (this.#end !== undefined) session.stop(this.#end)
  }
}
