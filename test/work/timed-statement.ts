// SPDX-License-Identifier: Apache-2.0
import { Agent, request } from 'node:http'
import type { HostileStatement } from './hostile-statement.ts'

/** How long a statement ran, and how long anybody else waited meanwhile. */
export type Timed = {
  readonly status: number
  readonly elapsedMs: number
  readonly blockedMs: number
}

const agent = new Agent({ keepAlive: true })

/** Sends one request and reads its whole answer; how long that took, from when its body had been handed over. */
function send(url: string, body?: Buffer): Promise<{ status: number; elapsedMs: number }> {
  return new Promise((resolve, reject) => {
    const headers = body && { 'content-type': 'application/json', 'content-length': body.length }
    const method = body === undefined ? 'GET' : 'POST'
    const asked = request(url, { agent, method, ...(headers === undefined ? {} : { headers }) })
    let sentMs = performance.now()
    asked.once('finish', () => {
      sentMs = performance.now()
    })
    asked.once('error', reject)
    asked.once('response', (answer) => {
      answer.resume().once('end', () => {
        resolve({ status: answer.statusCode ?? 0, elapsedMs: performance.now() - sentMs })
      })
      answer.once('error', reject)
    })
    asked.end(body)
  })
}

/** The body is made, and parsed once, before the time is taken: what it costs to read a body is not the statement's. */
export async function timed(
  url: string,
  { text, parameters }: HostileStatement,
  timeoutMs: number,
): Promise<Timed> {
  const body = Buffer.from(JSON.stringify({ sql: text, params: parameters, timeoutMs }))
  let isOver = false
  let blockedMs = 0
  const probe = async (): Promise<void> => {
    while (!isOver) {
      const { elapsedMs } = await send(`${url}/healthz`)
      blockedMs = Math.max(blockedMs, elapsedMs)
    }
  }
  const probing = probe()
  try {
    return { ...(await send(`${url}/v1/query`, body)), blockedMs }
  } finally {
    isOver = true
    await probing
  }
}
