// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { PlanError } from '../../../planner/planner.ts'
import { openStorage } from '../../../storage/storage.ts'
import { subscriberOf } from '../../../test/server/subscriber.ts'
import { startTestServer } from '../../../test/server/test-server.ts'
import type { ClientKey } from '../../guard/budgets/client-key.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { AnswerWriter } from '../../requests/answers/answer-text.ts'
import { ClientWork, SharedWork, type WorkAccount } from './frames/work-accounts.ts'

type Subscribed = Awaited<ReturnType<Awaited<ReturnType<typeof world>>['subscribe']>>

/** Subscriptions of several clients, and how many rows have been looked at for any of them. */
async function world(t: TestContext) {
  const storage = await openStorage({ engine: 'memory' })
  const server = await startTestServer(t, { deps: { storage } })
  await server.query('CREATE TABLE item (id INTEGER PRIMARY KEY, v TEXT)')
  const looked = { count: 0 }
  const writer = new (class extends AnswerWriter {
    override row(...row: Parameters<AnswerWriter['row']>): string {
      looked.count += 1
      return super.row(...row)
    }
  })()
  const subscriber = subscriberOf(t, storage, { writer })
  /** To all rows, for at least so many units of work each; those of one number are one query. */
  const subscribe = async (client: string, number: number, units = 1) => {
    const sql = `SCAN id, ${number} AS n FROM item WHERE length(v || :t) > 0`
    const made = subscriber({ sql, params: { t: 'a'.repeat(units) } }, client)
    const begun = made.sink.until((frames) => frames.length > 0)
    await Promise.race([begun, made.ended.then(assert.ifError)])
    return made
  }
  const insert = async (from: number, count = 1) => {
    const values = Array.from({ length: count }, (_, at) => `(${from + at}, 'v')`)
    assert.equal(
      (await server.query(`INSERT INTO item (id, v) VALUES ${values.join(', ')}`)).status,
      200,
    )
  }
  return { looked, subscribe, insert }
}

const idsTold = ({ sink }: Subscribed): number[] =>
  sink.frames.flatMap(({ changes = [] }) => changes.map(({ key }: { key: number[] }) => key[0]))
const told = async (one: Subscribed, ids: readonly number[]): Promise<void> => {
  const isTold = one.sink.until(() => idsTold(one).length >= ids.length)
  await Promise.race([isTold, one.ended.then((error) => assert.fail(`it ended: ${error}`))])
  assert.deepEqual(idsTold(one), ids)
}

/** Of clients that have been set apart, as they are asked for. */
function accountsOf(t: TestContext): Set<WorkAccount> {
  const accounts = new Set<WorkAccount>()
  const { on } = ClientWork.prototype
  t.mock.method(ClientWork.prototype, 'on', function (this: ClientWork, commit: never) {
    const account = on.call(this, commit)
    accounts.add(account)
    return account
  })
  return accounts
}

test('a client whose subscriptions together cost much is told in turns of its own, and nobody waits or misses a change', async (t) => {
  const { looked, subscribe, insert } = await world(t)
  const units = SERVER_LIMITS.sharedFilterWorkMax / 10
  const heavy: Subscribed[] = []
  for (let number = 0; number < 60; number += 1) {
    heavy.push(await subscribe('heavy', number, units))
  }
  const shared = await subscribe('light', 0, units)
  const light = await subscribe('light', 60)
  const ids: number[] = []
  for (const id of [1, 2]) {
    ids.push(id)
    looked.count = 0
    const counts = Promise.all(
      [light, shared].map(async (one) => {
        await one.sink.until(() => idsTold(one).length >= ids.length)
        return looked.count
      }),
    )
    await insert(id)
    const before = Math.max(...(await counts))
    await Promise.all([light, shared, ...heavy].map((one) => told(one, ids)))
    assert.ok(before < 30, `${before} of 61 queries before the last, commit ${id}`)
  }
})

test('beyond what a client may spend on a commit its costly subscriptions end, and its cheap ones and others go on', async (t) => {
  const { subscribe, insert } = await world(t)
  const accounts = accountsOf(t)
  const rows = 80
  // To join two texts and to measure the result costs as much as they are long, each.
  const units = (0.35 * SERVER_LIMITS.filterWorkMax) / rows
  const heavy: Subscribed[] = []
  for (let number = 0; number < 26; number += 1) {
    heavy.push(await subscribe('heavy', number, units))
  }
  const cheap = await subscribe('heavy', 26)
  const light = await subscribe('light', 0)
  const ids = Array.from({ length: rows }, (_, id) => id)
  await insert(0, rows)
  await Promise.all([told(light, ids), told(cheap, ids)])
  const ended = await Promise.all(
    heavy.map((one) =>
      Promise.race([one.ended, one.sink.until(() => idsTold(one).length >= rows)]),
    ),
  )
  const errors = ended.filter((error) => error !== undefined)
  assert.ok(errors.length > 0 && errors.length < heavy.length, `${errors.length} have ended`)
  for (const error of errors) {
    assert.ok(error instanceof PlanError && error.code === 'limit_exceeded', `${error}`)
    assert.equal(error.fields.limit, 'clientFilterWorkMax')
  }
  const most = Math.max(...[...accounts].map(({ spent }) => spent))
  const { clientFilterWorkMax: max } = SERVER_LIMITS
  assert.ok(most > max && most < 2 * max, `${most} units are spent`)
  await insert(rows)
  await Promise.all([told(light, [...ids, rows]), told(cheap, [...ids, rows])])
})

test('a client that comes again after all of its subscriptions have ended is told with the others', async (t) => {
  const { subscribe, insert } = await world(t)
  const accounts = accountsOf(t)
  const heavy = await subscribe('heavy', 0, SERVER_LIMITS.sharedFilterWorkMax / 10)
  const ids = Array.from({ length: 20 }, (_, id) => id)
  await insert(0, ids.length)
  await told(heavy, ids)
  heavy.own.abort(new Error('It leaves.'))
  await heavy.ended
  const again = await subscribe('heavy', 1)
  const light = await subscribe('light', 1)
  assert.equal(accounts.size, 1)
  await insert(20)
  await Promise.all([told(again, [20]), told(light, [20])])
  assert.equal(accounts.size, 1)
})

test('a commit of very many rows may cost as much for each of them as one of ten thousand', () => {
  const { sharedFilterRowWorkMax, clientFilterRowWorkMax } = SERVER_LIMITS
  const row = { key: new Uint8Array(), columns: ['0'], isDelete: false }
  const commit = { commitTs: 1, rows: Array.from({ length: 20_000 }, () => row) }
  const client = 'one' as ClientKey
  const shared = new SharedWork()
  shared.begin(commit)
  assert.equal(shared.of(client).max, 20_000 * sharedFilterRowWorkMax)
  assert.equal(new ClientWork(client).on(commit).max, 20_000 * clientFilterRowWorkMax)
})
