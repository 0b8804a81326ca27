// SPDX-License-Identifier: Apache-2.0
import { connect, type Socket } from 'node:net'

export type HttpAnswer = { readonly status: number; readonly text: string }

type Head = {
  readonly status: number
  /** Of the body in bytes; undefined where it comes in chunks. */
  readonly length: number | undefined
  /** Whether the server closes the connection behind this answer. */
  readonly isLast: boolean
}

type Waiting = {
  readonly resolve: (answer: HttpAnswer) => void
  readonly reject: (reason: unknown) => void
}

const ANSWER_MS_MAX = 300_000
const HEAD_END = '\r\n\r\n'
const CHUNKS_END = '0\r\n\r\n'
// All connections read into it: what one has read is taken before the next one reads.
const READ_BUFFER = Buffer.allocUnsafe(64 * 1024)

/**
 * One HTTP/1.1 connection that stays open and asks for one JSON at a time, for servers on the loopback
 * interface that answer with a length or in chunks (RFC 9112, sections 6 and 7). The load generator has its
 * processor time from the cores of the server that it measures, and this takes half as much for a request as the
 * libraries, which do more. It connects when it is first asked, and again after the server has closed it.
 */
export class HttpConnection {
  readonly #host: string
  readonly #port: number
  /** What each request begins with, after its line. */
  readonly #fields: string
  #socket: Socket | undefined
  #waiting: Waiting | undefined
  #head: Head | undefined
  /** What was read of the answer and is not whole yet. */
  #pieces: Buffer[] = []
  #pieceBytes = 0

  constructor({ hostname, port }: URL, token?: string) {
    this.#host = hostname
    this.#port = Number(port)
    this.#fields = `host: ${hostname}:${port}\r\n${token === undefined ? '' : `authorization: Bearer ${token}\r\n`}`
  }

  /** A POST of this body, or a GET. The next one may begin when this has ended. Rejects when the connection is lost. */
  ask(path: string, body?: string): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      this.#socket ??= this.#connect()
      this.#socket.write(
        body === undefined
          ? `GET ${path} HTTP/1.1\r\n${this.#fields}\r\n`
          : `POST ${path} HTTP/1.1\r\n${this.#fields}content-type: application/json\r\n` +
              `content-length: ${Buffer.byteLength(body)}${HEAD_END}${body}`,
      )
    })
  }

  /** Does not wait for an answer that is still to come. */
  close(): void {
    this.#fail(new Error('the connection was closed by this side'))
  }

  #connect(): Socket {
    const onread = {
      buffer: READ_BUFFER,
      callback: (count: number) => {
        if (this.#socket === socket) this.#take(READ_BUFFER.subarray(0, count))
        return true
      },
    }
    const socket = connect({ host: this.#host, port: this.#port, noDelay: true, onread })
    const fail = (reason: Error) => {
      if (this.#socket === socket) this.#fail(reason)
    }
    socket
      .setTimeout(ANSWER_MS_MAX, () => fail(new Error('the server does not answer')))
      .on('error', fail)
      .on('end', () => fail(new Error('the server has closed the connection')))
      .on('close', () => fail(new Error('the connection is closed')))
    return socket
  }

  #take(read: Buffer): void {
    let bytes = read
    if (this.#head === undefined) {
      const known = this.#withPieces(read)
      const end = known.indexOf(HEAD_END)
      if (end === -1) {
        this.#keep(bytes)
        return
      }
      try {
        this.#head = headOf(known.toString('latin1', 0, end))
      } catch (error) {
        this.#fail(error)
        return
      }
      this.#dropPieces()
      bytes = known.subarray(end + HEAD_END.length)
    }
    const body = this.#wholeBody(this.#head, bytes)
    if (body === undefined) this.#keep(bytes)
    else this.#answer(this.#head, body.toString('utf8'))
  }

  /** Undefined until the last byte of it is there. */
  #wholeBody({ length }: Head, bytes: Buffer): Buffer | undefined {
    if (length !== undefined) {
      return this.#pieceBytes + bytes.length < length ? undefined : this.#withPieces(bytes)
    }
    const known = this.#withPieces(bytes)
    return known.toString('latin1', known.length - CHUNKS_END.length) === CHUNKS_END
      ? chunksOf(known)
      : undefined
  }

  #answer({ status, isLast }: Head, text: string): void {
    const waiting = this.#waiting
    this.#dropPieces()
    this.#head = undefined
    this.#waiting = undefined
    if (isLast) this.close()
    waiting?.resolve({ status, text })
  }

  #fail(reason: unknown): void {
    const waiting = this.#waiting
    const socket = this.#socket
    this.#dropPieces()
    this.#head = undefined
    this.#waiting = undefined
    this.#socket = undefined
    socket?.destroy()
    waiting?.reject(reason)
  }

  #keep(bytes: Buffer): void {
    // The next read overwrites what this one has brought.
    this.#pieces.push(Buffer.from(bytes))
    this.#pieceBytes += bytes.length
  }

  #withPieces(bytes: Buffer): Buffer {
    return this.#pieceBytes === 0 ? bytes : Buffer.concat([...this.#pieces, bytes])
  }

  #dropPieces(): void {
    if (this.#pieceBytes === 0) return
    this.#pieces = []
    this.#pieceBytes = 0
  }
}

function headOf(text: string): Head {
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(text)?.[1])
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
  const isChunked = length === undefined && /\r\ntransfer-encoding: *chunked/i.test(text)
  if (!(status >= 200) || (length === undefined && !isChunked)) {
    throw new Error(`this load generator does not understand an answer that begins ${text}`)
  }
  return {
    status,
    length: length === undefined ? undefined : Number(length),
    isLast: /\r\nconnection: *close/i.test(text),
  }
}

/** What the chunks hold; undefined where the last one of them is still to come. */
function chunksOf(bytes: Buffer): Buffer | undefined {
  const chunks: Buffer[] = []
  for (let at = 0; at < bytes.length; ) {
    const lineEnd = bytes.indexOf('\r\n', at)
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16)
    if (size === 0) return Buffer.concat(chunks)
    const begin = lineEnd + 2
    chunks.push(bytes.subarray(begin, begin + size))
    at = begin + size + 2
  }
  return undefined
}
