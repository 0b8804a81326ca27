// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import type { CompactJWSHeaderParameters, FlattenedJWSInput } from 'jose'
import { pino } from 'pino'
import { JwtIssuer } from '../../../test/access/jwt-issuer.ts'
import { ManualClock } from '../../../test/manual-clock.ts'
import { JwtKeys } from './jwt-keys.ts'

const HOUR_MS = 3_600_000
const NO_TOKEN = {} as FlattenedJWSInput

/** The keys of an issuer at an address, and how often they were fetched. */
async function fetchedKeys(t: TestContext) {
  const issuer = await JwtIssuer.create(t)
  const state = { fetches: 0, status: 200, body: () => JSON.stringify(issuer.keySet) }
  const server = createServer((request, response) => {
    request.resume()
    state.fetches += 1
    response.writeHead(state.status, { 'content-type': 'application/json', location: '/other' })
    response.end(state.body())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const clock = new ManualClock()
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/keys`
  const keys = new JwtKeys({ kind: 'url', url }, { log: pino({ enabled: false }), clock })
  const header = (kid: string | undefined): CompactJWSHeaderParameters => ({
    alg: 'ES256',
    kid: kid as string,
  })
  const find = async (kid = issuer.keySet.keys[0]?.kid): Promise<void> => {
    await keys.find(header(kid), NO_TOKEN)
  }
  return { issuer, state, clock, keys, find }
}

test('keys from an address are fetched once, and again at most twice a minute for unknown ones', async (t) => {
  const { state, find, keys } = await fetchedKeys(t)
  await find()
  await find()
  assert.equal(state.fetches, 1)
  assert.equal(keys.version, 1)
  for (let n = 0; n < 50; n += 1) {
    await assert.rejects(find(`unknown-${n}`), { code: 'ERR_JWKS_NO_MATCHING_KEY' })
  }
  assert.ok(state.fetches <= 2, `${state.fetches} fetches`)
})

test('an address that fails, moves or says too much changes nothing of the keys that are known', async (t) => {
  const { state, find, clock, keys } = await fetchedKeys(t)
  await find()
  // The set is old for jose as well: it asks again, and meets the failure.
  t.mock.timers.enable({ apis: ['Date'], now: Date.now() + HOUR_MS })
  for (const failure of [
    { status: 503 },
    { status: 302 },
    { body: () => '{"keys": 1}' },
    { body: () => `{"keys": [], "x": "${'x'.repeat(70_000)}"}` },
  ]) {
    const before = state.fetches
    Object.assign(state, { status: 200 }, failure)
    await clock.advance(31_000)
    await find()
    await find()
    assert.equal(state.fetches, before + 1, JSON.stringify(failure))
  }
  assert.equal(keys.version, 1)
  await clock.advance(25 * HOUR_MS)
  await assert.rejects(find(), 'after a day they do not count any more')
})
