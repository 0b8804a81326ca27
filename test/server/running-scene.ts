// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setTimeout as sleep } from 'node:timers/promises'
import { AddressedClient } from './addressed-client.ts'
import { type AnswerBody, startTestServer } from './test-server.ts'

/** A table `t` of so many rows, a client, and an operator who lists what is running and cancels it. */
export async function runningScene(
  t: TestContext,
  {
    rows = 5_000,
    ...options
  }: Parameters<typeof startTestServer>[1] & { readonly rows?: number } = {},
) {
  const { server } = await startTestServer(t, options)
  const { url, port } = await server.listen()
  const client = new AddressedClient(url, '127.0.0.2')
  const operator = new AddressedClient(url, '127.0.0.3')
  t.after(() => {
    client.close()
    operator.close()
  })
  await client.query('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)')
  for (let first = 0; first < rows; first += 5_000) {
    const length = Math.min(5_000, rows - first)
    const some = Array.from({ length }, (_, at) => ({ id: first + at, a: `value ${first + at}` }))
    assert.equal((await client.send('POST', '/v1/tables/t/rows', some)).status, 201)
  }
  const list = async (): Promise<AnswerBody[]> =>
    (await operator.send('GET', '/v1/running')).body.running
  /** The one of this operation, when it has come. */
  const running = async (operation: string): Promise<AnswerBody> => {
    for (let tries = 0; tries < 1_000; tries += 1) {
      const found = (await list()).find((one) => one.operation === operation)
      if (found !== undefined) return found
      await sleep(5)
    }
    return assert.fail(`nothing runs that is ${operation}`)
  }
  const cancel = (id: string) => operator.send('DELETE', `/v1/running/${id}`)
  /** Of what clients share, a moment later; connections that are kept for the next request are no work. */
  const nothingHeld = async () => {
    const { all, connections } = server.shares
    const held = () =>
      all
        .filter((bound) => bound !== connections && bound.held !== 0)
        .map((bound) => [bound.limit, bound.held])
    for (let tries = 0; tries < 200 && held().length > 0; tries += 1) await sleep(5)
    assert.deepEqual(held(), [])
  }
  return { server, url, port, client, operator, list, running, cancel, nothingHeld }
}
