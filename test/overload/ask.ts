// SPDX-License-Identifier: Apache-2.0
import { type Agent, type IncomingMessage, request } from 'node:http'

export type Request = {
  readonly method: string
  readonly path: string
  readonly type?: string
  readonly body?: Buffer
}

/**
 * Sends a request; resolves to the head of its answer, whose body waits to be read. Rejects where
 * the connection ends.
 */
export function ask(
  url: string,
  { method, path, type = 'application/json', body }: Request,
  through: { readonly agent: Agent; readonly localAddress: string },
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>()
  const { hostname, port } = new URL(url)
  const headers =
    body === undefined ? {} : { 'content-type': type, 'content-length': String(body.length) }
  const sent = request({ ...{ method, path, hostname, port, headers }, ...through }, resolve)
  sent.on('error', reject)
  sent.end(body)
  return promise
}

/** Reads the rest and drops it. */
export async function readWhole(answer: IncomingMessage): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  answer.on('error', reject).on('end', resolve).resume()
  await promise
}
