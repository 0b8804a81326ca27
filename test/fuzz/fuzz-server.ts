// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { readConfig } from '../../server/config.ts'
import { loadContract } from '../../server/doors/http/openapi/contract.ts'
import { ERROR_CODES, isErrorCode } from '../../server/errors/error-codes.ts'
import { createServer } from '../../server/server.ts'
import { declaredAnswers } from '../server/declared-answers.ts'
import { TestServer } from '../server/test-server.ts'

/** Tables with every type in a row and every type that may be in a key, forward and backward. */
export const FUZZ_TABLES = [
  'CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL DEFAULT 0)',
  `CREATE TABLE every (id TEXT, n INTEGER, r REAL, b BOOLEAN, y BYTES, at TIMESTAMP, j JSON, s TEXT,
     m DECIMAL(20, 4), PRIMARY KEY (id, n DESC))`,
  `CREATE TABLE moment (at TIMESTAMP, y BYTES, b BOOLEAN, r REAL, j JSON DEFAULT '{}', s TEXT,
     PRIMARY KEY (at, y DESC, b, r DESC))`,
]

/** Also beyond what a busy machine makes of the slowest input, which takes about half a second. */
const ANSWER_MS_MAX = 15_000

/** A real server on memory, listening, whose every answer is looked at. */
export class FuzzServer {
  readonly #server: TestServer
  readonly #port: number
  readonly #undeclared: string[]

  private constructor(server: TestServer, port: number, undeclared: string[]) {
    this.#server = server
    this.#port = port
    this.#undeclared = undeclared
  }

  static async start(): Promise<FuzzServer> {
    const undeclared: string[] = []
    const config = readConfig({
      engine: 'memory',
      port: '0',
      'statement-timeout': '5s',
      'transaction-idle-timeout': '1s',
    })
    const contract = loadContract()
    const onAnswer = declaredAnswers(contract, undeclared)
    const server = await createServer(config, { contract, onAnswer })
    const fuzzed = new TestServer(server)
    const { port } = await fuzzed.listen()
    for (const table of FUZZ_TABLES) await fuzzed.rows(table)
    await fuzzed.rows("INSERT INTO account (id, balance) VALUES ('bob', 10), ('joe', 2)")
    return new FuzzServer(fuzzed, port, undeclared)
  }

  async close(): Promise<void> {
    await this.#server.server.close()
  }

  /** Sends a body without a socket and checks the answer. Resolves to its text. */
  async send(path: string, contentType: string, body: Buffer): Promise<string> {
    const headers = { 'content-type': contentType }
    const sent = this.#server.send({ method: 'POST', path, headers, text: body })
    const answer = await answeredInTime(sent)
    this.#assertDeclared(answer.status, String(answer.headers['content-type']), answer.text)
    return answer.text
  }

  /** Sends bytes on a socket of their own, which is half closed behind them, and checks every answer. */
  async exchange(bytes: Buffer): Promise<void> {
    const answered = await answeredInTime(this.#exchange(bytes))
    for (const { status, contentType, body } of answersIn(answered)) {
      this.#assertDeclared(status, contentType, body)
    }
  }

  async assertAlive(): Promise<void> {
    assert.equal((await answeredInTime(this.#server.get('/healthz'))).status, 200)
    const rows = await answeredInTime(this.#server.rows('SHOW TABLES'))
    assert.ok(rows.length >= FUZZ_TABLES.length)
  }

  /** Success, or a problem of the table of codes that is no fault of the server; as openapi.yaml says. */
  #assertDeclared(status: number, contentType: string, body: string): void {
    assert.deepEqual(this.#undeclared.splice(0), [], 'openapi.yaml declares every answer')
    if (status < 400) return
    assert.match(contentType, /^application\/problem\+json/, `${status} ${body}`)
    if (body === '') return // Only to HEAD: whatever has this type has a body otherwise.
    const { code } = JSON.parse(body)
    assert.ok(isErrorCode(code) && code !== 'internal', body)
    assert.equal(ERROR_CODES[code].status, status, body)
  }

  #exchange(bytes: Buffer): Promise<Buffer> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = []
      const socket = connect(this.#port, '127.0.0.1', () => socket.end(bytes))
      socket.on('data', (chunk: Buffer) => chunks.push(chunk))
      socket.on('close', () => resolve(Buffer.concat(chunks)))
      // The server may well close while we still write; what it said before is its answer.
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error)
      })
    })
  }
}

async function answeredInTime<T>(answer: Promise<T>): Promise<T> {
  const sentAtMs = performance.now()
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer in ${ANSWER_MS_MAX} ms`)), ANSWER_MS_MAX)
  })
  try {
    const answered = await Promise.race([answer, late])
    // Work that does not pause keeps the timer from firing, and every other client waiting.
    const ms = performance.now() - sentAtMs
    assert.ok(ms < ANSWER_MS_MAX, `the answer took ${ms} ms`)
    return answered
  } finally {
    clearTimeout(timer)
  }
}

type SocketAnswer = { status: number; contentType: string; body: string }

/** Cuts what came back into answers; one that is cut short is a failure. */
function answersIn(bytes: Buffer): SocketAnswer[] {
  const answers: SocketAnswer[] = []
  let rest = bytes
  while (rest.length > 0) {
    const headEnd = rest.indexOf('\r\n\r\n')
    assert.ok(headEnd > 0, `no head in ${rest.toString('latin1').slice(0, 200)}`)
    const head = rest.toString('latin1', 0, headEnd)
    const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(head)?.[1])
    assert.ok(status >= 100, head)
    const contentType = /^content-type: (.*)$/im.exec(head)?.[1] ?? ''
    const length = Number(/^content-length: (\d+)$/im.exec(head)?.[1] ?? 0)
    rest = rest.subarray(headEnd + 4)
    // The answer to HEAD tells the length of a body that does not come.
    const body = rest.subarray(0, rest.toString('latin1', 0, 5) === 'HTTP/' ? 0 : length)
    assert.ok(body.length === 0 || body.length === length, 'the answer is cut short')
    if (status >= 200) answers.push({ status, contentType, body: body.toString() })
    rest = rest.subarray(body.length)
  }
  return answers
}
