// SPDX-License-Identifier: Apache-2.0

import type { Socket } from 'node:net'
import { afterTurn } from '../../../../storage/storage.ts'
import type { ClientKey } from '../../../guard/budgets/client-key.ts'
import { FairQueue } from '../../../guard/budgets/fair-queue.ts'

/**
 * Reading is weighed in the bytes of a body that take as long, some 500 MB a second. So much of the bodies of all
 * clients together is read in a turn of the event loop.
 */
export const BODY_WORK_MAX = 1024 * 1024
/** So much is read of one client in a turn, whatever it sends. */
const CLIENT_WORK_MAX = 8 * 1024 * 1024

/** Bytes of a connection that Node reads at a time. */
const READ_BYTES = 64 * 1024
/** Ten thousand chunks of a byte may come in one read. */
const CHUNK_WORK = 1024
/** And so may a thousand requests. */
const REQUEST_WORK = 16 * 1024

/** How much was read in the last turn in which there was something. */
type TurnWork = { turn: number; amount: number }

/** The connections of one client. */
type ClientReads = {
  readonly key: ClientKey
  readonly connections: Set<ConnectionRead>
  readonly work: TurnWork
}

/**
 * Reads from connections at a pace that keeps other requests served. Node reads and parses what has come on all
 * connections, 64 KiB of each, before anything else has a turn, and parsing a thousand requests or ten thousand chunks
 * takes 15 ms. When one client has had more than its share of a turn, nothing is read from any of its
 * connections until a later turn. Then they are read again one after the other, within the work of a turn; and the
 * clients take turns.
 */
export class ConnectionReads {
  readonly #byClient = new Map<ClientKey, ClientReads>()
  readonly #held = new FairQueue<ConnectionRead>()
  /** The turn of the event loop, counted by those in which something was read. */
  #turn = 0
  #bodyWork = 0
  #isScheduled = false

  /** Weighs what is read from the connection until it closes or becomes a WebSocket, which then has to resume it. */
  add(socket: Socket, key: ClientKey): void {
    const client = this.#byClient.get(key) ?? { key, connections: new Set(), work: newWork() }
    this.#byClient.set(key, client)
    const read = new ConnectionRead(this, socket, client)
    client.connections.add(read)
    const known: ReadSocket = socket
    known[READ] = read
    socket.once('close', () => this.remove(socket))
  }

  remove(socket: Socket): void {
    const read = readOf(socket)
    if (read === undefined) return
    const known: ReadSocket = socket
    known[READ] = undefined
    const { key, connections } = read.client
    connections.delete(read)
    if (connections.size === 0) this.#byClient.delete(key)
    if (!read.isHeld) return
    this.#held.delete(key, read)
    read.letGo()
  }

  /** To be called for each piece of work. Holds the connection, or all of its client, where that was too much. */
  worked(read: ConnectionRead, work: number, isOfLongBody: boolean): void {
    const { client, work: ofConnection } = read
    const ofClient = client.work
    const turn = this.#turn
    ofConnection.amount = work + (ofConnection.turn === turn ? ofConnection.amount : 0)
    ofConnection.turn = turn
    const amount = work + (ofClient.turn === turn ? ofClient.amount : 0)
    ofClient.amount = amount
    ofClient.turn = turn
    if (isOfLongBody) this.#bodyWork += work
    if (!this.#isScheduled) this.#schedule()
    if (amount > CLIENT_WORK_MAX) {
      const wasTooMuch = amount - work > CLIENT_WORK_MAX
      if (!wasTooMuch) for (const one of client.connections) this.#hold(one)
    } else if (isOfLongBody && (this.#bodyWork >= BODY_WORK_MAX || this.#held.size > 0)) {
      this.#hold(read)
    }
  }

  #hold(read: ConnectionRead): void {
    if (read.isHeld) return
    read.hold()
    this.#held.push(read.client.key, read)
  }

  #schedule(): void {
    this.#isScheduled = true
    afterTurn(this.#beginTurn)
  }

  readonly #beginTurn = (): void => {
    this.#isScheduled = false
    this.#turn += 1
    this.#bodyWork = 0
    if (this.#held.size > 0) this.#readOn()
  }

  /** Each is going to be as much work as the last time. */
  #readOn(): void {
    for (let work = 0; work < BODY_WORK_MAX && this.#held.size > 0; ) {
      const read = this.#held.shift() as ConnectionRead
      work += Math.max(read.work.amount, READ_BYTES)
      read.readOn()
    }
    if (this.#held.size > 0) this.#schedule()
  }
}

/** What is read from one connection. */
export class ConnectionRead {
  readonly client: ClientReads
  readonly #all: ConnectionReads
  readonly #socket: Socket
  #isHeld = false
  readonly work: TurnWork = newWork()
  /** Reads the rest of a body, as far as it is wanted; undefined between two requests. */
  readBody: (() => void) | undefined

  constructor(all: ConnectionReads, socket: Socket, client: ClientReads) {
    this.client = client
    this.#all = all
    this.#socket = socket
  }

  /** Whether nothing is to be read from it; what was read already still comes. */
  get isHeld(): boolean {
    return this.#isHeld
  }

  tookRequest(): void {
    this.#all.worked(this, REQUEST_WORK, false)
  }

  /** `isOfLongBody` where the body may be long. */
  tookChunk(bytes: number, isOfLongBody: boolean): void {
    this.#all.worked(this, bytes + CHUNK_WORK, isOfLongBody)
  }

  hold(): void {
    this.#isHeld = true
    // Where a request is complete Node reads on, and to do so after a pause it would not look whether one follows.
    process.nextTick(() => {
      if (this.#isHeld) this.#socket.pause()
    })
  }

  /** It is not held any more, and stays paused where it was. */
  letGo(): void {
    this.#isHeld = false
  }

  readOn(): void {
    this.letGo()
    if (this.readBody === undefined) this.#socket.resume()
    else this.readBody()
  }
}

function newWork(): TurnWork {
  return { turn: -1, amount: 0 }
}

const READ = Symbol('read')

type ReadSocket = Socket & { [READ]?: ConnectionRead | undefined }

/** Undefined for a request without a connection, and where its reads are not weighed. */
export function readOf(socket: Socket): ConnectionRead | undefined {
  return (socket as ReadSocket)[READ]
}
