// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { TurnReads } from '../../../storage/turn-reads.ts'
import { type Request, ROWS, SEED, Way } from '../../../test/server/way.ts'
import { StraightWrites } from './straight-writes.ts'

const REQUESTS = 2_500

const oneOf = <T>(...values: readonly T[]) => fc.constantFrom(...values)

const ids = oneOf('a', 'b', 'ä€😀', 'a,b', '~')
const id = fc.oneof(
  { weight: 4, arbitrary: ids },
  { weight: 1, arbitrary: oneOf('', 'nul\u0000', 'absent', 'x'.repeat(70)) },
)
const number = oneOf<unknown>(
  0,
  1,
  -1,
  7,
  2 ** 31,
  2 ** 53,
  2 ** 53 + 2,
  1.5,
  -0,
  '9007199254740993',
  null,
  true,
  [1],
)
const who = oneOf('admin', 'admin', 'plain', 'plain', 'ruled', 'nobody')
const columns = oneOf(
  '*',
  'id',
  'n, r',
  'r, n, id',
  'n AS m',
  'j',
  'n + 1 AS m',
  'at, raw, b',
  'absent',
  'id, id',
)

const reads = fc
  .record({ columns, id, as: who, form: fc.nat(16), more: number })
  .map(({ columns: what, id: key, as, form, more }): Request => {
    const query = (body: object): Request => ({ path: '/v1/query', body, as })
    const get = `GET ${what} FROM word WHERE id =`
    switch (form) {
      case 0:
        return query({ sql: `${get} :id`, params: { id: key } })
      case 1:
        return query({ sql: `${get} $1`, params: [key] })
      case 2:
        return query({ sql: `${get} '${key.replaceAll('\u0000', '')}'` })
      case 3:
        return query({ sql: `${get} :id`, params: { id: more } })
      case 4:
        return query({ sql: `${get} :id`, params: { id: key, unused: more } })
      case 5:
        return query({ sql: `${get} :id`, ...(more === null ? {} : { params: [] }) })
      case 6:
        return query({ sql: `${get} :id`, params: { id: key }, integers: 'string' })
      case 7:
        return query({
          sql: 'GET * FROM pair WHERE a = :a AND b = :b',
          params: { a: more, b: key },
        })
      case 8:
        return query({
          sql: `GET ${what === '*' ? '*' : 'v'} FROM split WHERE id = $1`,
          params: [more],
        })
      case 9:
        return query({ sql: `${get} :id FOR UPDATE`, params: { id: key } })
      default:
        return query({ sql: 'GET * FROM word WHERE id = :id', params: { id: key } })
    }
  })

const scans = fc
  .record({
    columns: oneOf('*', 'at, id', 'j'),
    id,
    as: who,
    limit: number,
    more: number,
    form: fc.nat(11),
  })
  .map(({ columns: what, id: key, as, limit, more, form }): Request => {
    const query = (sql: string, params: unknown): Request => ({
      path: '/v1/query',
      body: { sql, params },
      as,
    })
    const scan = `SCAN ${what} FROM word`
    switch (form) {
      case 0:
        return query(`${scan} WHERE id >= :id LIMIT :limit`, { id: key, limit })
      case 1:
        return query(`${scan} WHERE id < :id ORDER BY id DESC LIMIT 2`, { id: key })
      case 2:
        return query(`${scan} WHERE id LIKE :id`, { id: `${key}%` })
      case 3:
        return query(`${scan} WHERE id IN ($1, $2)`, [key, 'b'])
      case 4:
        return query(`${scan} LIMIT $1`, [limit])
      case 5:
        return query('SCAN * FROM pair WHERE a = :a', { a: more })
      case 6:
        return query('SCAN b, v FROM pair WHERE a = $1 AND b BETWEEN $2 AND $3', [more, 'a', key])
      case 7:
        return query('SCAN * FROM pair WHERE (a, b) > (:a, :b) LIMIT 3', { a: more, b: key })
      case 8:
        return query('SCAN * FROM split WHERE id >= $1', [more])
      case 9:
        return query(`${scan} WHERE n > :n`, { n: more })
      case 10:
        return query(`${scan} WHERE id > :id AND id <= upper(:id)`, { id: key })
      default:
        return query(`${scan} WHERE id >= :id`, { id: key })
    }
  })

const rows = fc
  .record({
    table: oneOf('word', 'pair', 'split', 'absent'),
    key: id,
    number,
    as: who,
    form: fc.nat(4),
  })
  .map(({ table, key, number: n, as, form }): Request => {
    const path = `/v1/tables/${table}/rows/`
    const escaped = key.replaceAll('~', '~0').replaceAll(',', '~1') || '~3'
    const text =
      table === 'pair' ? `${String(n)},${escaped}` : table === 'split' ? String(n) : escaped
    if (form === 3)
      return { method: 'GET', path: `${path}${encodeURIComponent(text)}?columns=v`, as }
    return {
      method: 'GET',
      path: path + (form === 4 ? key.replaceAll(/[^a-z]/g, '') : encodeURIComponent(text)),
      as,
    }
  })

const writes = fc
  .record({
    id,
    number,
    more: number,
    form: fc.nat(10),
    as: oneOf('admin', 'admin', 'plain', 'ruled'),
  })
  .map(({ id: key, number: n, more, form, as }): Request => {
    const query = (sql: string, params: unknown): Request => ({
      path: '/v1/query',
      body: { sql, params },
      as,
    })
    switch (form) {
      case 0:
        return query("SET n = :n, r = 2.5, owner = 'a' ON word WHERE id = :id", { n, id: key })
      case 1:
        return query('SET b = TRUE, j = :n ON word WHERE id = :id', { n, id: key })
      case 2:
        return query('DELETE FROM word WHERE id = :id', { id: key })
      case 3:
        return query("SET at = '2026-01-31T12:00:00Z', raw = x'00ff' ON word WHERE id = :id", {
          id: key,
        })
      case 4:
        return query("SET v = 'v' ON pair WHERE a = :a AND b = :b", { a: n, b: key })
      case 5:
        return query("SET v = 'v', remark = 'r' ON split WHERE id = :id", { id: n })
      case 6:
        return query(
          "SET n = $1, r = 7, b = TRUE, at = $2, raw = x'00ff', j = '[1]', owner = $3 ON word WHERE id = $4",
          [n, '2026-01-31T12:00:00Z', key, key],
        )
      case 7:
        return query('SET v = :v ON pair WHERE a = :a AND b = :b', { v: more, a: n, b: key })
      case 8:
      case 9:
        return query("SET v = 'all', remark = :r ON split WHERE id = :id", { r: key, id: n })
      default:
        return query('SET owner = :o ON word WHERE id = :id', {
          o: n === null ? null : 'b',
          id: key,
        })
    }
  })

const definitions = oneOf(
  'ALTER TABLE word ADD COLUMN late INTEGER DEFAULT 7',
  'ALTER TABLE word DROP COLUMN late',
  'CREATE INDEX byOwner ON word (owner)',
  'DROP INDEX byOwner ON word',
  'GRANT READ ON word TO nobody',
  'REVOKE READ ON word FROM nobody',
  'REVOKE READ ON word FROM plain',
  'GRANT READ ON word TO plain',
  "GRANT READ ON word TO ruled WHERE id = 'a'",
  "GRANT READ ON word TO ruled WHERE at <= now() AND id LIKE '%,%'",
  'GRANT READ ON word TO ruled WHERE 1 / n > 0',
  'DROP TABLE split',
  'CREATE TABLE split (id INTEGER PRIMARY KEY, v TEXT)',
  'ALTER ROLE plain LIMIT rate 10',
  'DROP TOKEN of_nobody',
).map((sql): Request => ({ path: '/v1/query', body: { sql } }))

/** Texts that no JSON.stringify writes. */
const bodies = oneOf(
  '{"sql":"GET * FROM word WHERE id = :id","params":{"id":"a","id":"b"}}',
  '{"sql":"GET * FROM word WHERE id = :id","params":{"id":"b"},"params":{"id":"a"}}',
  '{"sql":"GET * FROM word WHERE id = :id","params":{"id":"a:b\\":"}}',
  '{"sql":"GET * FROM split WHERE id = $1","params":[1.0000000000000000001]}',
  '{"sql":"GET * FROM split WHERE id = $1","params":[1e0]}',
  '{"sql":"GET * FROM word WHERE id = :id","params":{"__proto__":"a"}}',
  '{"sql":"GET * FROM word WHERE id = \'a\'","params":{}}',
  '{"sql":"GET * FROM word WHERE id = \'a\'","params":null}',
  '[]',
  '{',
).map((body): Request => ({ path: '/v1/query', body }))

const texts = fc
  .record({
    id: ids,
    columns,
    as: who,
    form: fc.nat(5),
    type: oneOf('text/plain', 'application/sql'),
  })
  .map(({ id: key, columns: what, as, form, type }): Request => {
    const sql = [
      ...[
        `GET ${what} FROM word WHERE id = '${key}'`,
        `SCAN ${what} FROM word LIMIT 3`,
        '{"sql":"GET"}',
      ],
      ...[
        `SET n = 3 ON word WHERE id = '${key}'`,
        `GET * FORM word`,
        `GET * FROM word WHERE id = :id`,
      ],
    ][form]
    return { path: '/v1/query', body: sql, as, type }
  })

/** What is more than a text and its parameters. */
const options = fc
  .record({
    id,
    as: who,
    option: oneOf<object>(
      ...[{ integers: 'number' }, { integers: 'string' }, { integers: 7 }, { pageSize: 2 }],
      ...[{ cursor: 'x' }, { timeoutMs: 1_000 }, { asOf: '2200-01-01' }, { keepOpen: true }],
      ...[{ history: 'nonsense' }, { more: 1 }, { transaction: '1.2' }],
    ),
    sql: oneOf('GET * FROM word WHERE id = :id', 'SCAN id FROM word WHERE id >= :id', 'BEGIN'),
  })
  .map(({ id: key, as, option, sql }): Request => {
    return { path: '/v1/query', body: { sql, params: { id: key }, ...option }, as }
  })

/** A history that there is not. */
const elsewhere = fc
  .tuple(fc.oneof(reads, rows), oneOf('0'.repeat(32), 'nonsense', ''))
  .map(([request, history]): Request => ({ ...request, as: 'admin', history }))

const requests = fc.oneof(
  { weight: 60, arbitrary: reads },
  { weight: 30, arbitrary: scans },
  { weight: 23, arbitrary: rows },
  { weight: 2, arbitrary: bodies },
  { weight: 8, arbitrary: texts },
  { weight: 8, arbitrary: options },
  { weight: 2, arbitrary: elsewhere },
  { weight: 60, arbitrary: writes },
  { weight: 1, arbitrary: definitions },
)

test('whatever is asked is answered and counted by both ways alike', async (t) => {
  t.diagnostic(`seed ${SEED}: WAYS_SEED=${SEED}`)
  let straight = 0
  let scanned = 0
  let written = 0
  const { row } = TurnReads.prototype
  t.mock.method(
    TurnReads.prototype,
    'row',
    function counted(this: TurnReads, ...asked: Parameters<typeof row>) {
      const found = row.apply(this, asked)
      if (found !== undefined) straight += 1
      return found
    },
  )
  const { rows: scan } = TurnReads.prototype
  t.mock.method(
    TurnReads.prototype,
    'rows',
    function counted(this: TurnReads, ...asked: Parameters<typeof scan>) {
      const found = scan.apply(this, asked)
      if (found?.isWhole) scanned += 1
      return found
    },
  )
  const { run } = StraightWrites.prototype
  t.mock.method(
    StraightWrites.prototype,
    'run',
    function counted(this: StraightWrites, ...asked: Parameters<typeof run>) {
      written += 1
      return run.apply(this, asked)
    },
  )
  const direct = await Way.open(t, {})
  // A preference that nobody knows changes nothing, and is none of a plain head.
  const general = await Way.open(t, { prefer: 'general' })
  const asked = [...ROWS, ...fc.sample(requests, { seed: SEED, numRuns: REQUESTS })]
  for (const request of asked) {
    await direct.sleep()
    await general.sleep()
    const answer = await direct.send(request)
    assert.deepEqual(answer, await general.send(request), JSON.stringify(request))
  }
  assert.deepEqual(await direct.counts(), await general.counts())
  t.diagnostic(
    `${REQUESTS} requests, 0 differences; ${straight} read, ${scanned} scanned and ${written} written straight`,
  )
  assert.ok(scanned > REQUESTS / 250, `only ${scanned} were scanned straight`)
  assert.ok(straight > REQUESTS / 40, `only ${straight} were read straight`)
  assert.ok(written > 0, `only ${written} were written straight`)
})

test('a transaction over several requests is the same by both ways', async (t) => {
  t.diagnostic(`seed ${SEED}: WAYS_SEED=${SEED}`)
  const direct = await Way.open(t, {})
  const general = await Way.open(t, { prefer: 'general' })
  for (const row of ROWS) for (const way of [direct, general]) await way.send(row)
  const inside = fc.tuple(
    fc.array(fc.oneof(reads, scans, writes, texts, options, bodies), { maxLength: 8 }),
    oneOf('COMMIT', 'ROLLBACK'),
  )
  for (const [asked, end] of fc.sample(inside, { seed: SEED, numRuns: 60 })) {
    const answers = await direct.sendInside(asked, end)
    assert.deepEqual(answers, await general.sendInside(asked, end), JSON.stringify(asked))
  }
  assert.deepEqual(await direct.counts(), await general.counts())
})

test('a SCAN that one way began goes on by the other', async (t) => {
  const way = await Way.open(t, {})
  const rows = Array.from({ length: 1_001 }, (_, n) => ({ id: n }))
  assert.equal((await way.send({ path: '/v1/tables/split/rows', body: rows })).status, 201)
  for (const params of [undefined, [], { from: 0 }]) {
    const where = params !== undefined && 'from' in params ? ' WHERE id >= :from' : ''
    const body = { sql: `SCAN id FROM split${where}`, ...(params && { params }) }
    for (let time = 0; time < 3; time += 1) {
      const { text } = await way.send({ path: '/v1/query', body, isRaw: true })
      const [, cursor] = /"cursor":"([^"]+)"/.exec(text) ?? []
      const rest = await way.send({ path: '/v1/query', body: { ...body, cursor } })
      assert.match(rest.text, /"rows":\[\{"id":1000\}\]/)
    }
  }
})
