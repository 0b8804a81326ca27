// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { TestContext } from 'node:test'

/** One expected request and what is answered to it; `drop` closes the connection without an answer. */
export type Exchange = {
  readonly expect: string
  readonly answer?: readonly [status: number, body?: unknown, headers?: Record<string, string>]
  readonly drop?: true
  /** Never answers; the client's patience ends it. */
  readonly silent?: true
}

export type SeenRequest = {
  readonly line: string
  readonly body: unknown
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
}

/**
 * A real HTTP server that plays a script: each request must be the next one expected. What a live
 * server does only when it crashes at the right moment, this one does every time.
 */
export async function startScriptedServer(context: TestContext, script: readonly Exchange[]) {
  const seen: SeenRequest[] = []
  const surprises: string[] = []
  const server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request.setEncoding('utf8')) text += chunk
    const line = `${request.method} ${request.url}`
    const exchange = script[seen.length]
    seen.push({ line, body: text === '' ? undefined : JSON.parse(text), headers: request.headers })
    if (exchange?.expect !== line) {
      surprises.push(`request ${seen.length} is ${line}, not ${exchange?.expect}`)
      response.writeHead(418).end()
    } else if (exchange.drop) {
      request.socket.destroy()
    } else if (!exchange.silent) {
      const [status, body, headers = {}] = exchange.answer ?? [204]
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(body === undefined ? undefined : `${JSON.stringify(body)}\n`)
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const stop = async () => {
    if (!server.listening) return
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  context.after(stop)
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    stop,
    /** The script was played to its end and nothing else was asked. */
    assertPlayed() {
      assert.deepEqual(surprises, [])
      assert.deepEqual(
        seen.map((one) => one.line),
        script.map((one) => one.expect),
      )
    },
  }
}

export function problem(status: number, code: string, fields: Record<string, unknown> = {}) {
  const body = {
    type: `urn:percolite:error:${code}`,
    title: code,
    status,
    code,
    detail: `It is ${code}.`,
    retryable: false,
    ...fields,
  }
  return [status, body, { 'content-type': 'application/problem+json' }] as const
}

type Columns = ReadonlyArray<{ readonly name: string; readonly type: string }>

export function answerOf(columns: Columns, rows: readonly unknown[], more: object = {}) {
  return [
    200,
    { results: [{ columns, rows, rowsAffected: 0 }], readTimestamp: 100, attempts: 1, ...more },
  ] as const
}
