// SPDX-License-Identifier: Apache-2.0

import type { ServerResponse } from 'node:http'
import { afterTurn } from '../../../../storage/storage.ts'
import { type AnswerBody, bytesOf } from '../../../requests/answers/answer-body.ts'

/** An answer that is complete. The header fields are names and values in turn. */
export type ReadyAnswer = {
  readonly status: number
  readonly headers: readonly string[]
  readonly body: AnswerBody
}

type Posted = { readonly response: ServerResponse; readonly answer: ReadyAnswer }

/** Answers that may wait before they are sent. */
const POSTED_MAX = 64

/**
 * Sends the answers that one turn of the event loop has made ready at its end, one right after the other.
 * A client that has nothing to do sleeps, and to wake it costs several times what the writing does; sent
 * together, the first answer wakes it for all of them.
 */
export class Outbox {
  readonly #headersOfAll: readonly string[]
  #posted: Posted[] = []

  constructor(headersOfAll: readonly string[]) {
    this.#headersOfAll = headersOfAll
  }

  post(response: ServerResponse, answer: ReadyAnswer): void {
    this.#posted.push({ response, answer })
    if (this.#posted.length === 1) afterTurn(this.#sendAll)
    else if (this.#posted.length >= POSTED_MAX) this.#sendAll()
  }

  readonly #sendAll = (): void => {
    const posted = this.#posted
    this.#posted = []
    for (const { response, answer } of posted) sendAnswer(response, answer, this.#headersOfAll)
  }

  /** At once: the client goes on while this process has still to see to others. */
  send(response: ServerResponse, answer: ReadyAnswer): void {
    sendAnswer(response, answer, this.#headersOfAll)
  }
}

function sendAnswer(
  response: ServerResponse,
  { status, headers, body }: ReadyAnswer,
  headersOfAll: readonly string[],
): void {
  const isText = typeof body === 'string'
  const bytes = isText ? Buffer.byteLength(body) : bytesOf(body)
  response.writeHead(status, [...headersOfAll, ...headers, 'Content-Length', String(bytes)])
  if (isText) {
    // Where each character is one byte, Node need not look for those that are more.
    response.end(body, bytes === body.length ? 'latin1' : 'utf8')
    return
  }
  // By one system call, head and all.
  response.cork()
  for (const part of body) response.write(part)
  response.end()
}
