// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { ForwardingCellStore } from '../../../bench/engines/forwarding-cell-store.ts'
import { MemoryCellStore } from '../../../storage/cells/memory/memory-cell-store.ts'
import { type CellStore, openGateway } from '../../../storage/storage.ts'
import { Receiving } from '../../../test/relays/receiving.ts'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'

/** A process that is paused: nothing that it sends to the store leaves it. */
class PausableCellStore extends ForwardingCellStore {
  readonly atomicScope = 'row'
  #paused: PromiseWithResolvers<void> | undefined

  pause(): void {
    this.#paused = Promise.withResolvers()
  }

  resume(): void {
    this.#paused?.resolve()
    this.#paused = undefined
  }

  override async readRows(...args: Parameters<ForwardingCellStore['readRows']>) {
    await this.#paused?.promise
    return await super.readRows(...args)
  }

  override async mutateRows(...args: Parameters<ForwardingCellStore['mutateRows']>) {
    await this.#paused?.promise
    return await super.mutateRows(...args)
  }
}

async function gateway(t: TestContext, cellStore: CellStore, url: string): Promise<TestServer> {
  const storage = await openGateway(cellStore)
  const server = await startTestServer(t, { flags: { 'relay-to': url }, deps: { storage } })
  await server.listen()
  return server
}

/** A relay that the first gateway sends, and rows by number. */
async function scene(t: TestContext) {
  const receiving = await Receiving.start(t)
  const store = new MemoryCellStore()
  const pausable = new PausableCellStore(store)
  const first = await gateway(t, pausable, receiving.url)
  await first.query('CREATE TABLE orders (id INTEGER PRIMARY KEY)')
  const { body } = await first.query(`CREATE RELAY shop ON TABLES orders TO '${receiving.url}'`)
  receiving.secret = body.results[0].rows[0].secret
  const insert = async (server: TestServer, id: number) => {
    const { status, text } = await server.query(`INSERT INTO orders (id) VALUES (${id})`)
    assert.equal(status, 200, text)
  }
  const copied = (count: number) =>
    receiving.until(() => receiving.copyOf('orders').length === count, `${count} rows`)
  await insert(first, 1)
  await copied(1)
  await receiving.until(async () => (await first.rows('SHOW RELAYS'))[0].sent === 1, 'counted')
  const second = await gateway(t, store, receiving.url)
  return { receiving, pausable, first, second, insert, copied }
}

/** Each for the first time in its order, and at most so many of them again. */
function assertInOrder({ seen }: Receiving, againMax: number): void {
  const ids = seen.map(({ id }) => id)
  const firsts = [...new Set(ids)]
  assert.ok(ids.length - firsts.length <= againMax, `again: ${ids.length - firsts.length}`)
  assert.deepEqual(firsts, firsts.toSorted())
}

test('of two gateways one sends, also what the other has committed; when it stops, the other goes on', async (t) => {
  const { receiving, first, second, insert, copied } = await scene(t)
  for (let id = 2; id <= 11; id += 1) await insert(id % 2 === 0 ? first : second, id)
  await copied(11)
  await first.server.close()
  for (let id = 12; id <= 14; id += 1) await insert(second, id)
  await copied(14)
  assertInOrder(receiving, 0)
})

test('a gateway that is paused is replaced, and finishes at most the message that it had in hand when it is back', async (t) => {
  const { receiving, pausable, first, second, insert, copied } = await scene(t)
  pausable.pause()
  const begun = performance.now()
  for (let id = 2; id <= 4; id += 1) await insert(second, id)
  await copied(4)
  const tookMs = performance.now() - begun
  assert.ok(tookMs < 25_000, `${tookMs} ms`)
  const [progress] = await second.rows('SHOW RELAYS')
  pausable.resume()
  for (let id = 5; id <= 9; id += 1) await insert(id % 2 === 0 ? first : second, id)
  await copied(9)
  await receiving.until(async () => {
    const [row] = await second.rows('SHOW RELAYS')
    return row.sent === 9
  }, 'all are counted')
  assert.equal(progress.state, 'sending')
  assertInOrder(receiving, 1)
})
