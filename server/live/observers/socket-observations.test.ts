// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { ObservedServer } from '../../../test/server/observed-server.ts'
import type { Frame, SocketClient } from '../../../test/server/socket-client.ts'
import { SERVER_LIMITS } from '../../limits.ts'

async function observedServer(t: TestContext): Promise<ObservedServer> {
  const observed = await ObservedServer.start(t)
  await observed.createObserver('count')
  return observed
}

/** The next notification of this observation. */
function notified(worker: SocketClient, id = 'o'): Promise<Frame> {
  return worker.next((frame) => frame.id === id && frame.type === 'notification')
}

/** A notification whose lease passes at once, so that another worker gets it as well; and no other. */
async function holdBriefly(worker: SocketClient): Promise<Frame> {
  worker.send({ type: 'observe', id: 'o', observer: 'count', leaseMs: 1 })
  const notification = await notified(worker)
  worker.send({ type: 'unobserve', id: 'o' })
  await worker.next(({ type }) => type === 'unobserved')
  return notification
}

async function release(worker: SocketClient, notification: string, error?: string): Promise<Frame> {
  const id = `release ${notification}`
  worker.send({ type: 'release', id, notification, ...(error === undefined ? {} : { error }) })
  return await worker.about(id)
}

const COUNT = 'SET runs = $1 ON word_count WHERE id = 1'

test('a worker is told of a change, and acknowledges it in the transaction of its query', async (t) => {
  const observed = await observedServer(t)
  const worker = await observed.connect(t)
  worker.send({ type: 'observe', id: 'o', observer: 'count' })
  await observed.write(1, 'one two')
  const { notification, table, key, timestamp } = await notified(worker)
  assert.deepEqual([table, key], ['page', [1]])
  assert.ok(timestamp > 0)
  const done = await worker.query(COUNT, { params: [2], notification })
  assert.equal(done.type, 'result')
  const { runs, deadLetters } = await observed.drained('count')
  assert.deepEqual([runs, deadLetters.count], [1, 0])
  const over = await worker.query(COUNT, { params: [3], notification })
  assert.deepEqual([over.code, over.status], ['unknown_notification', 404])
  assert.equal(worker.unread.length, 0)
})

test('a run over several frames: the change that comes during it is told of again', async (t) => {
  const observed = await observedServer(t)
  const worker = await observed.connect(t)
  worker.send({ type: 'observe', id: 'o', observer: 'count' })
  await observed.write(1, 'first')
  const { notification } = await notified(worker)
  const { transaction } = await worker.query('BEGIN', { notification })
  const read = await worker.query('GET text FROM page WHERE id = 1', { transaction })
  assert.equal(read.results[0].rows[0].text, 'first')
  await observed.write(1, 'second')
  await worker.query(COUNT, { params: [1], transaction })
  const committed = await worker.query('COMMIT', { transaction })
  assert.ok(committed.commitTimestamp)
  const again = await notified(worker)
  assert.notEqual(again.notification, notification)
  await worker.query(COUNT, { params: [2], notification: again.notification })
  assert.equal((await observed.drained('count')).runs, 2)
})

test('the notification may stand in any frame of the transaction, and in several', async (t) => {
  const observed = await observedServer(t)
  const worker = await observed.connect(t)
  worker.send({ type: 'observe', id: 'o', observer: 'count' })
  for (const frames of [
    [{}, { notified: true }, { notified: true }, {}],
    [{}, {}, {}, { notified: true }],
  ] as const) {
    await observed.write(1, 'text')
    const { notification } = await notified(worker)
    const [first, second, third, last] = frames.map((frame) =>
      'notified' in frame ? { notification } : {},
    )
    const { transaction } = await worker.query('BEGIN', first)
    await worker.query(COUNT, { params: [1], transaction, ...second })
    await worker.query(COUNT, { params: [2], transaction, ...third })
    const committed = await worker.query('COMMIT', { transaction, ...last })
    assert.ok(committed.commitTimestamp)
    await observed.drained('count')
  }
  assert.equal((await observed.status('count')).runs, 2)
})

test('two workers race for one change: one of them commits, the other has nothing to do', async (t) => {
  const observed = await observedServer(t)
  const workers = [await observed.connect(t), await observed.connect(t)] as const
  let rows = 0
  for (let race = 0; race < 20; race += 1) {
    await observed.write(1, `text ${race}`)
    const held: Frame[] = []
    for (const worker of workers) held.push(await holdBriefly(worker))
    const answers = await Promise.all(
      workers.map((worker, n) =>
        worker.query('INSERT INTO word_count (id, runs) VALUES ($1, $2)', {
          params: [100 + race * 2 + n, race],
          notification: held[n].notification,
        }),
      ),
    )
    const codes = answers.map(({ type, code }) => code ?? type).toSorted()
    assert.deepEqual(codes, ['already_observed', 'result'])
    rows += 1
    await observed.drained('count')
  }
  assert.equal((await observed.run('SCAN id FROM word_count')).length, rows)
})

test('of two transactions over several frames one commits; the other meets a conflict, then nothing', async (t) => {
  const observed = await observedServer(t)
  const [one, other] = [await observed.connect(t), await observed.connect(t)] as const
  await observed.write(1, 'text')
  const [first, second] = [await holdBriefly(one), await holdBriefly(other)]
  const { transaction } = await one.query('BEGIN', { notification: first.notification })
  const late = await other.query('BEGIN', { notification: second.notification })
  await one.query(COUNT, { params: [1], transaction })
  await other.query('SET runs = 9 ON word_count WHERE id = 9', { transaction: late.transaction })
  assert.equal((await one.query('COMMIT', { transaction })).type, 'result')
  const lost = await other.query('COMMIT', { transaction: late.transaction })
  assert.deepEqual([lost.code, lost.retryable], ['write_conflict', true])
  const again = { transaction: (await other.query('BEGIN')).transaction }
  await other.query('SET runs = 9 ON word_count WHERE id = 9', again)
  const none = await other.query('COMMIT', { ...again, notification: second.notification })
  assert.deepEqual([none.code, none.status], ['already_observed', 409])
  assert.equal((await other.query('COMMIT', again)).code, 'already_observed')
  await observed.drained('count')
  assert.deepEqual(await observed.run('SCAN id FROM word_count'), [{ id: 1 }])
})

test('what a socket held is given to another at once when it closes', async (t) => {
  const observed = await observedServer(t)
  const [first, second] = [await observed.connect(t), await observed.connect(t)] as const
  first.send({ type: 'observe', id: 'o', observer: 'count' })
  await observed.write(1, 'text')
  const { notification } = await notified(first)
  const { transaction } = await first.query('BEGIN', { notification })
  await first.query(COUNT, { params: [1], transaction })
  second.send({ type: 'observe', id: 'o', observer: 'count' })
  first.socket.close()
  const again = await notified(second)
  assert.deepEqual(again.key, [1])
  await second.query(COUNT, { params: [2], notification: again.notification })
  await observed.drained('count')
  assert.deepEqual(await observed.run('SCAN runs FROM word_count'), [{ runs: 2 }])
})

test('a notification that is released is given to the next, and with an error it counts as failed', async (t) => {
  const observed = await observedServer(t)
  const worker = await observed.connect(t)
  worker.send({ type: 'observe', id: 'o', observer: 'count' })
  await observed.write(1, 'text')
  const first = await notified(worker)
  assert.equal((await release(worker, first.notification)).type, 'released')
  const second = await notified(worker)
  assert.equal((await release(worker, second.notification, 'TypeError: no words')).type, 'released')
  const third = await notified(worker)
  const { failures, runs, lastError } = await observed.status('count')
  assert.deepEqual([failures, runs, lastError.error], [1, 0, 'TypeError: no words'])
  const unknown = await release(worker, first.notification)
  assert.deepEqual([unknown.type, unknown.code], ['error', 'unknown_notification'])
  await worker.query(COUNT, { params: [1], notification: third.notification })
  assert.equal((await observed.drained('count')).retries, 1)
})

test('a run that lost a race may be repeated with its notification, or given up without blame', async (t) => {
  const observed = await observedServer(t)
  await observed.run('INSERT INTO word_count (id, runs) VALUES (1, 0)')
  const worker = await observed.connect(t)
  worker.send({ type: 'observe', id: 'o', observer: 'count' })
  await observed.write(1, 'text')
  let { notification } = await notified(worker)
  for (const [round, expected] of ['repeated', 'given up'].entries()) {
    const { transaction } = await worker.query('BEGIN', { notification })
    await worker.query('SET runs = runs + 1 ON word_count WHERE id = 1', { transaction })
    await observed.run('SET words = $1 ON word_count WHERE id = 1', [round])
    const lost = await worker.query('COMMIT', { transaction })
    assert.equal(lost.code, 'write_conflict', expected)
  }
  await release(worker, notification)
  notification = (await notified(worker)).notification
  const { conflicts, failures } = await observed.status('count')
  assert.deepEqual([conflicts, failures], [1, 0])
  await worker.query('SET runs = runs + 1 ON word_count WHERE id = 1', { notification })
  await observed.drained('count')
  assert.deepEqual(await observed.run('SCAN runs FROM word_count'), [{ runs: 1 }])
})

test('a notification is run by one transaction at a time, and a transaction runs one', async (t) => {
  const observed = await observedServer(t)
  const worker = await observed.connect(t)
  worker.send({ type: 'observe', id: 'o', observer: 'count', workers: 2 })
  await observed.run("INSERT INTO page (id, text) VALUES (1, 'a'), (2, 'b')")
  const [one, two] = [await notified(worker), await notified(worker)]
  const { transaction } = await worker.query('BEGIN', { notification: one.notification })
  const busy = await worker.query(COUNT, { params: [1], notification: one.notification })
  assert.equal(busy.code, 'transaction_busy')
  const second = { transaction, notification: two.notification }
  assert.equal((await worker.query(COUNT, { params: [1], ...second })).code, 'invalid_request')
  await worker.query('ROLLBACK', { transaction })
  for (const { notification } of [one, two]) {
    assert.equal((await worker.query(COUNT, { params: [2], notification })).type, 'result')
  }
  assert.equal((await observed.drained('count')).runs, 2)
})

test('a worker holds no more than it asked for, over all that a socket observes', async (t) => {
  const observed = await observedServer(t)
  const worker = await observed.connect(t)
  worker.send({ type: 'observe', id: 'o', observer: 'count', workers: 2 })
  await observed.run("INSERT INTO page (id, text) VALUES (1, 'a'), (2, 'b'), (3, 'c')")
  const held = [await notified(worker), await notified(worker)]
  const { running, waiting, pending } = await observed.status('count')
  assert.deepEqual([running, waiting, pending], [2, 0, 3])
  await worker.query(COUNT, { params: [1], notification: held[0].notification })
  await notified(worker)
  const { socketWorkersMax } = SERVER_LIMITS
  worker.send({ type: 'observe', id: 'more', observer: 'count', workers: socketWorkersMax - 1 })
  const { code, limit } = await worker.about('more')
  assert.deepEqual([code, limit], ['limit_exceeded', 'socketWorkersMax'])
})

test('after unobserve nothing more comes, and what is held may be finished', async (t) => {
  const observed = await observedServer(t)
  const worker = await observed.connect(t)
  worker.send({ type: 'observe', id: 'o', observer: 'count' })
  await observed.run("INSERT INTO page (id, text) VALUES (1, 'a'), (2, 'b')")
  const { notification } = await notified(worker)
  worker.send({ type: 'unobserve', id: 'o' })
  assert.equal((await worker.about('o')).type, 'unobserved')
  assert.equal((await worker.query(COUNT, { params: [1], notification })).type, 'result')
  await observed.until('count', ({ pending, running }) => pending === 1 && running === 0)
  assert.equal(worker.unread.length, 0)
})

test('an observation of what is not there, or is dropped, ends with an error', async (t) => {
  const observed = await observedServer(t)
  const worker = await observed.connect(t)
  worker.send({ type: 'observe', id: 'a', observer: 'nobody' })
  assert.equal((await worker.about('a')).code, 'unknown_observer')
  worker.send({ type: 'observe', id: 'b', observer: 'count', workers: 3 })
  await observed.until('count', ({ waiting }) => waiting === 1)
  await observed.run('DROP OBSERVER count')
  assert.equal((await worker.about('b')).code, 'unknown_observer')
})

test('an observation whose only worker is busy ends with an error when the observer is dropped', async (t) => {
  const observed = await observedServer(t)
  const worker = await observed.connect(t)
  worker.send({ type: 'observe', id: 'o', observer: 'count' })
  await observed.run("INSERT INTO page (id, text) VALUES (1, 'a')")
  const { notification } = await notified(worker)
  await observed.run('DROP OBSERVER count')
  assert.equal((await worker.about('o')).code, 'unknown_observer')
  worker.send({ type: 'release', id: 'r', notification })
  assert.equal((await worker.about('r')).type, 'released')
  // One of the same name is another observer.
  await observed.createObserver('count')
  worker.send({ type: 'observe', id: 'p', observer: 'count' })
  assert.deepEqual((await notified(worker, 'p')).key, [1])
})

test('what is wrong with a frame is an error of its id; an id of something else closes the socket', async (t) => {
  const observed = await observedServer(t)
  const worker = await observed.connect(t)
  for (const [index, wrong] of [
    { type: 'observe' },
    { type: 'observe', observer: 7 },
    { type: 'observe', observer: 'count', workers: 0 },
    { type: 'observe', observer: 'count', workers: null },
    { type: 'observe', observer: 'count', leaseMs: 'long' },
    { type: 'observe', observer: 'count', leaseMs: SERVER_LIMITS.observerLeaseMsMax + 1 },
    { type: 'observe', observer: 'count', integers: 'roman' },
    { type: 'observe', observer: 'count', nonsense: 1 },
    { type: 'release', notification: '' },
    { type: 'release', notification: 'n', error: 7 },
    { type: 'query', sql: 'SHOW TABLES', notification: 7 },
  ].entries()) {
    worker.send({ id: `${index}`, ...wrong })
    assert.equal((await worker.about(`${index}`)).code, 'invalid_request', JSON.stringify(wrong))
  }
  worker.send({ type: 'unobserve', id: 'gone' })
  assert.equal((await worker.about('gone')).type, 'unobserved')
  worker.send({ type: 'observe', id: 'o', observer: 'count' })
  worker.send({ type: 'unsubscribe', id: 'o' })
  assert.match((await worker.closed()).reason, /not that of a subscription/)
})

test('a transaction that only reads, or creates something, acknowledges nothing', async (t) => {
  const observed = await observedServer(t)
  const worker = await observed.connect(t)
  worker.send({ type: 'observe', id: 'o', observer: 'count' })
  await observed.write(1, 'text')
  const { notification } = await notified(worker)
  const codeOf = async (sql: string) => (await worker.query(sql, { notification })).code
  assert.equal(await codeOf('BEGIN READ ONLY'), 'read_only_transaction')
  assert.equal(await codeOf('CREATE TABLE t (id TEXT PRIMARY KEY)'), 'invalid_request')
  assert.equal(await codeOf('BEGIN; GET * FROM page WHERE id = 1; ROLLBACK'), undefined)
  assert.deepEqual((await observed.server.get('/v1/transactions')).body.transactions, [])
  assert.equal((await observed.status('count')).pending, 1)
  assert.equal(await codeOf('GET * FROM page WHERE id = 1'), undefined)
  await observed.drained('count')
})

test('a weak observer is told of hints, and its run needs no write', async (t) => {
  const observed = await ObservedServer.start(t)
  await observed.createObserver('fold', 'WEAK')
  const worker = await observed.connect(t)
  worker.send({ type: 'observe', id: 'o', observer: 'fold', integers: 'string' })
  await observed.run('NOTIFY fold ON page WHERE id = 8')
  const { notification, key } = await notified(worker)
  assert.deepEqual(key, ['8'])
  const done = await worker.query('GET * FROM page WHERE id = 8', { notification })
  assert.equal(done.type, 'result')
  assert.equal((await observed.drained('fold')).runs, 1)
})

test('a stopping server ends observations, and the socket behind the answer of a running query', async (t) => {
  const observed = await observedServer(t)
  const worker = await observed.connect(t)
  worker.send({ type: 'observe', id: 'o', observer: 'count' })
  await observed.until('count', ({ waiting }) => waiting === 1)
  const closed = observed.server.server.close()
  assert.equal((await worker.closed()).code, 1001)
  assert.equal(worker.unread.length, 0)
  await closed
})

test('a release gets through while as many queries are under way as a socket may have', async (t) => {
  const observed = await observedServer(t)
  const worker = await observed.connect(t)
  const count = SERVER_LIMITS.socketQueriesMax + 8
  worker.send({ type: 'observe', id: 'o', observer: 'count', workers: count })
  for (let id = 1; id <= count; id += 1) await observed.write(id, 'text')
  const held: string[] = []
  while (held.length < count) held.push((await notified(worker)).notification)
  // All at once: each of them is held by a query, or is given back.
  for (const [n, notification] of held.entries()) {
    const frame = n < 8 ? { type: 'release' } : { type: 'query', sql: 'BEGIN' }
    worker.send({ ...frame, id: `f${n}`, notification })
  }
  for (const notification of held.slice(0, 8)) {
    worker.send({ type: 'release', id: `again ${notification}`, notification })
  }
  const answers = await Promise.all(held.map((_, n) => worker.about(`f${n}`)))
  assert.deepEqual(
    answers.map(({ type }) => type),
    held.map((_, n) => (n < 8 ? 'released' : 'result')),
  )
  for (const notification of held.slice(0, 8)) {
    const { code } = await worker.about(`again ${notification}`)
    assert.equal(code, 'unknown_notification')
  }
})

test('a run that works on other things for longer than a transaction may idle keeps its row and commits', async (t) => {
  const clock = new ManualClock()
  const observed = await ObservedServer.start(t, { deps: { clock } })
  await observed.createObserver('count')
  const worker = await observed.connect(t)
  const leaseMs = 20 * SERVER_LIMITS.observerLeaseMsDefault
  worker.send({ type: 'observe', id: 'o', observer: 'count', leaseMs })
  await observed.write(1, 'long')
  const { notification } = await notified(worker)
  const { transaction } = await worker.query('BEGIN', { notification })
  const plain = await worker.query('BEGIN')
  await clock.advance(60_000)
  const more = { transaction: plain.transaction }
  assert.equal((await worker.query(COUNT, { ...more, params: [1] })).code, 'transaction_expired')
  assert.equal((await worker.query(COUNT, { transaction, params: [1] })).type, 'result')
  assert.equal((await worker.query('COMMIT', { transaction })).type, 'result')
})
