// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { cp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { connect } from '../../client-sdk/client.ts'
import { openSocket } from '../server/socket-client.ts'
import { testFolder } from '../test-folder.ts'
import { ALL, Asker, doorsOf, type Kept, keep, portOf, TABLE } from './kept-things.ts'

const SET = "SET balance = 12 ON account WHERE id = 'bob'"

/** Doors whose answer does not end, or that want more than what is kept. */
const OTHER_DOORS = /changes|COMMIT|ROLLBACK|query in|outcome/

/** Whoever sends what is kept goes on, with its name and with the id of the history alone. */
async function requireTaken(t: TestContext, asker: Asker, kept: Kept): Promise<void> {
  const [id = ''] = kept.history.split('.')
  const client = await openSocket(t, portOf(asker))
  for (const history of [kept.history, id]) {
    for (const [name, [path, asked]] of doorsOf(kept, { 'percolite-history': history })) {
      if (OTHER_DOORS.test(name)) continue
      const { status, body } = await asker.ask(path, asked)
      assert.ok(status === 200 || status === 201, `${name}: ${status} ${JSON.stringify(body)}`)
    }
    const { timestamp: since } = kept
    assert.equal((await client.subscribe(history, ALL, { since, history })).type, 'subscribed')
  }
}

/** A server whose files were copied, and another one on the copy; what each of them has told. */
async function putBack(t: TestContext, state: 'running' | 'stopped') {
  const folder = await testFolder(t, 'put-back')
  const [data, copy] = [join(folder, 'data'), join(folder, 'copy')]
  let asker = await Asker.start(t, data)
  await asker.write(TABLE)
  await asker.write("INSERT INTO account (id, balance) VALUES ('bob', 10)")
  const kept = await keep(asker)
  const read = { ...kept, timestamp: (await asker.sql(ALL)).body.readTimestamp }
  // A kill ends nobody's bookmark of what was acknowledged, nor of what was read last.
  await asker.server.killNine()
  asker = await Asker.start(t, data)
  for (const one of [kept, read]) await requireTaken(t, asker, one)

  if (state === 'stopped') await asker.server.stop()
  await cp(data, copy, { recursive: true })
  const copiedAt = Date.now()
  if (state === 'stopped') asker = await Asker.start(t, data)
  // A copy of a running server says only that nothing was given out above its mark, a second ahead.
  else while (Date.now() < copiedAt + 1_500) await asker.write(SET)
  await asker.write("DELETE FROM account WHERE id = 'eve'")
  const lost = await keep(asker)
  await asker.server.killNine()
  await rm(data, { recursive: true })
  await cp(copy, data, { recursive: true })
  return { asker: await Asker.start(t, data), kept, lost }
}

for (const state of ['running', 'stopped'] as const) {
  test(`files copied of a ${state} server and put back by cp alone refuse what they have lost`, async (t) => {
    const { asker, kept, lost } = await putBack(t, state)
    const { timestamp: since, history } = lost
    const headers = { 'percolite-history': history }
    for (const [name, [path, asked]] of doorsOf(lost, headers)) {
      const { status, body } = await asker.ask(path, asked)
      const about = `${name}: ${JSON.stringify(body)}`
      assert.deepEqual([status, body.code], [410, 'history_replaced'], about)
    }
    const client = await openSocket(t, portOf(asker))
    const error = await client.subscribe('lost', ALL, { since, history })
    assert.equal(error.code, 'history_replaced')
    // The copy of a stopped server has not the epoch; that of a running one may have what the key was sent with.
    const insert = "INSERT INTO account (id, balance) VALUES ('kim', 1)"
    const keyed = await asker.sql(insert, {}, { ...headers, 'idempotency-key': 'k' })
    assert.equal(keyed.status, state === 'stopped' ? 410 : 200)
    await requireTaken(t, asker, kept)

    const db = connect({ url: asker.server.url })
    t.after(() => db.close())
    await using subscription = db.subscribe(ALL, [], { since, history })
    const reset = { kind: 'reset', reason: 'history_replaced' }
    assert.deepEqual((await subscription.next()).value, reset)
    await asker.server.stop()
  })
}
