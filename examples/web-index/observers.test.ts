// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { connect } from '../../client-sdk/client.ts'
import { Receiving } from '../../test/relays/receiving.ts'
import { startTestServer } from '../../test/server/test-server.ts'
import { check } from './check.ts'
import { exportClusters, untilExported } from './export.ts'
import * as observers from './observers.ts'
import { crawl } from './pages/crawl.ts'
import { syntheticWeb } from './pages/synthetic-web.ts'
import { untilAtRest } from './rest.ts'
import { createSchema } from './schema.ts'

// Larger ones, with kills in between, are in observers.system.test.ts.
const PAGES = 24

test('what observers make of a small web, crawled twice, is what a recomputation makes of it, and is exported', async (t) => {
  const receiving = await Receiving.start(t)
  const server = await startTestServer(t, {
    flags: { 'relay-to': receiving.url },
    deps: { observers: Object.values(observers) },
  })
  const { url } = await server.listen()
  const db = connect({ url })
  t.after(() => db.close())
  await createSchema(db)
  // An answer is lost, so the message comes again.
  receiving.reply = (_, count) => ({ kind: count === 3 ? 'swallow' : 'pass' })
  receiving.secret = await exportClusters(db, receiving.url)
  for (const round of syntheticWeb(PAGES, 2).rounds) {
    await crawl(db, round, { crawlers: 4, signal: t.signal, onPage() {} })
  }
  await untilAtRest(url, t.signal)
  const { rows, differences } = await check(db, t.signal)
  assert.deepEqual(differences, [])
  const count = (table: string) => rows.get(table) as number
  assert.ok(count('posting') > 100 && count('rank') > 5 && count('dependency') > 2)
  assert.ok(count('cluster') < count('member'), 'there are copies')
  const { clusters, messages } = await untilExported(db, receiving, t.signal)
  assert.equal(clusters, count('cluster'))
  assert.ok(messages < receiving.seen.length, 'one of them came twice')
})
