// SPDX-License-Identifier: Apache-2.0

/**
 * The body of an answer: text, or the parts of a long one in UTF-8. The parts lie outside of V8's heap, where no
 * garbage collection has to look at them, and are sent as they are.
 */
export type AnswerBody = string | readonly Uint8Array[]

export function textOf(body: AnswerBody): string {
  return typeof body === 'string' ? body : Buffer.concat(body).toString()
}

export function bytesOf(parts: readonly Uint8Array[]): number {
  let bytes = 0
  for (const part of parts) bytes += part.length
  return bytes
}
