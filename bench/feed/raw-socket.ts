// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events'
import { request } from 'node:http'
import type { Socket } from 'node:net'

/** A text frame: the bytes of `buffer` from `start` to `end`, valid until the next one. */
export type FrameListener = (buffer: Buffer, start: number, end: number) => void

const OPCODE = { continuation: 0, text: 1, close: 8, ping: 9, pong: 10 } as const
const LAST = 0x80
const NOTHING = Buffer.alloc(0)

/**
 * As much of a WebSocket client as a benchmark needs: it hands out the bytes of each text frame without
 * decoding them. A thousand sockets of a whole client in one process would cost more than their server.
 */
export class RawSocket {
  readonly #socket: Socket
  readonly #frame: FrameListener
  #rest: Buffer = NOTHING
  /** Of a message in several frames, those that have come. */
  #parts: Buffer[] = []

  private constructor(socket: Socket, frame: FrameListener) {
    this.#socket = socket
    this.#frame = frame
    socket.setNoDelay(true)
    // What follows an error is the close.
    socket.on('error', () => undefined)
    socket.on('data', (bytes: Buffer) => this.#take(bytes))
  }

  /** Throws when the server does not take it. */
  static async open(origin: string, frame: FrameListener): Promise<RawSocket> {
    const asked = request(`${origin}/v1/socket`, {
      headers: {
        connection: 'Upgrade',
        upgrade: 'websocket',
        'sec-websocket-version': '13',
        'sec-websocket-key': Buffer.alloc(16).toString('base64'),
        'sec-websocket-protocol': 'percolite.v1',
      },
    })
    const upgraded = once(asked, 'upgrade')
    asked.end()
    const [, socket, head] = (await upgraded) as [unknown, Socket, Buffer]
    const raw = new RawSocket(socket, frame)
    if (head.length > 0) raw.#take(head)
    return raw
  }

  get isClosed(): boolean {
    return this.#socket.destroyed || this.#socket.readableEnded
  }

  send(message: unknown): void {
    this.#send(OPCODE.text, Buffer.from(JSON.stringify(message)))
  }

  /** Leaves everything unread that comes, so that it waits in the kernel and then in the server. */
  pause(): void {
    this.#socket.pause()
  }

  resume(): void {
    this.#socket.resume()
  }

  close(): void {
    this.#socket.destroy()
  }

  /** Clients have to mask; with a mask of zeros the payload is what it was. */
  #send(opcode: number, payload: Buffer): void {
    if (payload.length >= 2 ** 16) throw new RangeError('The frame is too long.')
    const isShort = payload.length < 126
    const head = Buffer.alloc(isShort ? 6 : 8)
    head[0] = LAST | opcode
    head[1] = 0x80 | (isShort ? payload.length : 126)
    if (!isShort) head.writeUInt16BE(payload.length, 2)
    this.#socket.write(Buffer.concat([head, payload]))
  }

  #take(bytes: Buffer): void {
    const buffer = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes])
    let at = 0
    while (buffer.length - at >= 2) {
      const short = (buffer[at + 1] as number) & 0x7f
      const headBytes = short < 126 ? 2 : short === 126 ? 4 : 10
      if (buffer.length - at < headBytes) break
      const length =
        short < 126
          ? short
          : short === 126
            ? buffer.readUInt16BE(at + 2)
            : Number(buffer.readBigUInt64BE(at + 2))
      const start = at + headBytes
      if (buffer.length - start < length) break
      this.#took(buffer[at] as number, buffer, start, start + length)
      at = start + length
    }
    this.#rest = at === buffer.length ? NOTHING : buffer.subarray(at)
  }

  #took(first: number, buffer: Buffer, start: number, end: number): void {
    const opcode = first & 0x0f
    if (opcode === OPCODE.ping) {
      this.#send(OPCODE.pong, buffer.subarray(start, end))
    } else if (opcode === OPCODE.close) {
      this.#socket.destroy()
    } else if ((first & LAST) === 0) {
      this.#parts.push(Buffer.from(buffer.subarray(start, end)))
    } else if (this.#parts.length > 0) {
      const whole = Buffer.concat([...this.#parts, buffer.subarray(start, end)])
      this.#parts = []
      this.#frame(whole, 0, whole.length)
    } else {
      this.#frame(buffer, start, end)
    }
  }
}
