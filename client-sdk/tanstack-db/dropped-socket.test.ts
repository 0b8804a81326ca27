// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { createCollection } from '@tanstack/db'
import { startBreakingProxy } from '../../test/client-sdk/breaking-proxy.ts'
import { startRealServer } from '../../test/client-sdk/real-server.ts'
import { recordStates } from '../../test/client-sdk/recorded-states.ts'
import { SeededRandomness } from '../../test/seeded-randomness.ts'
import { connect } from '../client.ts'
import { percoliteCollection } from './percolite-collection.ts'

// Optimistic edits over connections that break.

type Note = { readonly id: number; readonly text: string }

const { url, db } = await startRealServer('--engine', 'memory')
await db.query('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT NOT NULL)')
await db.query("INSERT INTO note (id, text) VALUES (1, 'kept'), (2, '0')")

/** A collection whose every byte goes through a proxy, and its states, as the text of row 2. */
async function far(t: TestContext, waitMs?: number) {
  const proxy = await startBreakingProxy(t, url)
  const client = connect({ url: proxy.url })
  t.after(() => client.close())
  const wait = waitMs === undefined ? {} : { waitMs }
  const notes = createCollection(percoliteCollection<Note>({ db: client, table: 'note', ...wait }))
  await notes.preload()
  const recorded = recordStates(t, notes, (rows) => {
    assert.equal(rows.find(({ id }) => id === 1)?.text, 'kept', 'no row is ever away')
    return rows.find(({ id }) => id === 2)?.text
  })
  const edit = (text: string) =>
    notes.update(2, (draft) => {
      draft.text = text
    }).isPersisted.promise
  return { proxy, notes, edit, ...recorded }
}

test('an answer that is lost with its socket is asked for again, and the edit is shown throughout', async (t) => {
  const { proxy, notes, edit, states, until } = await far(t)
  const before = states.length
  const answered = proxy.loseAnswers('POST /v1/query')
  const edited = edit('1')
  await answered
  proxy.breakAll()
  proxy.loseNone()
  await edited
  await until((text) => text === '1')
  assert.deepEqual([...new Set(states.slice(before))], ['1'])
  await db.query("SET text = 'by another' ON note WHERE id = 2")
  await until((text) => text === 'by another')
  assert.equal(notes.status, 'ready')
})

test('a row that was inserted when its answer was lost is not inserted again', async (t) => {
  const { proxy, notes } = await far(t)
  const answered = proxy.loseAnswers('POST /v1/query')
  const inserted = notes.insert({ id: 3, text: 'new' })
  await answered
  proxy.breakAll()
  proxy.loseNone()
  await inserted.isPersisted.promise
  assert.equal(notes.get(3)?.text, 'new')
})

test('with cuts at any moment each edit stays shown until the next, and is there at the end', async (t) => {
  const seed = Date.now() % 2 ** 32
  t.diagnostic(`seed ${seed}`)
  const random = new SeededRandomness(seed)
  const { proxy, edit, states, until } = await far(t)
  const before = states.length
  for (let round = 1; round <= 12; round += 1) {
    const edited = edit(`round ${round}`)
    await setTimeout(random.below(60))
    proxy.breakAll()
    await edited
  }
  await until((text) => text === 'round 12')
  const seen = states.slice(before).filter((text, at, all) => text !== all[at - 1])
  const first = seen[0]?.startsWith('round') ? [] : [seen[0]]
  const rounds = Array.from({ length: 12 }, (_, at) => `round ${at + 1}`)
  assert.deepEqual(seen, [...first, ...rounds])
})

test('while the server is away an edit is shown for as long as the caller waits, then the error', async (t) => {
  const { proxy, edit, until } = await far(t, 3_000)
  await edit('there')
  proxy.turnTo('http://127.0.0.1:1')
  proxy.breakAll()
  const edited = edit('never')
  const refused = assert.rejects(edited, { code: 'connection_failed' })
  await until((text) => text === 'never')
  await refused
  await until((text) => text === 'there')
  proxy.turnTo(url)
  await db.query("SET text = 'back' ON note WHERE id = 2")
  await until((text) => text === 'back')
})
