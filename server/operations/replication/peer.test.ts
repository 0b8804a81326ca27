// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type TestContext } from 'node:test'
import { pino } from 'pino'
import { systemClock, systemRandomness } from '../../../storage/storage.ts'
import { readConfig } from '../../config.ts'
import { Peer } from './peer.ts'

/** A start decides within this, on a machine that has other things to do. */
const DECIDED_MS_MAX = 15_000

async function peerThat(t: TestContext, answer: (response: ServerResponse) => void) {
  const http = createServer((_request, response) => answer(response)).listen(0, '127.0.0.1')
  await once(http, 'listening')
  t.after(() => {
    http.closeAllConnections()
    http.close()
  })
  return peerAt(`http://127.0.0.1:${(http.address() as AddressInfo).port}`)
}

function peerAt(url: string) {
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line).msg) })
  const peer = new Peer(url, { log, clock: systemClock, randomness: systemRandomness })
  return { peer, lines }
}

const never = new AbortController().signal

test('what a peer says of its promotion is taken; one that was never promoted has none', async (t) => {
  for (const [body, promotion] of [
    ['{"status":"ok","promotion":"ab.01"}', 'ab.01'],
    ['{"status":"ok"}', ''],
    ['{"status":"ok","promotion":7}', ''],
  ] as const) {
    const { peer } = await peerThat(t, (response) => response.end(body))
    assert.equal(await peer.promotionAtStart(never), promotion, body)
  }
})

test('a start waits a bounded time for a peer that is gone, hangs, or answers what is of no use', async (t) => {
  const { peer: gone, lines } = peerAt('http://127.0.0.1:1')
  const { peer: silent } = await peerThat(t, () => undefined)
  const { peer: broken } = await peerThat(t, (response) => response.end('{"status"'))
  const { peer: endless } = await peerThat(t, (response) => {
    const more = () => {
      if (response.destroyed) return
      response.write('x'.repeat(16_384))
      setImmediate(more)
    }
    more()
  })
  const { peer: failing } = await peerThat(t, (response) => {
    response.writeHead(500).end('{"status":"ok","promotion":"ab.01"}')
  })
  const { peer: elsewhere } = await peerThat(t, (response) => {
    response.writeHead(307, { location: 'http://127.0.0.1:1/healthz' }).end()
  })
  const began = performance.now()
  const all = [gone, silent, broken, endless, failing, elsewhere]
  const found = await Promise.all(all.map((peer) => peer.promotionAtStart(never)))
  assert.deepEqual(new Set(found), new Set([undefined]))
  const tookMs = performance.now() - began
  t.diagnostic(`${Math.round(tookMs)} ms`)
  assert.ok(tookMs < DECIDED_MS_MAX)
  // Once, however often it was tried.
  assert.deepEqual(lines, ['the peer does not answer'])
})

test('a peer that comes back within a start is heard, and a server that ends does not wait for it', async (t) => {
  let requests = 0
  const { peer, lines } = await peerThat(t, (response) => {
    requests += 1
    if (requests < 3) response.writeHead(503).end('{}')
    else response.end('{"promotion":"ab.02"}')
  })
  assert.equal(await peer.promotionAtStart(never), 'ab.02')
  assert.deepEqual(lines, ['the peer does not answer', 'the peer answers again'])
  const ending = new AbortController()
  const waiting = peer.promotionWhen((promotion) => promotion > 'ab.02', ending.signal)
  const reason = new Error('ended')
  ending.abort(reason)
  await assert.rejects(waiting, reason)
})

test('its word is believed over https, and over http of this machine alone', () => {
  const { peer } = readConfig({ peer: 'http://127.0.0.1:4270' })
  assert.equal(peer, 'http://127.0.0.1:4270')
  assert.equal(readConfig({ peer: 'https://b.example' }).peer, 'https://b.example')
  const http = { peer: 'http://b.example' }
  assert.throws(() => readConfig(http), /--peer http:\/\/b\.example: its word .* --follow-insecure/)
  assert.equal(readConfig({ ...http, 'follow-insecure': 'true' }).peer, 'http://b.example')
  assert.throws(
    () => readConfig({ ...http, engine: 'memory', 'follow-insecure': 'true' }),
    /sqlite/,
  )
})
