// SPDX-License-Identifier: Apache-2.0

/**
 * The body of an answer: text, or the parts of a long one in UTF-8. The parts lie outside of V8's heap, where no
 * garbage collection has to look at them, and are sent as they are.
 */
export type AnswerBody = string | readonly Uint8Array[]

/** Told of each answer, by the id of its operation: for tests, which look whether it is declared. */
export type AnswerListener = (
  operationId: string,
  answer: {
    readonly status: number
    readonly contentType: string | undefined
    readonly body: AnswerBody
  },
) => void

export function textOf(body: AnswerBody): string {
  return typeof body === 'string' ? body : Buffer.concat(body).toString()
}

/** What Fastify sends. A long text would be joined, measured and encoded, each in one piece. */
export function sendable(body: AnswerBody): string | Buffer {
  if (typeof body === 'string') return body
  const [first] = body
  return body.length === 1 && Buffer.isBuffer(first) ? first : Buffer.concat(body)
}

/** The same as a line of its own. */
export function sendableLine(body: AnswerBody): string | Buffer {
  return typeof body === 'string' ? `${body}\n` : Buffer.concat([...body, NEWLINE])
}

const NEWLINE = Buffer.from('\n')

export function bytesOf(parts: readonly Uint8Array[]): number {
  let bytes = 0
  for (const part of parts) bytes += part.length
  return bytes
}
