// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { rolesServer } from '../../../test/access/roles-server.ts'
import type { TokenClient } from '../../../test/server/token-server.ts'

/** What is offered where `^` stands, as it was sent. */
async function completions(client: TokenClient, marked: string): Promise<string> {
  const json = { sql: marked.replace('^', ''), offset: marked.indexOf('^') }
  const answer = await client.send({ method: 'POST', path: '/v1/completions', json })
  assert.equal(answer.status, 200, answer.text)
  return answer.text
}

describe('completions', () => {
  test('never name a table, a column, an index or an observer that the role may not know of', async (t) => {
    const { run, client } = await rolesServer(t)
    await run('CREATE TABLE vault (vaultId INTEGER PRIMARY KEY, vaultText TEXT)')
    await run('CREATE INDEX vaultIndex ON vault (vaultText)')
    await run('CREATE WEAK OBSERVER vaultObserver ON vault (vaultText)')
    const app = await client('app', 'READ ON note')
    for (const place of [
      ...['SCAN ^', 'SCAN v^', 'SCAN v^ FROM vault', 'SCAN * FROM ^', 'GET * FROM vault WHERE ^'],
      ...['SCAN * FROM vault USE INDEX ^', 'DROP INDEX ^', 'DROP OBSERVER ^', 'DROP TABLE ^'],
      ...['SCAN v^ FROM note', 'SET ^ ON vault', 'NOTIFY ^', 'DESCRIBE ^', 'GRANT READ ON ^'],
    ]) {
      assert.doesNotMatch(await completions(app, place), /vault/i, place)
    }
    const { items } = JSON.parse(await completions(app, 'SCAN * FROM ^'))
    assert.deepEqual(
      items.map(({ text }: { text: string }) => text),
      ['note'],
    )
    const define = await client('architect', 'DEFINE')
    assert.match(await completions(define, 'SCAN * FROM v^'), /vault/)
  })
})
