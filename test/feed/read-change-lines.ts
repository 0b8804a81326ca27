// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { FeedSubscriber } from './feed-subscriber.ts'
import { jsonLines } from './json-lines.ts'
import type { WatchedQuery } from './watched-table.ts'

/** What `GET /v1/changes` answers behind a position, until everything up to `end` has come. */
export async function readChangeLines(
  url: string,
  query: WatchedQuery,
  { since, end }: { readonly since: number; readonly end: number },
): Promise<FeedSubscriber> {
  const subscriber = new FeedSubscriber(query, { since })
  const { sql, params = [] } = query
  const asked = new URLSearchParams({ sql, params: JSON.stringify(params), since: String(since) })
  const answer = await fetch(`${url}/v1/changes?${asked}`)
  assert.ok(answer.status === 200 && answer.body !== null, `${answer.status}`)
  for await (const lines of jsonLines(answer.body)) {
    for (const line of lines) subscriber.take(line)
    if ((subscriber.position ?? 0) >= end || subscriber.violations.length > 0) break
  }
  return subscriber
}
