// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { type TestContext, test } from 'node:test'
import pino from 'pino'
import { startTestServer } from '../../../test/server/test-server.ts'
import { Probes } from './probes.ts'

const OWN = 'Host: localhost:4270\r\n'
/** Heads and bodies, and whether they are answered in front of the rest from the second time on. */
const GETS: readonly (readonly [rest: string, isInFront: boolean])[] = [
  [`${OWN}\r\n`, true],
  [`${OWN}User-Agent: kube-probe/1.34\r\nAccept: */*\r\nConnection: close\r\n\r\n`, true],
  [`host: localhost\r\nAuthorization: Bearer nobody\r\nTraceparent: 00-1\r\n\r\n`, true],
  [`${OWN}Sec-Fetch-Site: none\r\nPrefer: wait=1\r\nCookie: a=\xff\r\nCookie: b\r\n\r\n`, true],
  [`${OWN}Content-Type: text/plain; charset=utf-8\r\nExpect: much\r\n\r\n`, true],
  [`${OWN}Upgrade: websocket\r\n\r\n`, true],
  [`${OWN}Content-Encoding: gzip\r\n\r\n`, false],
  [`${OWN}Content-Type: text/plain; charset=latin1\r\n\r\n`, false],
  [`${OWN}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n{}`, false],
  [`${OWN}Content-Type: application/json\r\nContent-Length: 2\r\n\r\n[]`, false],
  [`${OWN}Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n`, false],
  [`${OWN}Origin: https://app.example\r\n\r\n`, false],
  [`${OWN}Origin: https://other.example\r\n\r\n`, false],
  [`${OWN}Sec-Fetch-Site: cross-site\r\n\r\n`, false],
  [`${OWN}${OWN}\r\n`, false],
  [`Host: other.example\r\n\r\n`, false],
  [`${OWN}If-Match: "a"\r\n\r\n`, false],
  [`${OWN}Percolite-History: a\r\n\r\n`, false],
  ['\r\n', false],
]
const TARGETS = ['', '?', '?a=1', '?%', '/', '#a']

/** Each answer as its bytes, but for what no two servers have in common. */
async function answersOf(port: number, requests: readonly string[]): Promise<string[]> {
  const answers: string[] = []
  for (const request of requests) {
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    let answer = ''
    socket.setEncoding('latin1').on('data', (text) => {
      answer += text
    })
    const isLast = /Connection: close|HTTP\/1\.0/.test(request)
    // What follows ends the connection.
    const follower = isLast ? '' : `GET / HTTP/1.1\r\n${OWN}Connection: close\r\n\r\n`
    socket.write(`${request}${follower}`, 'latin1')
    await once(socket, 'close')
    answers.push(answer.replaceAll(/^(date|percolite-history): .*$/gim, '$1'))
  }
  return answers
}

async function started(t: TestContext, level: 'silent' | 'debug') {
  const server = await startTestServer(t, {
    flags: { 'allow-origin': 'https://app.example' },
    deps: { log: pino({ level }, { write: () => undefined }) },
  })
  return { server, port: (await server.listen()).port }
}

test('a probe whose head is known is answered in front of the rest, byte for byte alike', async (t) => {
  const answers = t.mock.method(Probes.prototype, 'answers')
  const [known, general] = [await started(t, 'silent'), await started(t, 'debug')]
  const requests: string[] = []
  for (const path of ['/healthz', '/readyz']) {
    for (const [rest] of GETS) {
      requests.push(...Array(3).fill(`GET ${path} HTTP/1.1\r\n${rest}`))
      requests.push(`HEAD ${path} HTTP/1.1\r\n${rest}`, `GET ${path} HTTP/1.0\r\n${rest}`)
    }
    for (const method of ['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD', 'TRACE']) {
      requests.push(...Array(2).fill(`${method} ${path} HTTP/1.1\r\n${OWN}\r\n`))
    }
    const preflight = `Origin: https://app.example\r\nAccess-Control-Request-Method: GET\r\n`
    requests.push(`OPTIONS ${path} HTTP/1.1\r\n${OWN}${preflight}\r\n`)
    for (const more of TARGETS) requests.push(`GET ${path}${more} HTTP/1.1\r\n${OWN}\r\n`)
    requests.push(`GET http://localhost:4270${path} HTTP/1.1\r\n${OWN}\r\n`)
    requests.push(`GET ${path.replace('z', '%7a')} HTTP/1.1\r\n${OWN}\r\n`)
  }
  const expected = await answersOf(general.port, requests)
  answers.mock.resetCalls()
  assert.deepEqual(await answersOf(known.port, requests), expected)
  const inFront = new Set(
    answers.mock.calls
      .filter(({ result }) => result === true)
      .map(({ arguments: [{ url, rawHeaders }] }) => `${url} ${rawHeaders.join()}`),
  )
  assert.equal(inFront.size, 2 * GETS.filter(([, isInFront]) => isInFront).length)
  const counts = async ({ server }: typeof known) =>
    (await server.get('/metrics')).text.match(/^percolite_http_requests_total.*$/gm)
  assert.deepEqual(await counts(known), await counts(general))
})

test('of many heads, and of long ones, few are known', async (t) => {
  const answers = t.mock.method(Probes.prototype, 'answers')
  const { port } = await started(t, 'silent')
  const health = (more: string) => `GET /healthz HTTP/1.1\r\n${OWN}${more}\r\n`
  const inFront = () => answers.mock.calls.filter(({ result }) => result === true).length
  const many = Array.from({ length: 9 }, (_, at) => health(`A: ${at}\r\n`))
  await answersOf(port, [...many, many[0] as string])
  assert.equal(inFront(), 0)
  await answersOf(port, many.slice(-7))
  assert.equal(inFront(), 7)
  answers.mock.resetCalls()
  await answersOf(port, Array(2).fill(health(`A: ${'a'.repeat(9_000)}\r\n`)))
  assert.equal(inFront(), 0)
})
