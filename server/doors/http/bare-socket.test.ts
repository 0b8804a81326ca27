// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import test, { after, before } from 'node:test'
import { startTestServer } from '../../../test/server/test-server.ts'

let port: number
const atTheEnd: Array<() => unknown> = []

before(async () => {
  const server = await startTestServer({ after: (step) => atTheEnd.push(step as () => unknown) })
  port = (await server.listen()).port
  await server.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL)')
})

after(async () => {
  for (const step of atTheEnd) await step()
})

/** Bytes on a bare socket, and what comes back until the server closes it. */
function exchange(bytes: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(bytes))
    let answer = ''
    socket.setEncoding('utf8')
    socket.on('data', (chunk) => {
      answer += chunk
    })
    socket.on('close', () => resolve(answer))
    socket.on('error', reject)
  })
}

const BARE: ReadonlyArray<readonly [string, string, RegExp]> = [
  ['no HTTP at all', 'hello\r\n\r\n', /^HTTP\/1\.1 400 .*"code":"invalid_request"/s],
  [
    'header fields without end',
    `GET / HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(40_000)}\r\n\r\n`,
    /^HTTP\/1\.1 431 .*"code":"header_fields_too_large"/s,
  ],
  [
    'no Host',
    'GET / HTTP/1.1\r\nConnection: close\r\n\r\n',
    /^HTTP\/1\.1 400 .*"code":"invalid_request"/s,
  ],
  [
    'two Hosts',
    'GET / HTTP/1.1\r\nHost: localhost\r\nhost: localhost\r\nConnection: close\r\n\r\n',
    /^HTTP\/1\.1 400 .*"code":"invalid_request".*"parameter":"Host"/s,
  ],
  [
    'a URL of another host than Host',
    'GET http://evil.example/healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    /^HTTP\/1\.1 400 .*"code":"invalid_request"/s,
  ],
  [
    'a target that is no path',
    'GET * HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n',
    /^HTTP\/1\.1 400 .*"code":"invalid_request"/s,
  ],
  [
    'an image of a foreign page',
    'GET /v1/check HTTP/1.1\r\nHost: localhost\r\nSec-Fetch-Site: cross-site\r\nConnection: close\r\n\r\n',
    /^HTTP\/1\.1 403 .*"code":"origin_not_allowed"/s,
  ],
  [
    'two lengths of the body',
    'POST /v1/query HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n',
    /^HTTP\/1\.1 400 .*"code":"invalid_request"/s,
  ],
  [
    'a body announced with 17 MB',
    'POST /v1/query HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: text/plain\r\nContent-Length: 17825792\r\n\r\n',
    /^HTTP\/1\.1 413 .*"code":"limit_exceeded"/s,
  ],
]

for (const [name, bytes, expected] of BARE) {
  test(`on a bare socket, ${name}`, async () => {
    const answer = await exchange(bytes)
    assert.match(answer, expected)
    assert.match(answer, /content-type: application\/problem\+json/i)
  })
}

test('a whole URL with the host of Host is the path in it', async () => {
  const table =
    'GET http://LOCALHOST/v1/tables/account?asOf=x HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  assert.match(await exchange(table), /^HTTP\/1\.1 400 .*AS OF takes a stamp/s)
  const root = 'GET http://localhost HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
  assert.match(await exchange(root), /^HTTP\/1\.1 200 .*"name":"percolite"/s)
})

test('paths below the documentation that lead elsewhere, or nowhere, are 404', async () => {
  for (const path of [
    '..',
    '../',
    '../../../package.json',
    '%2e%2e/package.json',
    '%2e%2e%2fpackage.json',
    '..%2f..%2fpackage.json',
    '..%5c..%5cpackage.json',
    '..\\..\\package.json',
    '%00',
    'index.html%00.png',
    '%252e%252e%252fpackage.json',
    'a'.repeat(5_000),
    'a/'.repeat(5_000),
    '.env',
    '/etc/passwd',
    'index.css/',
    'index.css/../index.css',
    'C:/x',
    '~root',
  ]) {
    const head = `GET /docs/static/${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
    const answer = await exchange(head)
    assert.match(answer, /^HTTP\/1\.1 404 .*"code":"not_found"/s, path)
    assert.doesNotMatch(answer, /node_modules|at .*:\d+/, path)
  }
})

test('the check of a load balancer, which is HTTP/1.0 and has no Host', async () => {
  assert.match(await exchange('GET /readyz HTTP/1.0\r\n\r\n'), /^HTTP\/1\.1 200 .*"ready"/s)
})
