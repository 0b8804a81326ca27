// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import { StorageError } from '../../storage/storage.ts'
import { planError, rowsToJson, SqlSession } from '../../test/sql-session.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'

let session: SqlSession
before(async () => {
  session = await SqlSession.open(
    'CREATE TABLE point (x INTEGER, y INTEGER, label TEXT, PRIMARY KEY (x, y DESC))',
    'CREATE TABLE document (id INTEGER PRIMARY KEY, body TEXT)',
  )
  const values = [1, 2, 3].flatMap((x) => [1, 2, 3].map((y) => `(${x}, ${y}, '${x}${y}')`))
  await session.run(`INSERT INTO point (x, y, label) VALUES ${values.join(', ')}`)
  for (let first = 0; first < 2_500; first += 500) {
    const ids = Array.from({ length: 500 }, (_, i) => `(${first + i}, 'body ${first + i}')`)
    await session.run(`INSERT INTO document (id, body) VALUES ${ids.join(', ')}`)
  }
})
after(() => session.close())

const labels = async (text: string, parameters = {}): Promise<unknown[]> =>
  (await session.run(text, parameters)).rows.map(([label]) => label)

test('GET with IN answers in the order asked, each row once, absent ones left out', async () => {
  const text = 'GET body FROM document WHERE id IN (7, 3, 9999, 7, NULL, 1)'
  assert.deepEqual(await labels(text), ['body 7', 'body 3', 'body 1'])
  const ids = [5, '4', 5, null]
  assert.deepEqual(await labels('GET body FROM document WHERE id IN :ids', { ids }), [
    'body 5',
    'body 4',
  ])
  assert.deepEqual(await labels('GET body FROM document WHERE id IN :ids', { ids: [] }), [])
  assert.deepEqual(await labels('GET body FROM document WHERE id = NULL'), [])
})

test('GET with several INs takes their product, the first column of the key changing slowest', async () => {
  const text = 'GET label FROM point WHERE y IN (3, 1) AND x IN (2, 9, 1)'
  assert.deepEqual(await labels(text), ['23', '21', '13', '11'])
})

test('GET asks the store once for a thousand keys, after a first look at the size of the rows', async () => {
  const transaction = await session.storage.begin({ readOnly: true })
  const catalog = await session.storage.catalog(transaction)
  const asked: number[] = []
  const counting = new Proxy(transaction, {
    get(target, property) {
      const member = Reflect.get(target, property, target)
      if (typeof member !== 'function') return member
      return (...given: unknown[]) => {
        if (property === 'getRows') asked.push((given[0] as unknown[]).length)
        return member.apply(target, given)
      }
    },
  })
  const ids = Array.from({ length: 2_400 }, (_, index) => 2_399 - index)
  const text = 'GET id FROM document WHERE id IN :ids'
  const { rows } = await session.runIn(counting, catalog, text, { parameters: { ids } })
  transaction.rollback()
  assert.deepEqual(asked, [20, 1_000, 1_000, 380])
  assert.deepEqual(
    rows.map(([id]) => Number(id)),
    ids,
  )
})

test('a GET whose answer grows too large stops reading, also by what was answered before it', async () => {
  const ids = Array.from({ length: 2_400 }, (_, index) => index)
  const transaction = await session.storage.begin({ readOnly: true })
  const catalog = await session.storage.catalog(transaction)
  let reads = 0
  const counting = new Proxy(transaction, {
    get(target, property) {
      if (property === 'getRows') reads += 1
      const member = Reflect.get(target, property, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
  const get = (used: number, max: number) =>
    session.runIn(counting, catalog, 'GET body FROM document WHERE id IN :ids', {
      parameters: { ids },
      answerBytes: { used, max },
    })
  await assert.rejects(get(0, 1_000), planError('limit_exceeded', { column: 1 }))
  await assert.rejects(get(999_950, 1_000_000), planError('limit_exceeded', { column: 1 }))
  assert.equal(reads, 2, 'one read each')
  assert.equal((await get(0, 1_000_000)).rows.length, 2_400)
  transaction.rollback()
})

test('a list of more elements than a parameter may have is refused', async () => {
  const ids = Array.from({ length: PLANNER_LIMITS.listItemsMax + 1 }, () => 1)
  const text = 'SCAN id FROM document WHERE id IN :ids'
  await assert.rejects(session.run(text, { ids }), planError('limit_exceeded', { column: 35 }))
  assert.equal((await session.run(text, { ids: ids.slice(1) })).rows.length, 1)
})

test('more keys than a statement may name are refused with both figures', async () => {
  const ids = Array.from({ length: PLANNER_LIMITS.statementKeysMax + 1 }, (_, index) => index)
  for (const text of [
    'GET id FROM document WHERE id IN :ids',
    'SCAN id FROM document WHERE id IN :ids',
  ]) {
    const column = text.indexOf('WHERE') + 7
    await assert.rejects(session.run(text, { ids }), planError('limit_exceeded', { column }))
  }
})

test('GET … FOR UPDATE conflicts with a writer of the row, also when there is no row', async () => {
  for (const id of [1, 77_777]) {
    const reader = await session.storage.begin()
    const catalog = await session.storage.catalog(reader)
    await session.runIn(reader, catalog, `GET * FROM document WHERE id = ${id} FOR UPDATE`)
    await session.runIn(reader, catalog, "SET body = 'x' ON document WHERE id = 88888")
    await session.run(`SET body = 'body 1' ON document WHERE id = ${id}`)
    await assert.rejects(
      reader.commit(),
      (error) => error instanceof StorageError && error.code === 'write_conflict',
    )
  }
  await session.run('DELETE FROM document WHERE id = 77777')
})

test('SCAN returns rows in key order; ORDER BY reverses it; LIMIT ends it', async () => {
  assert.deepEqual(await labels('SCAN label FROM point WHERE x = 2'), ['23', '22', '21'])
  assert.deepEqual(await labels('SCAN label FROM point WHERE x = 2 ORDER BY y'), ['21', '22', '23'])
  assert.deepEqual(await labels('SCAN label FROM point LIMIT 2'), ['13', '12'])
  assert.deepEqual(await labels('SCAN label FROM point ORDER BY x DESC LIMIT 2'), ['31', '32'])
  assert.deepEqual(await labels('SCAN label FROM point LIMIT 0'), [])
  assert.deepEqual(await labels('SCAN label FROM point LIMIT :n', { n: 1 }), ['13'])
})

test('SCAN with IN reads its ranges in key order, whatever the order asked', async () => {
  assert.deepEqual(await labels('SCAN label FROM point WHERE x IN (3, 1) AND y >= 2'), [
    '13',
    '12',
    '33',
    '32',
  ])
  const text = 'SCAN label FROM point WHERE x IN (3, 1) AND y IN (1, 3) ORDER BY x DESC'
  assert.deepEqual(await labels(text), ['31', '33', '11', '13'])
})

test('contradictory bounds and comparisons with NULL give no rows', async () => {
  const none = [
    'SCAN * FROM point WHERE x = 1 AND x = 2',
    'SCAN * FROM point WHERE x > 2 AND x < 2',
    'SCAN * FROM point WHERE x BETWEEN 3 AND 1',
    'SCAN * FROM point WHERE x = NULL',
    'SCAN * FROM point WHERE x > NULL',
    'SCAN * FROM point WHERE x IS NULL',
  ]
  for (const text of none) assert.deepEqual(await session.rows(text), [], text)
})

test('a LIMIT that is no number of rows is refused where it stands', async () => {
  const text = 'SCAN * FROM point LIMIT :n'
  for (const n of [-1, null]) {
    await assert.rejects(session.run(text, { n }), planError('out_of_range', { column: 25 }))
  }
  await assert.rejects(session.run(text, { n: 1.5 }), planError('type_mismatch', { column: 25 }))
})

test('LIKE :pattern that begins with a wildcard turns out to be unbounded', async () => {
  await session.run('CREATE TABLE name (name TEXT PRIMARY KEY)')
  await session.run("INSERT INTO name (name) VALUES ('ann'), ('bea')")
  const text = 'SCAN name FROM name WHERE name LIKE :p'
  assert.deepEqual(await labels(text, { p: 'a%n' }), ['ann'])
  assert.deepEqual(await labels(text, { p: null }), [])
  await assert.rejects(session.run(text, { p: '%n' }), planError('unbounded_scan', { column: 1 }))
  // No index helps against such a pattern.
  await assert.rejects(session.run(text, { p: '%n' }), { hint: /^Bound name by/ })
  const walking = 'SCAN name FROM name USE PRIMARY KEY WHERE name LIKE :p'
  assert.deepEqual(await labels(walking, { p: '%n' }), ['ann'])
})

test('a page ends after its bytes, and after its rows', async () => {
  const transaction = await session.storage.begin({ readOnly: true })
  const catalog = await session.storage.catalog(transaction)
  const read = async (page: { rows: number; bytes: number; after?: Uint8Array }, text: string) =>
    await session.runIn(transaction, catalog, text, { page })
  const small = await read({ rows: 1_000, bytes: 1 }, 'SCAN * FROM document')
  assert.deepEqual(rowsToJson(small), [{ id: 0, body: 'body 0' }])
  const first = await read({ rows: 2, bytes: 1_000_000 }, 'SCAN id FROM document LIMIT 3')
  assert.equal(first.rows.length, 2)
  const after = first.resumeAfter as Uint8Array
  const second = await read({ rows: 2, bytes: 1_000_000, after }, 'SCAN id FROM document LIMIT 3')
  assert.deepEqual(rowsToJson(second), [{ id: 2 }])
  assert.equal(second.resumeAfter, undefined)
  const exact = await read({ rows: 3, bytes: 1_000_000 }, 'SCAN id FROM document WHERE id < 3')
  assert.equal(exact.resumeAfter, undefined)
  const broken = { rows: 2, bytes: 1, after: new Uint8Array(3) }
  await assert.rejects(read(broken, 'SCAN id FROM document'), planError('invalid_request'))
  transaction.rollback()
})

test('an aborted signal ends a SCAN between rows', async () => {
  const transaction = await session.storage.begin({ readOnly: true })
  const catalog = await session.storage.catalog(transaction)
  const controller = new AbortController()
  const { signal } = controller
  const scan = session.runIn(transaction, catalog, 'SCAN * FROM document', { signal })
  setImmediate(() => controller.abort(new Error('gone')))
  await assert.rejects(scan, /gone/)
  transaction.rollback()
})

test('a long SCAN leaves turns to the rest of the process', async () => {
  let turns = 0
  let running = true
  const count = (): void => {
    turns += 1
    if (running) setImmediate(count)
  }
  setImmediate(count)
  try {
    await session.run('SCAN * FROM document')
  } finally {
    running = false
  }
  assert.ok(turns >= 4, `${turns} turns`)
})
