// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import {
  BasicIndex,
  createCollection,
  createLiveQueryCollection,
  createTransaction,
  eq,
} from '@tanstack/db'
import { startRealServer } from '../../test/client-sdk/real-server.ts'
import { recordStates } from '../../test/client-sdk/recorded-states.ts'
import { connect } from '../client.ts'
import { percoliteCollection, writeTransaction } from './percolite-collection.ts'

// Collections of the real library over the real server.

type Task = {
  readonly id: number
  readonly list: string
  readonly title: string
  readonly rank: number
}
type List = { readonly id: string; readonly name: string }
type Schema = {
  task: { row: Task; key: [id: number] }
  list: { row: List; key: [id: string] }
  seat: { row: { room: string; at: string; guest: string | null }; key: [room: string, at: string] }
}

const { url, db: plain } = await startRealServer('--engine', 'memory')
await plain.execute(['CREATE TABLE list (id TEXT PRIMARY KEY, name TEXT NOT NULL)'])
await plain.query(
  `CREATE TABLE task (id INTEGER PRIMARY KEY, list TEXT NOT NULL, title TEXT NOT NULL CHECK (title <> ''),
    rank INTEGER NOT NULL)`,
)
await plain.query('CREATE TABLE seat (room TEXT, at TIMESTAMP, guest TEXT, PRIMARY KEY (room, at))')
await plain.query("INSERT INTO list (id, name) VALUES ('h', 'home'), ('w', 'work')")
const db = connect<Schema>({ url })
after(() => db.close())

let ids = 0
function nextId(): number {
  ids += 1
  return ids
}

const titles = (rows: readonly Task[]) => rows.map(({ title }) => title).join()

function tasksOf(list: string) {
  const sql = 'SCAN * FROM task USE PRIMARY KEY WHERE list = $1'
  return createCollection(percoliteCollection<Task>({ db, sql, params: [list], table: 'task' }))
}

async function given(list: string, title: string): Promise<number> {
  const id = nextId()
  await db.table('task').insert({ id, list, title, rank: id })
  return id
}

test('a collection has the rows of its table, then those after each commit, and ends with its cleanup', async (t) => {
  const id = await given('first', 'sweep')
  const tasks = createCollection(percoliteCollection({ db, table: 'task' }))
  await tasks.preload()
  assert.equal(tasks.get(id)?.title, 'sweep')
  const { until } = recordStates(t, tasks, titles)
  await db.table('task').patch(id, { title: 'sweep again' })
  await until((shown) => shown === 'sweep again')
  await db.table('task').delete(id)
  await until((shown) => shown === '')
  await tasks.cleanup()
  assert.equal(tasks.status, 'cleaned-up')
  await given('first', 'cook')
  await tasks.preload()
  assert.equal(titles(tasks.toArray), 'cook', 'it begins again with all rows')
})

test('a live query of the library joins and sorts two collections, and follows both', async (t) => {
  const tasks = tasksOf('h')
  const lists = createCollection(
    percoliteCollection({ db, table: 'list', autoIndex: 'eager', defaultIndexType: BasicIndex }),
  )
  const sorted = createLiveQueryCollection((q) =>
    q
      .from({ task: tasks })
      .join({ list: lists }, ({ task, list }) => eq(task.list, list.id))
      .orderBy(({ task }) => task.rank, 'desc')
      .select(({ task, list }) => ({ id: task.id, title: task.title, list: list?.name })),
  )
  const { until } = recordStates(t, sorted, (rows) =>
    rows.map(({ title, list }) => `${list}:${title}`).join(),
  )
  await sorted.preload()
  const [first, second] = [await given('h', 'a'), await given('h', 'b')]
  await until((shown) => shown === 'home:b,home:a')
  await db.table('list').patch('h', { name: 'house' })
  await until((shown) => shown === 'house:b,house:a')
  tasks.update(first, (draft) => {
    draft.rank = 1_000
  })
  assert.equal(sorted.toArray.map(({ id }) => id).join(), `${first},${second}`, 'shown at once')
  await until((shown) => shown === 'house:a,house:b')
})

test('what is inserted, changed and deleted is shown at once, and handed over without a state between', async (t) => {
  const tasks = tasksOf('optimistic')
  await tasks.preload()
  const { states } = recordStates(t, tasks, titles)
  for (let round = 0; round < 20; round += 1) {
    const id = nextId()
    const inserted = tasks.insert({ id, list: 'optimistic', title: 'new', rank: 0 })
    assert.equal(titles(tasks.toArray), 'new')
    await inserted.isPersisted.promise
    const first = tasks.update(id, (draft) => {
      draft.title = 'once'
    })
    // While that is being written.
    const second = tasks.update(id, (draft) => {
      draft.title = 'twice'
    })
    await Promise.all([first.isPersisted.promise, second.isPersisted.promise])
    assert.equal((await db.table('task').get(id))?.row.title, 'twice')
    await tasks.delete(id).isPersisted.promise
    assert.equal(titles(tasks.toArray), '')
    assert.equal(await db.table('task').get(id), undefined)
  }
  const seen = states.filter((state, at) => state !== states[at - 1])
  const round = ['new', 'once', 'twice', '']
  const rounds = Array.from({ length: 20 }, () => round).flat()
  assert.deepEqual(seen.join().replace(/^,/, ''), rounds.join())
})

test('what the server refuses is shown no more, with its error, and nothing of it is written', async (t) => {
  const tasks = tasksOf('refused')
  await tasks.preload()
  const { until } = recordStates(t, tasks, titles)
  const id = await given('refused', 'good')
  await until((shown) => shown === 'good')
  const refused = tasks.update(id, (draft) => {
    draft.title = ''
  })
  assert.equal(tasks.get(id)?.title, '')
  await assert.rejects(refused.isPersisted.promise, { code: 'check_failed' })
  assert.equal(tasks.get(id)?.title, 'good')
  // What was rolled back before its turn is not sent.
  const edit = (title: string) =>
    tasks.update(id, (draft) => {
      draft.title = title
    })
  const [before, left] = [edit('better'), edit('left')]
  left.rollback()
  await assert.rejects(left.isPersisted.promise)
  await before.isPersisted.promise
  await given('refused', 'beside')
  await until((shown) => shown === 'better,beside')
  const other = nextId()
  const both = tasks.insert([
    { id: other, list: 'refused', title: 'also', rank: 0 },
    { id: nextId(), list: 'refused', title: '', rank: 0 },
  ])
  await assert.rejects(both.isPersisted.promise, { code: 'check_failed' })
  assert.equal(titles(tasks.toArray), 'better,beside')
  assert.equal(await db.table('task').get(other), undefined)
  await db.table('task').delete(id)
  await until((shown) => shown === 'beside')
})

test('two writers of one row: both see the later one, and a change of what is deleted is an error', async (t) => {
  const [mine, other] = [tasksOf('two'), tasksOf('two')]
  const id = await given('two', 'start')
  await Promise.all([mine.preload(), other.preload()])
  const [seen, seenByOther] = [recordStates(t, mine, titles), recordStates(t, other, titles)]
  for (let round = 0; round < 10; round += 1) {
    const writes = [mine, other].map((one, at) =>
      one.update(id, (draft) => {
        draft.title = `${round} of ${at}`
      }),
    )
    await Promise.all(writes.map(({ isPersisted }) => isPersisted.promise))
    const title = (await db.table('task').get(id))?.row.title
    await seen.until((shown) => shown === title)
    await seenByOther.until((shown) => shown === title)
  }
  // Answered before the rows of the other one have heard of it.
  const deleted = mine.delete(id)
  const late = other.update(id, (draft) => {
    draft.title = 'late'
  })
  await deleted.isPersisted.promise
  await assert.rejects(late.isPersisted.promise, { code: 'row_not_found' })
  for (const one of [seen, seenByOther]) await one.until((shown) => shown === '')
  assert.equal(await db.table('task').get(id), undefined)
})

test('one transaction writes in several collections, all or nothing', async (t) => {
  const tasks = tasksOf('n')
  const lists = createCollection(percoliteCollection({ db, table: 'list' }))
  await Promise.all([tasks.preload(), lists.preload()])
  recordStates(t, tasks, titles)
  recordStates(t, lists, (rows) => rows.length)
  const write = (title: string) => {
    const transaction = createTransaction({ mutationFn: writeTransaction })
    transaction.mutate(() => {
      lists.insert({ id: 'n', name: 'new' })
      tasks.insert({ id: nextId(), list: 'n', title, rank: 1 })
    })
    return transaction.isPersisted.promise
  }
  await assert.rejects(write(''), { code: 'check_failed' })
  assert.equal(lists.has('n'), false)
  await write('plan')
  assert.deepEqual([lists.get('n')?.name, titles(tasks.toArray)], ['new', 'plan'])
  assert.equal((await db.table('list').get('n'))?.row.name, 'new')
})

test('a write that leaves the rows as they are is handed over too, and holds back no others', async (t) => {
  const tasks = tasksOf('inside')
  await tasks.preload()
  const { until } = recordStates(t, tasks, titles)
  const begun = performance.now()
  // The server tells by itself every ten seconds how far the feed is, which the first may happen to meet.
  for (const title of ['elsewhere', 'there too']) {
    const outside = tasks.insert({ id: nextId(), list: 'outside', title, rank: 1 })
    assert.equal(titles(tasks.toArray), title)
    await outside.isPersisted.promise
    assert.equal(titles(tasks.toArray), '')
  }
  await given('inside', 'beside')
  await until((shown) => shown === 'beside')
  const tookMs = Math.round(performance.now() - begun)
  t.diagnostic(`${tookMs} ms`)
  assert.ok(tookMs < 5_000, `${tookMs} ms`)
})

test('a key of several columns and of a time is that of a row, and other columns are those of all rows', async (t) => {
  await plain.query(
    'CREATE TABLE room (house TEXT, at TIMESTAMP, guest TEXT, PRIMARY KEY (house, at))',
  )
  const rooms = createCollection(
    percoliteCollection({ db: plain, table: 'room', key: ['house', 'at'] }),
  )
  const at = '2026-02-03T04:05:06.000000Z'
  await rooms.preload()
  const { until } = recordStates(t, rooms, (rows) => JSON.stringify(rows))
  await rooms.insert({ house: 'a', at, guest: null }).isPersisted.promise
  await rooms.insert({ house: 'b', at, guest: null }).isPersisted.promise
  const key = JSON.stringify(['a', at])
  assert.deepEqual({ ...rooms.get(key) }.guest, null)
  await rooms.update(key, (draft) => {
    draft.guest = 'ann'
  }).isPersisted.promise
  await plain.query('ALTER TABLE room ADD COLUMN floor INTEGER NOT NULL DEFAULT 3')
  await plain.query("SET guest = 'bob' ON room WHERE house = 'a' AND at = $1", [at])
  await until((shown) => shown.split('"floor":3').length === 3)
  await rooms.delete(key).isPersisted.promise
  assert.equal(rooms.size, 1)
})

test('what is wrong with the statement or its keys is the error of the collection', async () => {
  const errorOf = async (options: Partial<Parameters<typeof percoliteCollection>[0]>) => {
    const rows = createCollection(percoliteCollection({ db: plain, ...options }))
    const error = await rows.preload().then(
      () => assert.fail('it was ready'),
      (reason: Error & { code?: string }) => reason,
    )
    assert.equal(rows.status, 'error')
    await rows.cleanup()
    return error.code ?? error.message
  }
  await given('keys', 'one')
  await given('keys', 'one')
  assert.equal(await errorOf({ table: 'nothing' }), 'unknown_table')
  assert.match(await errorOf({ table: 'task', key: 'list' }), /primary key of a row is \[\d+\]/)
  assert.match(await errorOf({ table: 'task', key: 'nothing' }), /no value in nothing/)
  const getKey = (row: object) => (row as Task).list
  const sql = "SCAN * FROM task USE PRIMARY KEY WHERE list = 'keys'"
  assert.match(await errorOf({ sql, getKey }), /Two rows have the key "keys"/)
  assert.throws(() => percoliteCollection({ db: plain }), /Neither `table` nor `sql`/)
})
