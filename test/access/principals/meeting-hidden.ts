// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { RuledTable } from './ruled-table.ts'
import { type About, unchangingSet, upsertOf } from './statements.ts'
import { shown, type TwoServers } from './two-servers.ts'

/**
 * The first principal writes what is there into a range, which no hidden row is in. And it inserts rows that meet
 * hidden ones by their keys and would change them: the rule refuses each, or what is wrong with the new row itself,
 * as where there is no other row; nothing that only the hidden row has is told.
 */
export async function meetHidden(
  servers: TwoServers,
  table: RuledTable,
  about: About,
): Promise<void> {
  const { a, alone } = servers
  if (!table.isOneRule(a.claims) || !table.may('WRITE')) return
  const { sql: range } = unchangingSet(about)
  await servers.same(range, (client) => client.query(range))
  if (table.exactness !== 'row') return
  const hidden = await servers.hidden(table)
  if (hidden.length === 0) return
  for (let left = 3; left > 0; left -= 1) {
    const sql = upsertOf(about, JSON.parse(about.choose.oneOf(hidden)))
    const answer = await a.client.query(sql)
    assert.notEqual(answer.status, 200, `has met a hidden row: ${sql}`)
    if (answer.body.code === 'rule_violated') continue
    assert.equal(shown(answer), shown(await alone.query(sql)), `told of a hidden row: ${sql}`)
  }
  assert.deepEqual(await servers.hidden(table), hidden, 'a hidden row was met, and has changed')
}
