// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { MemoryCellStore } from '../../../../storage/cells/memory/memory-cell-store.ts'
import { openGateway } from '../../../../storage/storage.ts'
import { auditedServer } from '../../../../test/access/audited-server.ts'
import { AddressedClient } from '../../../../test/server/addressed-client.ts'
import { startTestServer } from '../../../../test/server/test-server.ts'

test('who asks at another server is judged where its transaction is, and the audit log there has its address', async (t) => {
  const cellStore = new MemoryCellStore()
  const own = await auditedServer(t, { deps: { storage: await openGateway(cellStore) } })
  const { tokens, admin, events } = own
  await admin.rows('CREATE TABLE note (id INTEGER PRIMARY KEY)')
  await admin.rows('CREATE ROLE app; GRANT READ ON note TO app')
  const [reader, other] = [
    await tokens.made('CREATE TOKEN reader ROLE app EXPIRES IN 1 DAY'),
    await tokens.made('CREATE TOKEN other ROLE app EXPIRES IN 1 DAY'),
  ]
  const deps = { storage: await openGateway(cellStore), clock: tokens.clock }
  const second = await startTestServer(t, { deps })
  const { url } = await second.listen()
  const opened = await tokens.as(reader).send({ method: 'POST', path: '/v1/transactions' })
  const path = `/v1/transactions/${opened.body.transaction}`
  const client = new AddressedClient(url, '127.0.0.7')
  const send = (sql: string, token: string) =>
    client.send('POST', `${path}/query`, { sql }, { authorization: `Bearer ${token}` })
  const read = await send('SCAN * FROM note USE PRIMARY KEY', reader)
  assert.deepEqual([read.status, read.body.results[0].rows], [200, []])
  const write = await send('INSERT INTO note (id) VALUES (1)', reader)
  assert.deepEqual([write.status, write.body.code], [403, 'not_permitted'])
  const foreign = await send('SCAN * FROM note USE PRIMARY KEY', other)
  assert.deepEqual([foreign.status, foreign.body.code], [404, 'unknown_transaction'])
  client.close()
  const refused = (await events()).filter(({ event }) => event === 'refused')
  const principal = `token:${reader.slice(4, 14)}`
  assert.deepEqual(
    refused.map((line) => [line.address, line.principal, line.operation, line.code]),
    [['127.0.0.7', principal, 'queryInTransaction', 'not_permitted']],
  )
})
