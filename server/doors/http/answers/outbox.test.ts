// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { ServerResponse } from 'node:http'
import test from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { Outbox } from './outbox.ts'

/** A response that notes what is written to it. */
function responseInto(sent: string[]): ServerResponse {
  return {
    writeHead: (status: number, headers: readonly string[]) => {
      const at = headers.indexOf('Content-Length')
      sent.push(`${status} ${headers[at + 1]}`)
    },
    end: (body: string, encoding: string) => sent.push(`${encoding} ${body}`),
  } as unknown as ServerResponse
}

const answer = (body: string) => ({ status: 200, headers: [], body })

test('the answers of one turn go out at its end, in their order', async () => {
  const sent: string[] = []
  const outbox = new Outbox(['Percolite-History', 'h'])
  outbox.post(responseInto(sent), answer('one'))
  outbox.post(responseInto(sent), answer('two'))
  assert.deepEqual(sent, [])
  await setImmediate()
  assert.deepEqual(sent, ['200 3', 'latin1 one', '200 3', 'latin1 two'])
})

test('a length is in bytes, and what is not ASCII is sent as UTF-8', async () => {
  const sent: string[] = []
  new Outbox(['Percolite-History', 'h']).post(responseInto(sent), answer('grün €'))
  await setImmediate()
  assert.deepEqual(sent, ['200 9', 'utf8 grün €'])
})

test('a long turn does not hold back all of its answers', async () => {
  const sent: string[] = []
  const outbox = new Outbox(['Percolite-History', 'h'])
  for (let at = 0; at < 65; at += 1) outbox.post(responseInto(sent), answer(`${at}`))
  assert.equal(sent.length, 2 * 64)
  await setImmediate()
  assert.equal(sent.length, 2 * 65)
})
