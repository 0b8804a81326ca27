// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import type { AnswerBody } from '../server/test-server.ts'

/** Statements at one server of a pair, with a token. */
export class QueryClient {
  readonly url: string
  readonly token: string

  constructor(url: string, token: string) {
    this.url = url
    this.token = token
  }

  async send(
    path: string,
    body?: object,
    method = body === undefined ? 'GET' : 'POST',
    headers: Readonly<Record<string, string>> = {},
  ): Promise<{ readonly status: number; readonly body: AnswerBody; readonly headers: Headers }> {
    const answer = await fetch(`${this.url}${path}`, {
      method,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await answer.text()
    const isJson = /\bjson\b|\+json/.test(answer.headers.get('content-type') ?? '')
    const shown = isJson && text !== '' ? JSON.parse(text) : text
    return { status: answer.status, body: shown, headers: answer.headers }
  }

  query(sql: string, headers: Readonly<Record<string, string>> = {}) {
    return this.send('/v1/query', { sql }, 'POST', headers)
  }

  /** As `rows`, of all pages of a SCAN. */
  async allRows(sql: string, options: object = {}): Promise<AnswerBody[]> {
    const rows: AnswerBody[] = []
    let next: object = {}
    for (;;) {
      const page = { sql, pageSize: 10_000, ...options, ...next }
      const { status, body } = await this.send('/v1/query', page)
      assert.equal(status, 200, JSON.stringify(body))
      rows.push(...body.results[0].rows)
      const { cursor } = body
      if (cursor === undefined) return rows
      next = { cursor }
    }
  }

  /** The rows of the last statement, which has to succeed. */
  async rows(sql: string): Promise<AnswerBody[]> {
    const { status, body } = await this.query(sql)
    assert.equal(status, 200, JSON.stringify(body))
    return body.results.at(-1).rows
  }

  /** Until the rows are these. */
  async untilRows(sql: string, expected: readonly object[]): Promise<void> {
    await until(
      async () => {
        // A standby that opens itself again is away for a moment.
        const rows = (await this.query(sql).catch(() => undefined))?.body.results?.at(-1)?.rows
        return JSON.stringify(rows) === JSON.stringify(expected)
      },
      `${sql} to be ${JSON.stringify(expected)}`,
    )
  }
}

const PATIENCE_MS = 60_000

/** Waits until it is so; fails where it never is. */
export async function until(isSo: () => Promise<boolean> | boolean, what: string): Promise<void> {
  const endMs = performance.now() + PATIENCE_MS
  while (!(await isSo())) {
    assert.ok(performance.now() < endMs, `waited in vain for ${what}`)
    await delay(20)
  }
}
