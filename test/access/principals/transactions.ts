// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { RuledTable } from './ruled-table.ts'
import { type About, guarding, randomReading, type Statement } from './statements.ts'
import { touchHidden } from './touch-hidden.ts'
import { bodyOf, shown, type TwoServers } from './two-servers.ts'

/**
 * Reads and guards in a transaction of several requests, while rows that are hidden from it are written: they stand in
 * the way of nothing, and the transaction is nobody else's.
 */
export async function compareTransaction(
  servers: TwoServers,
  table: RuledTable,
  about: About,
): Promise<void> {
  const { a, alone, b } = servers
  const path = '/v1/transactions'
  const open = { method: 'POST', path, json: {} } as const
  const [one, other] = [await a.client.send(open), await alone.send(open)]
  const [id, idAlone] = [one.body.transaction, other.body.transaction]
  const ask = async (statement: Statement) => {
    const { sql, ...more } = bodyOf(statement)
    const answers = [
      await a.client.query(sql, { ...more, transaction: id }),
      await alone.query(sql, { ...more, transaction: idAlone }),
    ] as const
    assert.equal(shown(answers[0]), shown(answers[1]), `in a transaction: ${sql}`)
    return answers[0]
  }
  let isOpen = true
  for (let n = 0; n < 3 && isOpen; n += 1) {
    const guards = table.isOneRule(a.claims) && about.choose.percent(50)
    const answer = await ask(guards ? guarding(about) : randomReading(about))
    isOpen = answer.body.code !== 'check_failed'
    await touchHidden(servers, table, about.choose)
  }
  for (const foreign of [`${path}/${id}`, `${path}/${id}/commit`]) {
    const method = foreign.endsWith('commit') ? 'POST' : 'GET'
    const { body } = await b.client.send({ method, path: foreign })
    assert.equal(body.code, 'unknown_transaction', `${method} of another`)
  }
  const listed = (await b.client.send({ path })).body.transactions
  assert.deepEqual(listed, [], 'transactions of another')
  const commits = [
    await a.client.send({ method: 'POST', path: `${path}/${id}/commit` }),
    await alone.send({ method: 'POST', path: `${path}/${idAlone}/commit` }),
  ] as const
  assert.equal(commits[0].body.code, commits[1].body.code, 'a hidden row is in the way of a commit')
  await servers.align(table)
}
