// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { connect } from '../../client-sdk/client.ts'
import { openSocket } from '../server/socket-client.ts'
import { testFolder } from '../test-folder.ts'
import { ALL, Asker, doorsOf, type Kept, keep, portOf, TABLE } from './kept-things.ts'

const MAIN = fileURLToPath(new URL('../../cli/cli.ts', import.meta.url))
/** With the former id in the header, the answer need not say which timestamps are lost. */
async function requireReplaced(
  asker: Asker,
  kept: Kept,
  expected: object,
  gap?: object,
): Promise<void> {
  for (const headers of [{}, { 'percolite-history': kept.history }]) {
    for (const [name, [path, asked]] of doorsOf(kept, headers)) {
      const { status, body } = await asker.ask(path, asked)
      const about = `${name}, ${JSON.stringify(headers)}: ${JSON.stringify(body)}`
      assert.equal(status, 410, about)
      assert.equal(body.code, 'history_replaced', about)
      assert.equal(body.retryable, false)
      assert.deepEqual({ ...body, ...expected }, body, about)
      const isJudged = !('percolite-history' in headers)
      if (isJudged) assert.deepEqual(body.gap, gap, about)
    }
  }
}

test('what a client kept of a store that was removed and made again is refused at every door', async (t) => {
  const data = join(await testFolder(t, 'removed'), 'data')
  const before = await Asker.start(t, data)
  await before.write(TABLE)
  await before.write("INSERT INTO account (id, balance) VALUES ('bob', 10)")
  const kept = await keep(before)
  await before.server.stop()
  await rm(data, { recursive: true })

  const after = await Asker.start(t, data)
  await requireReplaced(after, kept, {})
  await after.write(TABLE)
  const { timestamp: since, history } = kept
  const { history: now, historyFrom: from } = (await after.ask('/v1/status')).body
  assert.notEqual(now, history)
  assert.ok(from > since)
  await requireReplaced(after, kept, { history: now, from })

  // On a socket, where the welcome names the history: never `subscribed`.
  const client = await openSocket(t, portOf(after))
  assert.equal(client.welcome?.history, now)
  for (const more of [{ since }, { since, history }, { since: from + 1_000_000, history }]) {
    const error = await client.subscribe(JSON.stringify(more), ALL, more)
    assert.deepEqual([error.type, error.code], ['error', 'history_replaced'])
  }
  const subscribed = await client.subscribe('now', ALL, { snapshot: true, history })
  assert.deepEqual([subscribed.type, subscribed.history], ['subscribed', now])
  for (const more of [{ asOf: since }, { minTimestamp: since }, { asOf: from, history }]) {
    const error = await client.query('SHOW TABLES', more)
    assert.equal(error.code, 'history_replaced', JSON.stringify(more))
  }
  assert.equal((await client.query('SHOW TABLES', { history })).type, 'result')

  // A request without a timestamp is about the store as it is, whatever its client remembers.
  const headers = { 'percolite-history': history }
  const plain = await after.sql('SHOW TABLES', {}, headers)
  assert.deepEqual([plain.status, plain.headers.get('percolite-history')], [200, now])
  const insert = "INSERT INTO account (id, balance) VALUES ('kim', 1)"
  const bound = await after.sql(insert, {}, { ...headers, 'idempotency-key': 'k' })
  assert.deepEqual([bound.status, bound.body.code], [410, 'history_replaced'])
  const bare = await after.sql(insert, {}, { 'idempotency-key': 'k' })
  assert.equal(bare.status, 200)
  const named = { 'percolite-history': now, 'idempotency-key': 'k' }
  assert.equal((await after.sql(insert, {}, named)).headers.get('idempotent-replayed'), 'true')
  // Two names for one request mean nothing.
  const twice = await after.sql('SHOW TABLES', { history: now }, headers)
  assert.deepEqual([twice.status, twice.body.code], [400, 'invalid_request'])
  // A moment of this store from before its tables keeps its own words.
  const early = await after.sql("GET * FROM account WHERE id = 'kim'", { asOf: from })
  assert.deepEqual([early.status, early.body.code], [404, 'unknown_table'])
  await after.server.stop()
})

test('a copy that was put back and renewed refuses what it has lost, and keeps what it has', async (t) => {
  const folder = await testFolder(t, 'copied')
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')]
  let asker = await Asker.start(t, data)
  await asker.write(TABLE)
  await asker.write("INSERT INTO account (id, balance) VALUES ('bob', 10)")
  const early = await asker.write("SET balance = 11 ON account WHERE id = 'bob'")
  await asker.write("SET balance = 12 ON account WHERE id = 'bob'")
  await asker.server.stop()
  await cp(data, copy, { recursive: true })
  asker = await Asker.start(t, data)
  const lost = await keep(asker)
  const inUse = await percolite('history', 'renew', '--data', data)
  assert.deepEqual([inUse.code, inUse.output], [3, ''])
  await asker.server.stop()

  await rm(data, { recursive: true })
  await cp(copy, data, { recursive: true })
  const renewed = await percolite('history', 'renew', '--data', data, '--json')
  assert.equal(renewed.code, 0, renewed.errors)
  const { id, from, gaps } = JSON.parse(renewed.output)
  asker = await Asker.start(t, data)
  const gap = gaps.at(-1)
  assert.ok(gap.after < lost.timestamp && lost.timestamp < gap.until)
  const now = (await asker.ask('/v1/status')).body.history
  assert.ok(now.startsWith(`${id}.`), now)
  await requireReplaced(asker, lost, { history: now, from }, gap)

  // A form that was open meanwhile is not saved over what is there.
  await asker.write("INSERT INTO account (id, balance) VALUES ('eve', 2)")
  const row = '/v1/tables/account/rows/eve'
  const form = { method: 'PATCH', json: { balance: 3 }, headers: { 'if-match': lost.etag } }
  assert.equal((await asker.ask(row, form)).status, 412)

  // What the copy has goes on.
  const past = await asker.sql(`GET balance FROM account AS OF ${early} WHERE id = 'bob'`)
  assert.deepEqual(past.body.results[0].rows, [{ balance: 11 }])
  const client = await openSocket(t, portOf(asker))
  const subscribed = await client.subscribe('early', ALL, { since: early })
  assert.equal(subscribed.type, 'subscribed')
  const change = await client.about('early')
  assert.deepEqual(change.changes[0].row, { id: 'bob', balance: 12 })
  await asker.server.stop()
})

test('a backup that was restored refuses what came after it, to every client that knows of it', async (t) => {
  const folder = await testFolder(t, 'backup')
  const [data, restored, out] = ['data', 'restored', 'out'].map((name) => join(folder, name))
  assert.ok(data !== undefined && restored !== undefined && out !== undefined)
  const before = await Asker.start(t, data, ['--backups', join(folder, 'backups')])
  await before.write(TABLE)
  await before.write("INSERT INTO account (id, balance) VALUES ('bob', 10)")
  const early = await before.write("SET balance = 11 ON account WHERE id = 'bob'")
  await before.write("SET balance = 12 ON account WHERE id = 'bob'")
  const made = await percolite('backup', '--url', before.server.url, '--out', out)
  assert.equal(made.code, 0, made.errors)
  const lost = await keep(before)
  await before.server.stop()
  const done = await percolite('restore', out, '--data', restored, '--json')
  assert.equal(done.code, 0, done.errors)
  const { id, from, gaps } = JSON.parse(done.output).history

  const after = await Asker.start(t, restored)
  const now = (await after.ask('/v1/status')).body.history
  assert.ok(now.startsWith(`${id}.`), now)
  await requireReplaced(after, lost, { history: now, from }, gaps.at(-1))
  const client = await openSocket(t, portOf(after))
  const { timestamp: since, history } = lost
  for (const more of [{ since }, { since, history }, { since: early, history }]) {
    const error = await client.subscribe(JSON.stringify(more), ALL, more)
    assert.deepEqual([error.type, error.code], ['error', 'history_replaced'])
  }
  await after.write("INSERT INTO account (id, balance) VALUES ('eve', 2)")
  const row = '/v1/tables/account/rows/eve'
  const form = { method: 'PATCH', json: { balance: 3 }, headers: { 'if-match': lost.etag } }
  assert.equal((await after.ask(row, form)).status, 412)
  const past = await after.sql(`GET balance FROM account AS OF ${early} WHERE id = 'bob'`)
  assert.deepEqual(past.body.results[0].rows, [{ balance: 11 }])
  assert.equal((await client.subscribe('early', ALL, { since: early })).type, 'subscribed')
  assert.deepEqual((await client.about('early')).changes[0].row, { id: 'bob', balance: 12 })

  // A write that was sent again is not done a second time where its client names the history; a bare key is of none.
  const insert = "INSERT INTO account (id, balance) VALUES ('kim', 1)"
  const named = { 'percolite-history': history, 'idempotency-key': 'k' }
  const bound = await after.sql(insert, {}, named)
  assert.deepEqual([bound.status, bound.body.code], [410, 'history_replaced'])
  assert.equal((await after.sql(insert, {}, { 'idempotency-key': 'k' })).status, 200)

  // A subscriber of the SDK starts over, and is told why.
  const db = connect({ url: after.server.url })
  t.after(() => db.close())
  for (const bookmark of [{ since }, { since, history }]) {
    await using subscription = db.subscribe(ALL, [], bookmark)
    const reset = { kind: 'reset', reason: 'history_replaced' }
    assert.deepEqual((await subscription.next()).value, reset)
    const { value } = await subscription.next()
    assert.ok(value?.kind === 'rows')
    assert.deepEqual(
      value.rows.map(({ row }) => row.id),
      ['bob', 'eve', 'kim'],
    )
  }
  await after.server.stop()
})

async function percolite(...args: readonly string[]) {
  const child = execFile(process.execPath, [MAIN, ...args])
  let [output, errors] = ['', '']
  child.stdout?.on('data', (chunk) => {
    output += chunk
  })
  child.stderr?.on('data', (chunk) => {
    errors += chunk
  })
  const [code] = await once(child, 'close')
  return { code, output, errors }
}
