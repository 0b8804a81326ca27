// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { pathPart } from './claims.ts'
import type { RuledTable } from './ruled-table.ts'
import { type About, keyOf } from './statements.ts'
import type { TwoServers } from './two-servers.ts'

const OF_THE_SERVER = [
  ...['/v1/locks', '/v1/conflicts', '/v1/activity', '/v1/check', '/v1/status', '/v1/running'],
  ...[
    '/v1/statements',
    '/v1/subscriptions',
    '/v1/observers',
    '/v1/observers/any/deadLetters',
    '/metrics',
  ],
]

/** Below the rows nobody looks without INSPECT, whatever else the role may do now. */
export async function lookBelow(
  { a, b }: TwoServers,
  { name, table }: RuledTable,
  about: About,
): Promise<void> {
  const key = keyOf(about)
  const parts = table.primaryKey.map(({ column }, at) => pathPart(column.type, key[at]))
  const of = `/v1/tables/${name}`
  const cells = [`${of}/cells/${parts.join(',')}`, `${of}/cells?key=${parts.join(',')}`]
  for (const path of [...cells, ...OF_THE_SERVER]) {
    const { client } = about.choose.oneOf([a, b])
    const { status, body } = await client.send({ path })
    assert.deepEqual([status, body?.code], [403, 'not_permitted'], path)
  }
}
