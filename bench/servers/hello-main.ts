// SPDX-License-Identifier: Apache-2.0
import Fastify from 'fastify'
import type { HelloOrder } from './hello-server.ts'
import { openRawPuts } from './raw-puts.ts'

// The program of the hello server: it parses the JSON of a request, answers a JSON of its own, and
// does nothing else, unless it is told to put what the request brings first. What it reaches is the
// ceiling of any server on this Fastify, with this client, and on this store.

const { path, answer, puts } = JSON.parse(process.argv[2] ?? '') as HelloOrder
const put = puts === undefined ? undefined : await openRawPuts(puts)

// As the product's own server: the same parser of bodies, the same way to make an answer's text.
const fastify = Fastify({ bodyLimit: 16 * 1024 * 1024, requestTimeout: 60_000 })
fastify.setReplySerializer((payload) => `${JSON.stringify(payload)}\n`)
fastify.post(path, async (request) => {
  if (typeof request.body !== 'object') throw new Error('the body is not JSON')
  if (put !== undefined) await put(request.body)
  return answer
})
await fastify.listen({ host: '127.0.0.1', port: 0 })
const { port } = fastify.server.address() as { readonly port: number }
process.stdout.write(`${JSON.stringify({ origin: `http://127.0.0.1:${port}` })}\n`)
