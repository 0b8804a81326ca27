// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { type RequestOptions, request } from 'node:https'
import { connect as connectTcp } from 'node:net'
import { describe, type TestContext, test } from 'node:test'
import { connect, type TLSSocket } from 'node:tls'
import { pino } from 'pino'
import { WebSocket } from 'ws'
import { type TestCertificate, writeCertificate } from '../../../test/server/test-certificate.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { readConfig } from '../../config.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { createServer } from '../../server.ts'

async function started(t: TestContext) {
  const folder = await testFolder(t, 'tls')
  const certificate = await writeCertificate(folder)
  const lines: string[] = []
  const log = pino({ base: null }, { write: (line: string) => void lines.push(line) })
  const flags = { 'tls-cert': certificate.certificatePath, 'tls-key': certificate.keyPath }
  const { server } = await startTestServer(t, { flags, deps: { log } })
  const { url, port } = await server.listen()
  return { folder, certificate, server, url, port, lines }
}

type Answered = { readonly status: number; readonly headers: object; readonly body: string }

/** One request with a connection of its own. */
async function ask(
  url: string,
  { pem }: TestCertificate,
  options: RequestOptions & { readonly body?: string } = {},
): Promise<Answered> {
  const { body, ...rest } = options
  const asked = request(url, { ca: pem, agent: false, ...rest })
  asked.end(body)
  const [response] = await once(asked, 'response')
  const chunks = await Array.fromAsync(response as AsyncIterable<Buffer>)
  const { statusCode = 0, headers } = response
  return { status: statusCode, headers, body: Buffer.concat(chunks).toString() }
}

async function secured(port: number, options: object): Promise<TLSSocket> {
  const socket = connect({ port, host: '127.0.0.1', servername: 'localhost', ...options })
  await once(socket, 'secureConnect')
  return socket
}

describe('a server with a certificate', () => {
  test('answers over HTTPS, and tells browsers not to ask without it', async (t) => {
    const { certificate, url } = await started(t)
    assert.match(url, /^https:/)
    const json = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const answers = [
      await ask(`${url}/healthz`, certificate),
      await ask(`${url}/v1/query`, certificate, { ...json, body: '{"sql":"SHOW TABLES"}' }),
      await ask(`${url}/v1/nothing`, certificate),
    ]
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 404],
    )
    for (const { headers } of answers) {
      assert.equal(Reflect.get(headers, 'strict-transport-security'), 'max-age=31536000')
    }
  })

  test('takes a body of a mebibyte, and WebSockets', async (t) => {
    const { certificate, url } = await started(t)
    const json = { method: 'POST', headers: { 'content-type': 'application/json' } }
    const query = { sql: 'SHOW TABLES', padding: 'x'.repeat(1_000_000) }
    const { status, body } = await ask(`${url}/v1/query`, certificate, {
      ...json,
      body: JSON.stringify(query),
    })
    assert.equal(status, 400)
    assert.match(JSON.parse(body).detail, /padding/)
    const socket = new WebSocket(`${url.replace('https', 'wss')}/v1/socket`, {
      ca: certificate.pem,
    })
    t.after(() => socket.terminate())
    const [welcome] = await once(socket, 'message')
    assert.equal(JSON.parse(String(welcome)).type, 'welcome')
  })

  test('refuses versions of TLS before 1.2, and requests without TLS', async (t) => {
    const { certificate, port } = await started(t)
    await assert.rejects(
      secured(port, { ca: certificate.pem, minVersion: 'TLSv1', maxVersion: 'TLSv1.1' }),
    )
    const plain = connectTcp(port, '127.0.0.1')
    plain.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    plain.on('error', () => undefined)
    const answered = await Array.fromAsync(plain as AsyncIterable<Buffer>).catch(() => [])
    assert.equal(Buffer.concat(answered).includes('HTTP/1.1 200'), false)
  })

  test('bounds handshakes in time and number', { timeout: 30_000 }, async (t) => {
    const { server, port } = await started(t)
    const silent = connectTcp(port, '127.0.0.1')
    silent.on('error', () => undefined)
    await once(silent, 'connect')
    const beganMs = performance.now()
    while (server.shares.connections.held === 0) await new Promise(setImmediate)
    await once(silent, 'close')
    const tookMs = performance.now() - beganMs
    assert.ok(tookMs < SERVER_LIMITS.tlsHandshakeMsMax + 2_000, `${tookMs} ms`)
    while (server.shares.connections.held > 0) await new Promise(setImmediate)
  })

  test('does not wait for handshakes when it stops', async (t) => {
    const { server, port } = await started(t)
    const silent = connectTcp(port, '127.0.0.1')
    silent.on('error', () => undefined)
    await once(silent, 'connect')
    while (server.shares.connections.held === 0) await new Promise(setImmediate)
    const beganMs = performance.now()
    await server.close()
    assert.ok(performance.now() - beganMs < 5_000)
  })
})

describe('a certificate that is exchanged', () => {
  test('is that of new connections, and those that are open go on', async (t) => {
    const { folder, certificate: before, server, url, port } = await started(t)
    const open = await secured(port, { ca: before.pem })
    t.after(() => open.destroy())
    const after = await writeCertificate(folder)
    assert.equal(server.reloadFiles(), true)
    assert.equal((await ask(`${url}/healthz`, after)).status, 200)
    await assert.rejects(ask(`${url}/healthz`, before))
    open.write('GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n')
    const [answer] = await once(open, 'data')
    assert.match(String(answer), /^HTTP\/1\.1 200/)
  })

  test('is found without a signal', { timeout: 30_000 }, async (t) => {
    const { folder, url } = await started(t)
    const after = await writeCertificate(folder)
    for (;;) {
      const status = await ask(`${url}/healthz`, after).then(
        (answer) => answer.status,
        () => undefined,
      )
      if (status === 200) return
      await new Promise((resolve) => setTimeout(resolve, 200))
    }
  })

  test('is not taken while its key is another, which the log says', async (t) => {
    const { folder, certificate, server, url, lines } = await started(t)
    const other = await writeCertificate(await testFolder(t, 'tls-other'))
    await writeFile(`${folder}/tls.crt`, other.pem)
    server.reloadFiles()
    assert.equal((await ask(`${url}/healthz`, certificate)).status, 200)
    assert.match(lines.join(''), /was not exchanged/)
  })
})

test('a certificate that cannot be used is said with its place before anything is served', async (t) => {
  const folder = await testFolder(t, 'tls')
  const { certificatePath, keyPath } = await writeCertificate(folder)
  const other = await writeCertificate(await testFolder(t, 'tls-other'))
  await writeFile(`${folder}/empty.pem`, '')
  const CASES: ReadonlyArray<readonly [string, string, RegExp]> = [
    [certificatePath, '', /--tls-key is missing/],
    ['', keyPath, /--tls-cert is missing/],
    [`${folder}/none.pem`, keyPath, /--tls-cert .*none.pem: it cannot be read: ENOENT/],
    [`${folder}/empty.pem`, keyPath, /--tls-cert .*there is no CERTIFICATE in it/],
    [certificatePath, certificatePath, /--tls-key .*there is no PRIVATE KEY in it/],
    [certificatePath, other.keyPath, /--tls-key .*it is not the key of/],
  ]
  for (const [cert, key, message] of CASES) {
    const start = async () => {
      const flags = { engine: 'memory', port: '0', 'tls-cert': cert, 'tls-key': key } as const
      await createServer(readConfig(flags))
    }
    await assert.rejects(start, { name: 'UsageError', message })
  }
})
