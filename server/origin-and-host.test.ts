// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { checkOriginAndHost, isLoopbackName } from './origin-and-host.ts'

const rules = {
  allowedOrigins: ['https://app.example'],
  allowedHosts: ['db.internal'],
  loopbackOnly: true,
}

const ACCEPTED: ReadonlyArray<{ host: string; origin?: string }> = [
  { host: 'localhost:4270' },
  { host: '127.0.0.1:4270' },
  { host: '127.8.9.10' },
  { host: '[::1]:4270' },
  { host: 'DB.internal:4270' },
  { host: 'localhost:4270', origin: 'http://localhost:4270' },
  { host: 'localhost:4270', origin: 'https://app.example' },
]

for (const headers of ACCEPTED) {
  test(`accepted: ${JSON.stringify(headers)}`, () => checkOriginAndHost(rules, headers))
}

const REFUSED: ReadonlyArray<{ host: string; origin?: string }> = [
  { host: 'evil.example' },
  { host: 'localhost.evil.example' },
  { host: '127.0.0.1.evil.example' },
  { host: 'localhost:4270', origin: 'http://evil.example' },
  { host: 'localhost:4270', origin: 'null' },
  { host: 'localhost:4270', origin: 'http://localhost:8080' },
  { host: 'localhost:4270', origin: 'https://app.example.evil.example' },
]

for (const headers of REFUSED) {
  test(`refused: ${JSON.stringify(headers)}`, () => {
    assert.throws(() => checkOriginAndHost(rules, headers), { code: 'origin_not_allowed' })
  })
}

test('a request without Host is refused', () => {
  assert.throws(() => checkOriginAndHost(rules, {}), { code: 'invalid_request' })
})

test('a server that everybody may reach answers under any host name, but to no foreign page', () => {
  const open = { ...rules, loopbackOnly: false }
  checkOriginAndHost(open, { host: 'db.example' })
  checkOriginAndHost(open, { host: 'db.example', origin: 'https://db.example' })
  assert.throws(() =>
    checkOriginAndHost(open, { host: 'db.example', origin: 'https://evil.example' }),
  )
})

test('only real loopback addresses are loopback names', () => {
  assert.equal(isLoopbackName('127.0.0.256'), false)
  assert.equal(isLoopbackName('128.0.0.1'), false)
  assert.equal(isLoopbackName('0.0.0.0'), false)
})
