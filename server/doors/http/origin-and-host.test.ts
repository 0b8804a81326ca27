// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { checkOriginAndHost, isLoopbackName } from './origin-and-host.ts'

function asked(headers: Record<string, string>, route = '/v1/tables', httpVersion = '1.1') {
  return { route, headers, rawHeaders: Object.entries(headers).flat(), httpVersion }
}

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
  test(`accepted: ${JSON.stringify(headers)}`, () => checkOriginAndHost(rules, asked(headers)))
}

const REFUSED: ReadonlyArray<{ host: string; origin?: string }> = [
  { host: 'evil.example' },
  { host: ':4270' },
  { host: 'localhost.evil.example' },
  { host: '127.0.0.1.evil.example' },
  { host: 'localhost:4270', origin: 'http://evil.example' },
  { host: 'localhost:4270', origin: 'null' },
  { host: 'localhost:4270', origin: 'http://localhost:8080' },
  { host: 'localhost:4270', origin: 'https://app.example.evil.example' },
]

for (const headers of REFUSED) {
  test(`refused: ${JSON.stringify(headers)}`, () => {
    assert.throws(() => checkOriginAndHost(rules, asked(headers)), { code: 'origin_not_allowed' })
  })
}

test('a request without Host is refused', () => {
  assert.throws(() => checkOriginAndHost(rules, asked({})), { code: 'invalid_request' })
})

test('HTTP/1.0 needs no Host, and may name no foreign one and come from no foreign page', () => {
  const old = (headers: Record<string, string>) => () =>
    checkOriginAndHost(rules, asked(headers, '/readyz', '1.0'))
  old({})()
  for (const headers of [{ host: 'evil.example' }, { origin: 'http://evil.example' }]) {
    assert.throws(old(headers), { code: 'origin_not_allowed' })
  }
})

test('a server that everybody may reach answers under any host name, but to no foreign page', () => {
  const open = { ...rules, loopbackOnly: false }
  checkOriginAndHost(open, asked({ host: 'db.example' }))
  checkOriginAndHost(open, asked({ host: 'db.example', origin: 'https://db.example' }))
  assert.throws(() =>
    checkOriginAndHost(open, asked({ host: 'db.example', origin: 'https://evil.example' })),
  )
})

test('only real loopback addresses are loopback names', () => {
  assert.equal(isLoopbackName('127.0.0.256'), false)
  assert.equal(isLoopbackName('128.0.0.1'), false)
  assert.equal(isLoopbackName('0.0.0.0'), false)
})

const host = 'localhost:4270'
const site = (value: string, more = {}) => ({ host, 'sec-fetch-site': value, ...more })
const LINK = { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document' }

/** What browsers send with images, scripts, frames and links of pages, which have no Origin. */
const SITES: ReadonlyArray<readonly [Record<string, string>, string, boolean]> = [
  [site('same-origin'), '/v1/tables', true],
  [site('none', LINK), '/v1/tables', true],
  [site('cross-site'), '/v1/tables', false],
  [
    site('cross-site', { 'sec-fetch-mode': 'no-cors', 'sec-fetch-dest': 'image' }),
    '/healthz',
    false,
  ],
  [site('same-site'), '/v1/tables', false],
  [site('anything'), '/v1/tables', false],
  [site('cross-site', LINK), '/docs', true],
  [site('cross-site', LINK), '/v1/check', false],
  [site('cross-site', { ...LINK, 'sec-fetch-dest': 'iframe' }), '/docs', false],
  [site('cross-site', { origin: 'https://app.example' }), '/v1/tables', true],
  [site('cross-site', { origin: 'https://evil.example' }), '/v1/tables', false],
]

for (const [headers, url, isAllowed] of SITES) {
  test(`${isAllowed ? 'accepted' : 'refused'}: ${url} ${JSON.stringify(headers)}`, () => {
    const check = () => checkOriginAndHost(rules, asked(headers, url))
    if (isAllowed) check()
    else assert.throws(check, { code: 'origin_not_allowed' })
  })
}
