// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Server as TlsServer } from 'node:https'
import type { Socket } from 'node:net'
import { Server as NetServerOfTls } from 'node:tls'
import type { ClientKey, ClientKeys } from '../../guard/budgets/client-key.ts'
import type { SharedBound } from '../../guard/budgets/shared-bound.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { ConnectionReads } from './bodies/connection-reads.ts'
import { answerOnBareSocket } from './http-errors.ts'

/**
 * The connections of the server: no more of them than `connectionsMax`; each client has a
 * share; none whose client takes nothing of its answer; none from which more is read in a turn than its
 * client may have; and none that stopping would wait for without need, because browsers open
 * connections ahead of need and Node's `close` would wait for those.
 */
export class Connections {
  /** Each with its last answer, which is out or not; undefined before the first request. */
  readonly #sockets = new Map<Socket, { last: ServerResponse | undefined }>()
  readonly #upgraded = new Set<Socket>()
  /** Of TLS, while they are being secured, by the address and port of the peer: then another socket takes over. */
  readonly #handshakes = new Map<string, Socket>()
  readonly #clients: ClientKeys
  readonly #open: SharedBound
  readonly #reads = new ConnectionReads()
  #stopping = false

  /** `silenceMsMax` is for how long nothing may move while an answer waits to be taken. */
  constructor(
    server: Server | TlsServer,
    clients: ClientKeys,
    open: SharedBound,
    silenceMsMax: number = SERVER_LIMITS.socketSilenceMsMax,
  ) {
    this.#clients = clients
    this.#open = open
    if (server instanceof NetServerOfTls) {
      server.on('connection', (socket: Socket) => this.#shakesHands(socket))
      server.on('secureConnection', (socket: Socket) => this.#secured(socket))
    } else server.on('connection', (socket: Socket) => this.#opened(socket))
    // Node tells of a connection on which nothing moved for so long, in whichever direction.
    server.setTimeout(silenceMsMax, (socket) => this.#isSilent(socket))
    server.on('request', this.#began)
    // A WebSocket is closed by its session; here it is only destroyed, when it stays too long.
    server.on('upgrade', ({ socket }: IncomingMessage) => {
      this.#sockets.delete(socket)
      this.#reads.remove(socket)
      this.#upgraded.add(socket)
      socket.once('close', () => this.#upgraded.delete(socket))
    })
  }

  /** Ends idle sockets now, and each busy one when its answer is out. */
  stop(): void {
    this.#stopping = true
    for (const socket of this.#handshakes.values()) socket.destroy()
    for (const [socket, { last: response }] of this.#sockets) {
      if (response === undefined || response.destroyed) socket.destroy()
      else endAfter(response, socket)
    }
  }

  destroyAll(): void {
    const open = [this.#handshakes.values(), this.#sockets.keys(), this.#upgraded]
    for (const socket of open.flatMap((some) => [...some])) socket.destroy()
  }

  #opened(socket: Socket): void {
    const client = this.#clients.ofPeer(socket)
    const refusal = this.#open.refusal(client)
    if (refusal !== undefined) {
      answerOnBareSocket(socket, refusal)
      return
    }
    this.#count(socket, client)
    this.#serve(socket, client)
  }

  /** Its client could not read an answer yet. */
  #shakesHands(socket: Socket): void {
    const client = this.#clients.ofPeer(socket)
    if (this.#open.refusal(client) !== undefined || this.#stopping) {
      socket.destroy()
      return
    }
    this.#count(socket, client)
    const peer = peerOf(socket)
    this.#handshakes.set(peer, socket)
    socket.once('close', () => this.#handshakes.delete(peer))
  }

  #secured(socket: Socket): void {
    this.#handshakes.delete(peerOf(socket))
    this.#serve(socket, this.#clients.ofPeer(socket))
  }

  #count(socket: Socket, client: ClientKey): void {
    this.#open.take(client)
    socket.once('close', () => this.#open.giveBack(client))
  }

  #serve(socket: Socket, client: ClientKey): void {
    this.#sockets.set(socket, { last: undefined })
    this.#reads.add(socket, client)
    socket.once('close', () => this.#sockets.delete(socket))
  }

  /**
   * Ends the connection unless it waits for its answer to be made. A client that reads this answer gets what is
   * there, so it is stuck only where part of it has not been taken; and with it ends what the answer is read from.
   */
  #isSilent(socket: Socket): void {
    const response = this.#sockets.get(socket)?.last
    const isWaiting = response !== undefined && !response.destroyed && response.writableLength === 0
    if (!isWaiting || socket.writableLength > 0) socket.destroy()
  }

  readonly #began = ({ socket }: IncomingMessage, response: ServerResponse): void => {
    const known = this.#sockets.get(socket)
    if (known === undefined) return
    known.last = response
    if (this.#stopping) endAfter(response, socket)
  }
}

function peerOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`
}

function endAfter(response: ServerResponse, socket: Socket): void {
  response.once('close', () => socket.end())
}
