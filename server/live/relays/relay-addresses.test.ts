// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import test, { type TestContext } from 'node:test'
import { SERVER_LIMITS } from '../../limits.ts'
import { type NameLookup, RelayAddresses } from './relay-addresses.ts'
import { RelayConnection, retryAfterMsOf } from './relay-connection.ts'

const ANY = new RelayAddresses(['https://*'])

test('no form of an address that is not public is sent to by the word of a user', () => {
  const forms = [
    ...['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]'],
    ...['169.254.169.254', '10.0.0.1', '172.16.3.4', '192.168.1.1', '100.64.0.1', '0.0.0.0', '0'],
    ...['2130706433', '0x7f000001', '0x7f.1', '017700000001', '127.1', '127.0.0.1.'],
    ...['[fe80::1]', '[fc00::1]', '[fd12:3456::1]', '[ff02::1]', '[::]', '[64:ff9b::7f00:1]'],
    ...[
      '[2002:7f00:1::]',
      '[2001:0:1::1]',
      '[fec0::1]',
      '255.255.255.255',
      '224.0.0.1',
      '198.18.0.1',
    ],
  ]
  for (const form of forms) {
    assert.match(ANY.refusalOf(`https://${form}/hook`) ?? 'none', /is not public/, form)
  }
  assert.equal(ANY.refusalOf('https://1.1.1.1/hook'), undefined)
  assert.equal(ANY.refusalOf('https://[2606:4700::1111]/hook'), undefined)
})

test('only origins that the operator names are sent to, with nothing else in the URL', () => {
  const addresses = new RelayAddresses([
    'https://hooks.example',
    'http://127.0.0.1:9000',
    '10.1.0.0/16',
  ])
  const refused = [
    ...['https://hooks.example.evil.example', 'http://hooks.example', 'https://hooks.example:8443'],
    ...['https://user:word@hooks.example', 'https://hooks.example/#x', 'ftp://hooks.example', 'x'],
    ...[
      'http://127.0.0.1:9001',
      'http://127.0.0.2:9000',
      `https://hooks.example/${'x'.repeat(2_000)}`,
    ],
  ]
  for (const url of refused) assert.ok(addresses.refusalOf(url) !== undefined, url)
  for (const url of [
    'https://hooks.example/a?b=c',
    'http://127.0.0.1:9000',
    'http://0x7f.1:9000/x',
  ]) {
    assert.equal(addresses.refusalOf(url), undefined, url)
  }
  assert.ok(addresses.mayReach('10.1.255.1'))
  assert.ok(addresses.mayReach('::ffff:10.1.0.1'))
  assert.ok(!addresses.mayReach('10.2.0.1'))
  assert.ok(!addresses.mayReach('127.0.0.2'))
  assert.match(new RelayAddresses([]).refusalOf('https://hooks.example') ?? '', /--relay-to/)
  for (const wrong of ['hooks.example', 'https://hooks.example/path', '10.0.0.0/99', 'https://']) {
    assert.throws(() => new RelayAddresses([wrong]), TypeError, wrong)
  }
})

test('a name that resolves to this machine is not connected to: not localhost, and not one of two addresses', async (t) => {
  const { port, requests } = await listening(t)
  const origin = `http://localhost:${port}`
  const own = new RelayAddresses([origin])
  await assert.rejects(posted(own, origin), /is not public/)
  const two: NameLookup = (_, found) =>
    found(null, [
      { address: '1.1.1.1', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ])
  await assert.rejects(posted(new RelayAddresses([origin], two), origin), /127.0.0.1 is not public/)
  assert.equal(requests(), 0)
})

test('a name is looked up once for a connection, and the address that was looked at is the one of the socket', async (t) => {
  const { port, requests } = await listening(t)
  const origin = `http://rebinding.example:${port}`
  let lookups = 0
  // Whoever owns the name says another address each time.
  const rebinding: NameLookup = (_, found) => {
    lookups += 1
    found(null, [{ address: lookups === 1 ? '127.0.0.1' : '127.0.0.9', family: 4 }])
  }
  const addresses = new RelayAddresses([origin, '127.0.0.1/32'], rebinding)
  assert.deepEqual(await posted(addresses, origin), { status: 204 })
  assert.deepEqual([lookups, requests()], [1, 1])
  await assert.rejects(posted(addresses, origin), /127.0.0.9 is not public/)
})

test('a 200 that comes too late does not count', async (t) => {
  const { port, url } = await listening(t, 5_000)
  const addresses = new RelayAddresses([`http://127.0.0.1:${port}`])
  const connection = new RelayConnection(url, addresses, SERVER_LIMITS.relayAnswerMsMax / 300)
  const never = new AbortController().signal
  await assert.rejects(connection.post({}, '{}', never), /No answer came within 100 ms/)
  connection.close()
})

test('Retry-After is seconds or a date, and at most an hour', () => {
  const now = Date.parse('2026-11-30T00:00:00Z')
  assert.equal(retryAfterMsOf('3', now), 3_000)
  assert.equal(retryAfterMsOf('Mon, 30 Nov 2026 00:00:20 GMT', now), 20_000)
  assert.equal(retryAfterMsOf('Mon, 30 Nov 2020 00:00:20 GMT', now), 0)
  assert.equal(retryAfterMsOf('999999999', now), SERVER_LIMITS.relayRetryAfterMsMax)
  assert.equal(retryAfterMsOf('soon', now), undefined)
  assert.equal(retryAfterMsOf(undefined, now), undefined)
})

async function posted(addresses: RelayAddresses, url: string) {
  const connection = new RelayConnection(url, addresses)
  try {
    return await connection.post({}, '{}', new AbortController().signal)
  } finally {
    connection.close()
  }
}

async function listening(t: TestContext, afterMs = 0) {
  let count = 0
  const server = createServer((_, response) => {
    count += 1
    setTimeout(() => response.writeHead(204).end(), afterMs).unref()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  return { port, url: `http://127.0.0.1:${port}`, requests: () => count }
}
