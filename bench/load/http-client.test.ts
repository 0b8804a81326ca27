// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import test, { type TestContext } from 'node:test'
import { HttpClient, Retries } from './http-client.ts'

type Answer = readonly [status: number, body: string]

const CONFLICT: Answer = [409, '{"code":"write_conflict","retryable":true}']

/** A client of a server that gives these answers in turn, each written in two pieces. */
async function clientOf(context: TestContext, answers: readonly Answer[]): Promise<HttpClient> {
  const left = [...answers]
  const server = createServer((request, response) => {
    const [status, body] = left.shift() as Answer
    request.resume().on('end', () => {
      response.writeHead(status).write(body.slice(0, 3))
      response.end(body.slice(3))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as { readonly port: number }
  const client = new HttpClient(`http://127.0.0.1:${port}`, 1)
  context.after(async () => {
    client.close()
    server.close()
  })
  return client
}

test('a transaction that met conflicts is sent again, and each time is counted once', async (context) => {
  const client = await clientOf(context, [CONFLICT, CONFLICT, [200, 'done']])
  const retries = new Retries()
  assert.equal(await retries.run(() => client.ask('/v1/query', '{}')), 'done')
  assert.deepEqual([retries.take(), retries.take()], [2, 0])
})

test('what would fail again is not sent again', async (context) => {
  const client = await clientOf(context, [[409, '{"code":"already_exists","retryable":false}']])
  const retries = new Retries()
  await assert.rejects(
    retries.run(() => client.ask('/v1/query', '{}')),
    /answered 409: \{"code":"already_exists"/,
  )
  assert.equal(retries.take(), 0)
})
