// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { createCollection } from '@tanstack/db'
import { startBreakingProxy } from '../../test/client-sdk/breaking-proxy.ts'
import { startRealServer } from '../../test/client-sdk/real-server.ts'
import { recordStates } from '../../test/client-sdk/recorded-states.ts'
import { connect } from '../client.ts'
import { percoliteCollection } from './percolite-collection.ts'

// Collections of statements whose rows depend on others: their lists come as patches.

type Game = { readonly id: number; readonly player: string; readonly points: number }

const { url, db } = await startRealServer('--engine', 'memory')
await db.query('CREATE TABLE player (id TEXT PRIMARY KEY, name TEXT NOT NULL)')
await db.query(
  'CREATE TABLE game (id INTEGER PRIMARY KEY, player TEXT NOT NULL, points INTEGER NOT NULL CHECK (points >= 0))',
)
await db.query("INSERT INTO player (id, name) VALUES ('a', 'Ann'), ('b', 'Bob')")
await db.query(
  "INSERT INTO game (id, player, points) VALUES (1, 'a', 10), (2, 'b', 20), (3, 'a', 30), (4, 'b', 5)",
)
const near = connect({ url })
after(() => near.close())

const BEST = 'SCAN * FROM game USE PRIMARY KEY ORDER BY points DESC LIMIT 3'
const best = (client = near) =>
  createCollection(percoliteCollection<Game>({ db: client, sql: BEST, table: 'game' }))

/** `id:points` of each row, the highest first. */
const look = (rows: readonly Game[]) =>
  rows
    .toSorted((a, b) => b.points - a.points)
    .map(({ id, points }) => `${id}:${points}`)
    .join()

test('of the best three one goes as another comes, and edits are handed over without a state between', async (t) => {
  const games = best()
  await games.preload()
  const { states, until } = recordStates(t, games, look)
  await until((shown) => shown === '3:30,2:20,1:10')
  await db.query("INSERT INTO game (id, player, points) VALUES (5, 'b', 40)")
  await until((shown) => shown === '5:40,3:30,2:20')
  const before = states.length
  await games.update(2, (draft) => {
    draft.points = 50
  }).isPersisted.promise
  assert.equal(look(games.toArray), '2:50,5:40,3:30')
  await games.delete(5).isPersisted.promise
  assert.equal(look(games.toArray), '2:50,3:30,1:10')
  const refused = games.update(1, (draft) => {
    draft.points = -1
  })
  await assert.rejects(refused.isPersisted.promise, { code: 'check_failed' })
  const seen = states.slice(before).filter((state, at, all) => state !== all[at - 1])
  assert.deepEqual(seen, [
    '2:50,5:40,3:30',
    '2:50,3:30',
    '2:50,3:30,1:10',
    '2:50,3:30,1:-1',
    '2:50,3:30,1:10',
  ])
})

test('a write that is not among the rows is handed over soon, and one that leaves them goes', async (t) => {
  const games = best()
  await games.preload()
  const { until } = recordStates(t, games, look)
  const begun = performance.now()
  await games.insert({ id: 6, player: 'a', points: 1 }).isPersisted.promise
  await until((shown) => !shown.includes('6:1'))
  const [first] = look(games.toArray).split(':').map(Number)
  await games.update(first as number, (draft) => {
    draft.points = 0
  }).isPersisted.promise
  await until((shown) => !shown.includes(`${first}:0`))
  const tookMs = Math.round(performance.now() - begun)
  t.diagnostic(`${tookMs} ms`)
  assert.ok(tookMs < 5_000, `${tookMs} ms`)
})

test('sums by player and a joined list follow both tables, each by a key of its own', async (t) => {
  type Sum = { readonly player: string; readonly n: number }
  const sums = createCollection(
    percoliteCollection<Sum>({
      db: near,
      sql: 'SCAN player, COUNT(*) AS n FROM game USE PRIMARY KEY GROUP BY player',
      getKey: ({ player }) => player,
    }),
  )
  type Named = { readonly id: number; readonly name: string }
  const named = createCollection(
    percoliteCollection<Named>({
      db: near,
      sql: 'SCAN game.id AS id, player.name AS name FROM game USE PRIMARY KEY LOOKUP player BY player.id = game.player',
      getKey: ({ id }) => id,
    }),
  )
  await Promise.all([sums.preload(), named.preload()])
  const counted = recordStates(t, sums, (rows) => rows.map(({ player, n }) => `${player}:${n}`))
  const names = recordStates(t, named, (rows) => rows.map(({ name }) => name))
  const { n = 0 } = sums.get('a') ?? {}
  await db.query("INSERT INTO game (id, player, points) VALUES (7, 'a', 3)")
  await counted.until((shown) => shown.includes(`a:${n + 1}`))
  await names.until((shown) => shown.filter((name) => name === 'Ann').length === n + 1)
  await db.query("SET name = 'Anna' ON player WHERE id = 'a'")
  await names.until((shown) => shown.filter((name) => name === 'Anna').length === n + 1)
  assert.throws(() => sums.insert({ player: 'c', n: 1 }), /onInsert/)
})

test('over a dropped socket the list goes on from where it was, and an edit stays shown', async (t) => {
  const proxy = await startBreakingProxy(t, url)
  const client = connect({ url: proxy.url })
  t.after(() => client.close())
  const games = best(client)
  await games.preload()
  const { states, until } = recordStates(t, games, look)
  const [first] = look(games.toArray).split(':').map(Number)
  const before = states.length
  for (let round = 1; round <= 5; round += 1) {
    const answered = proxy.loseAnswers('POST /v1/query')
    const edited = games.update(first as number, (draft) => {
      draft.points = 100 * round
    })
    await answered
    proxy.breakAll()
    proxy.loseNone()
    await edited.isPersisted.promise
  }
  await until((shown) => shown.startsWith(`${first}:500`))
  const seen = states.slice(before).map((state) => state.split(',')[0])
  const rounds = [1, 2, 3, 4, 5].map((round) => `${first}:${100 * round}`)
  assert.deepEqual([...new Set(seen)], rounds)
  assert.ok(states.slice(before).every((state) => state.split(',').length === 3))
})

test('two rows of a list that have one key are the error of the collection', async () => {
  const getKey = ({ player }: Game) => player
  const games = createCollection(percoliteCollection<Game>({ db: near, sql: BEST, getKey }))
  await assert.rejects(games.preload(), /Two rows have the key "[ab]"/)
  assert.equal(games.status, 'error')
  await games.cleanup()
})
