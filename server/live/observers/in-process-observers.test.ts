// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import test from 'node:test'
import { ManualClock } from '../../../test/manual-clock.ts'
import { ObservedServer, Runs } from '../../../test/server/observed-server.ts'
import { defineObserver, type ObserverTransaction } from './define-observer.ts'

test('a function runs for each row that changes, and what it writes is committed with it', async (t) => {
  const count = new Runs('count', async (tx, { key, row }) => {
    const words = String(row?.text).split(' ').length
    await tx.query('SET words = :words ON word_count WHERE id = :id', { words, id: key[0] })
  })
  const observed = await ObservedServer.start(t, { deps: { observers: [count.defined] } })
  await observed.createObserver('count')
  await observed.run("INSERT INTO page (id, text) VALUES (1, 'one two'), (2, 'one two three')")
  assert.equal((await observed.drained('count')).runs, 2)
  assert.deepEqual(await observed.run('SCAN id, words FROM word_count'), [
    { id: 1, words: 2 },
    { id: 2, words: 3 },
  ])
  const event = count.events.find(({ key }) => key[0] === 1)
  assert.deepEqual([event?.observer, event?.table, event?.key], ['count', 'page', [1]])
  assert.deepEqual({ ...event?.row }, { id: 1, text: 'one two', visits: null })
  await observed.run('SET visits = 5 ON page WHERE id = 1')
  assert.equal((await observed.drained('count')).runs, 2, 'nobody observes visits')
})

test('of a row that was deleted there is the key and no row', async (t) => {
  const forget = new Runs('forget')
  const observed = await ObservedServer.start(t, { deps: { observers: [forget.defined] } })
  await observed.createObserver('forget')
  await observed.write(7, 'gone soon')
  await observed.drained('forget')
  await observed.run('DELETE FROM page WHERE id = 7')
  await observed.drained('forget')
  const last = forget.events.at(-1)
  assert.deepEqual([last?.key, last?.row], [[7], undefined])
})

test('of 1,000 changes of one cell there are fewer runs, and no change after the last', async (t) => {
  const seen: unknown[] = []
  const follow = new Runs('follow', async (_tx, { row }) => seen.push(row?.text))
  const data = await mkdtemp(join(tmpdir(), 'percolite-observers-'))
  const flags = { engine: 'sqlite', data }
  const observed = await ObservedServer.start(t, {
    flags,
    deps: { observers: [follow.defined] },
  })
  t.after(() => rm(data, { recursive: true }))
  await observed.createObserver('follow')
  for (let change = 1; change <= 1_000; change += 1) await observed.write(1, `v${change}`)
  const { runs, deadLetters } = await observed.drained('follow')
  assert.ok(runs > 0 && runs < 1_000, `${runs} runs`)
  assert.equal(deadLetters.count, 0)
  assert.equal(seen.at(-1), 'v1000')
})

test('a run that throws leaves nothing, and is tried again', async (t) => {
  let tries = 0
  const fail = new Runs('fail', async (tx) => {
    tries += 1
    await tx.query('SET words = $1 ON word_count WHERE id = $1', [tries])
    if (tries === 1) throw new TypeError('the first one')
  })
  const observed = await ObservedServer.start(t, { deps: { observers: [fail.defined] } })
  await observed.createObserver('fail')
  await observed.write(1, 'text')
  const { runs, retries, failures, lastError } = await observed.drained('fail')
  assert.deepEqual([runs, retries, failures], [1, 1, 1])
  assert.deepEqual([lastError.key, lastError.error], [[1], 'TypeError: the first one'])
  assert.deepEqual(await observed.run('SCAN id FROM word_count'), [{ id: 2 }])
})

test('whatever a function throws, it is tried again, and its worker lives on', async (t) => {
  const circular = new Error('round and round')
  circular.cause = circular
  const thrown: unknown[] = [Object.create(null), circular, null, Symbol('odd')]
  const fail = new Runs('fail', async () => {
    if (thrown.length > 0) throw thrown.shift()
  })
  const clock = new ManualClock()
  const observed = await ObservedServer.start(t, { deps: { observers: [fail.defined], clock } })
  await observed.createObserver('fail')
  await observed.write(1, 'text')
  while ((await observed.status('fail')).pending > 0) await clock.advance(1_000)
  const { runs, failures, lastError } = await observed.status('fail')
  assert.deepEqual([runs, failures, lastError.error], [1, 4, 'Symbol(odd)'])
})

test('the error of a statement is told with its code, as clients know it', async (t) => {
  const fail = new Runs('fail', (tx) => tx.query('GET nonsense FROM page WHERE id = 1'))
  const observed = await ObservedServer.start(t, { deps: { observers: [fail.defined] } })
  await observed.createObserver('fail')
  await observed.write(1, 'text')
  const { lastError } = await observed.until('fail', ({ failures }) => failures > 0)
  assert.equal(lastError.error, 'unknown_column: The table page has no column nonsense.')
})

test('a poisoned row becomes a dead letter, and RESUME takes it up; the others go on', async (t) => {
  let isPoisonous = true
  const poisoned = new Runs('poisoned', async (_tx, { key }) => {
    if (isPoisonous && key[0] === 13) throw new Error('poison')
  })
  const clock = new ManualClock()
  const deps = { observers: [poisoned.defined], clock }
  const observed = await ObservedServer.start(t, { deps })
  await observed.createObserver('poisoned')
  await observed.run("INSERT INTO page (id, text) VALUES (12, 'a'), (13, 'b'), (14, 'c')")
  const given = async () => (await observed.status('poisoned')).deadLetters
  while ((await given()).count === 0) await clock.advance(1_000)
  const status = await observed.status('poisoned')
  assert.deepEqual([status.runs, status.failures, status.pending], [2, 10, 1])
  const [letter] = status.deadLetters.rows
  assert.deepEqual([letter.key, letter.error, letter.tries], [[13], 'Error: poison', 10])
  await clock.advance(120_000)
  assert.equal(poisoned.events.length, 12, 'it is left alone')

  isPoisonous = false
  await observed.run('ALTER OBSERVER poisoned RESUME')
  const after = await observed.drained('poisoned')
  assert.deepEqual([after.runs, after.deadLetters], [3, { count: 0, rows: [] }])
})

test('REPLAY runs again for what has changed since, and PAUSE lets nothing run', async (t) => {
  const replayed = new Runs('replayed')
  const observed = await ObservedServer.start(t, { deps: { observers: [replayed.defined] } })
  await observed.createObserver('replayed')
  await observed.write(1, 'before')
  const { body } = await observed.server.query("SET text = 'since' ON page WHERE id = 2")
  await observed.write(3, 'since')
  await observed.drained('replayed')
  await observed.run('ALTER OBSERVER replayed PAUSE')
  replayed.events.length = 0
  await observed.run(`ALTER OBSERVER replayed REPLAY FROM ${body.commitTimestamp}`)
  await observed.until('replayed', ({ pending, backfilling }) => pending === 2 && !backfilling)
  assert.equal(replayed.events.length, 0)
  await observed.run('ALTER OBSERVER replayed RESUME')
  await observed.drained('replayed')
  assert.deepEqual(replayed.events.map(({ key }) => key[0]).toSorted(), [2, 3])
})

test('NOTIFY runs a weak observer, with the row as it is or without one', async (t) => {
  const folded = new Runs('folded')
  const observed = await ObservedServer.start(t, { deps: { observers: [folded.defined] } })
  await observed.createObserver('folded', 'WEAK')
  await observed.run('NOTIFY folded ON page WHERE id = 5')
  await observed.drained('folded')
  assert.deepEqual(
    folded.events.map(({ key, row }) => [key[0], row]),
    [[5, undefined]],
  )
})

test('an observer that is not there yet is waited for, and one that is dropped again', async (t) => {
  const late = new Runs('late')
  const observed = await ObservedServer.start(t, { deps: { observers: [late.defined] } })
  await observed.write(1, 'early')
  for (const runs of [1, 2]) {
    await observed.createObserver('late')
    await late.begun(runs)
    await observed.drained('late')
    await observed.run('DROP OBSERVER late')
  }
})

test('so many workers as are asked for run at a time, and not for the same row', async (t) => {
  const running = new Set<unknown>()
  const full = Promise.withResolvers<void>()
  const wide = new Runs(
    'wide',
    async (_tx, { key: [id] }) => {
      assert.ok(!running.has(id))
      running.add(id)
      if (running.size === 3) full.resolve()
      await full.promise
      running.delete(id)
    },
    3,
  )
  const observed = await ObservedServer.start(t, { deps: { observers: [wide.defined] } })
  await observed.createObserver('wide')
  await observed.run("INSERT INTO page (id, text) VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')")
  const { runs, failures } = await observed.drained('wide')
  assert.deepEqual([runs, failures], [4, 0])
})

test('the transaction takes statements on rows, one each, and nothing that would end it', async (t) => {
  const refused: unknown[] = []
  const found: unknown[] = []
  let leaked: ObserverTransaction | undefined
  const strict = new Runs('strict', async (tx) => {
    leaked = tx
    for (const sql of [
      'COMMIT',
      'ROLLBACK',
      'BEGIN',
      'CREATE TABLE t (id TEXT PRIMARY KEY)',
      'GET',
    ]) {
      await tx.query(sql).catch(({ code }) => refused.push(code))
    }
    const two = 'GET * FROM page WHERE id = 1; GET * FROM page WHERE id = 2'
    await tx.query(two).catch(({ code }) => refused.push(code))
    const [set, got] = await Promise.all([
      tx.query('SET words = 9007199254740993 ON word_count WHERE id = 1'),
      tx.query('GET id, words FROM word_count WHERE id = $1', [1]),
    ])
    found.push(set.rowsAffected, got.columns, { ...got.rows[0] }, tx.readTimestamp > 0)
  })
  const observed = await ObservedServer.start(t, { deps: { observers: [strict.defined] } })
  await observed.createObserver('strict')
  await observed.write(1, 'text')
  await observed.drained('strict')
  const mixture = 'script_mixture'
  const expected = [mixture, mixture, mixture, mixture, 'syntax_error', 'invalid_request']
  assert.deepEqual(refused, expected)
  const columns = [
    { name: 'id', type: 'INTEGER' },
    { name: 'words', type: 'INTEGER' },
  ]
  assert.deepEqual(found, [1, columns, { id: 1, words: '9007199254740993' }, true])
  const late = leaked?.query('GET * FROM page WHERE id = 1') ?? Promise.resolve()
  await assert.rejects(late, { code: 'transaction_closed' })
})

test('a run that meets a conflict is repeated, and each change is committed for once', async (t) => {
  let disturbances = 3
  const counting = new Runs('counting', async (tx, { key: [id] }) => {
    const { rows } = await tx.query('GET runs FROM word_count WHERE id = $1', [id])
    if (disturbances > 0) {
      disturbances -= 1
      await observed.run('SET words = $1 ON word_count WHERE id = $2', [disturbances, id])
    }
    const runs = Number(rows[0]?.runs ?? 0) + 1
    await tx.query('SET runs = $1 ON word_count WHERE id = $2', [runs, id])
  })
  const observed: ObservedServer = await ObservedServer.start(t, {
    deps: { observers: [counting.defined] },
  })
  await observed.createObserver('counting')
  await observed.write(1, 'text')
  const { runs, conflicts, failures } = await observed.drained('counting')
  assert.deepEqual([runs, conflicts, failures], [1, 3, 0])
  assert.deepEqual(await observed.run('SCAN runs FROM word_count'), [{ runs: 1 }])
})

test('a failed CHECK ends the transaction, also for a function that goes on', async (t) => {
  let isChecked = true
  const careless = new Runs('careless', async (tx) => {
    await tx.query('SET words = 1 ON word_count WHERE id = 1')
    if (isChecked) await tx.query('CHECK text = 1 ON page WHERE id = 1').catch(() => undefined)
    if (isChecked) await tx.query("CHECK text = 'no' ON page WHERE id = 1").catch(() => undefined)
    isChecked = false
  })
  const observed = await ObservedServer.start(t, { deps: { observers: [careless.defined] } })
  await observed.createObserver('careless')
  await observed.write(1, 'text')
  const { runs, failures, lastError } = await observed.drained('careless')
  assert.deepEqual([runs, failures], [1, 1])
  assert.match(lastError.error, /CHECK/)
})

test('a stopping server finishes the run under way and begins no other', async (t) => {
  const held = Promise.withResolvers<void>()
  let written = 0
  const slow = new Runs('slow', async (tx, { key }) => {
    await held.promise
    const done = await tx.query('SET words = 1 ON word_count WHERE id = $1', [key[0]])
    written += done.rowsAffected
  })
  const observed = await ObservedServer.start(t, { deps: { observers: [slow.defined] } })
  await observed.createObserver('slow')
  await observed.run("INSERT INTO page (id, text) VALUES (1, 'a'), (2, 'b')")
  await slow.begun(1)
  const closed = observed.server.server.close()
  held.resolve()
  await closed
  assert.deepEqual([slow.events.length, written], [1, 1])
})

test('a run that never ends holds up neither the end of the server nor the observer for ever', async (t) => {
  const stuck = new Runs('stuck', () => new Promise(() => {}))
  const flags = { 'shutdown-timeout': '100ms', 'transaction-timeout': '300ms' }
  const deps = { observers: [stuck.defined] }
  const observed = await ObservedServer.start(t, { flags, deps })
  await observed.createObserver('stuck')
  await observed.write(1, 'a')
  const { lastError } = await observed.until('stuck', ({ failures }) => failures === 1)
  assert.match(lastError.error, /300 ms/)
  await stuck.begun(2)
  await observed.server.server.close()
})

test('defineObserver refuses what cannot be an observer', () => {
  const run = async () => {}
  for (const wrong of [
    { observer: '', run },
    { observer: 'a', run, workers: 0 },
    { observer: 'a', run, workers: 1.5 },
    { observer: 'a', run, workers: 101 },
    { observer: 'a', run: 'no function' as unknown as typeof run },
  ]) {
    assert.throws(() => defineObserver(wrong), TypeError)
  }
})
