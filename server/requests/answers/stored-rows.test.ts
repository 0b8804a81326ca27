// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import type { RowWriter, StatementResult } from '../../../planner/planner.ts'
import { ROW_COLUMN, tableSpace } from '../../../storage/tables/tables.ts'
import { SeededRandomness } from '../../../test/seeded-randomness.ts'
import { TokenServer } from '../../../test/server/token-server.ts'
import { SqlSession } from '../../../test/sql-session.ts'
import { AnswerWriter } from './answer-text.ts'
import { type Columns, formOf } from './result-form.ts'
import { WrittenRows } from './written-rows.ts'

const SEED = Number(process.env.ROWS_SEED ?? Math.floor(Math.random() * 2 ** 31))
const ROUNDS = 60
const randomness = new SeededRandomness(SEED)
const below = (bound: number) => randomness.below(bound)
const oneOf = <T>(...values: readonly T[]): T => values[below(values.length)] as T

const COLUMNS = ['t', 'i', 'r', 'b', 'w', 'x', 'j', '"Größe"', '"__proto__"', 'later', 'gone']
const TABLES = [
  'CREATE TABLE item (id TEXT PRIMARY KEY, t TEXT, i INTEGER, r REAL, b BOOLEAN, w TIMESTAMP, x BYTES, j JSON, "Größe" TEXT, "__proto__" TEXT, gone TEXT)',
  'CREATE TABLE pair (a INTEGER, id TEXT, t TEXT, i INTEGER, r REAL, b BOOLEAN, w TIMESTAMP, x BYTES, j JSON, "Größe" TEXT, "__proto__" TEXT, gone TEXT, "7" TEXT, PRIMARY KEY (a DESC, id))',
  'CREATE TABLE split (id TEXT PRIMARY KEY, t TEXT, i INTEGER, FAMILY remarks (i))',
]
const LATER = [
  `ALTER TABLE item ADD COLUMN later TEXT NOT NULL DEFAULT 'spät "er"'`,
  'ALTER TABLE pair ADD COLUMN later INTEGER NOT NULL DEFAULT -7',
  'ALTER TABLE item DROP COLUMN gone',
]

function text(): string {
  const parts = ['', 'a', '"', '\\', '\n', '\u0000', '\u007f', '\u2028', 'ä', '€', '😀', '\ufffd']
  const short = Array.from({ length: below(9) }, () => oneOf(...parts)).join('')
  return below(150) === 0 ? short + oneOf('ä', 'x').repeat(70_000) : short
}

function valuesOfRow(id: string): Record<string, unknown> {
  const nullable = (value: unknown) => (below(5) === 0 ? null : value)
  const integers = [0, -1, 127, -129, 70_000, 2 ** 31, '9007199254740993', '-9223372036854775808']
  return {
    id,
    t: nullable(text()),
    i: nullable(oneOf<unknown>(...integers)),
    r: nullable(oneOf(0, -1.5, 1e300, 5e-324)),
    b: nullable(oneOf(true, false)),
    w: nullable(oneOf('1969-12-31T23:59:59.999999Z', '2026-01-01T00:00:00Z')),
    x: nullable(Buffer.from(text().slice(0, 40)).toString('base64')),
    j: nullable(oneOf<unknown>([1, { ä: '"' }], 'text', 1e20)),
    g: nullable(text()),
    p: nullable(text()),
  }
}

const INTO = {
  item: 'SET t = :t, i = :i, r = :r, b = :b, w = :w, x = :x, j = :j, "Größe" = :g, "__proto__" = :p ON item WHERE id = :id',
  pair: 'SET t = :t, i = :i, r = :r, b = :b, w = :w, x = :x, j = :j, "Größe" = :g, "__proto__" = :p ON pair WHERE id = :id AND a = :a',
  split: 'SET t = :t, i = :i ON split WHERE id = :id',
}

/** Statements that fill the tables, some of them before columns came and went. */
function* filling(): Generator<readonly [sql: string, params?: Record<string, unknown>]> {
  for (const sql of TABLES) yield [sql]
  for (let n = 0; n < 240; n += 1) {
    if (n === 120) for (const sql of LATER) yield [sql]
    const { g, p, ...row } = valuesOfRow(`${oneOf('k', 'ü', 'z\u0000')}${n}`)
    const table = oneOf('item', 'item', 'pair', 'split')
    const { id, t, i } = row
    if (table === 'split') yield [INTO.split, { id, t, i }]
    else if (table === 'item') yield [INTO.item, { ...row, g, p }]
    else yield [INTO.pair, { ...row, g, p, a: n % 3 }]
  }
}

function scan(): string {
  const table = oneOf('item', 'item', 'pair', 'split')
  const names = ['id', ...(table === 'split' ? ['t', 'i'] : COLUMNS)]
  const has = (name: string) => name !== 'gone' || table === 'pair'
  const some = names.filter((name) => has(name) && below(2) === 0)
  if (below(8) === 0) some.push('t AS "again"')
  const columns = below(3) === 0 || some.length === 0 ? '*' : some.join(', ')
  const where =
    table === 'pair' ? oneOf('', 'WHERE a = 1', 'WHERE a >= 1') : oneOf('', "WHERE id > 'l'")
  const order = table === 'pair' ? '' : oneOf('', 'ORDER BY id DESC')
  return `SCAN ${columns} FROM ${table} ${where} ${order} ${oneOf('', 'LIMIT 7', 'LIMIT 40')}`
}

/** As `WrittenRows`, of values only. */
class OfValues extends WrittenRows {
  override takesStored(): boolean {
    return false
  }
}

const written = ({ written: rows, resumeAfter }: StatementResult) => {
  const { bytes, rowCount } = rows as WrittenRows
  const pieces = [...(rows as WrittenRows).pieces()].map((piece) => Buffer.from(piece))
  return { bytes, rowCount, resumeAfter, text: Buffer.concat(pieces).toString() }
}

test('rows are written as they are stored like their values are, in pages that end at the same rows', async (t) => {
  t.diagnostic(`ROWS_SEED=${SEED}`)
  const session = await SqlSession.open()
  t.after(() => session.close())
  for (const [sql, params] of filling()) await session.run(sql, params)
  const { rowWriters } = new AnswerWriter()
  let asStored = 0
  t.mock.method(
    WrittenRows.prototype,
    'takesStored',
    function (this: WrittenRows, ...given: never) {
      const takes = original.apply(this, given)
      if (takes) asStored += 1
      return takes
    },
  )
  for (let round = 0; round < ROUNDS; round += 1) {
    const sql = scan()
    const integers = oneOf('number' as const, 'string' as const)
    const size = { rows: oneOf(1, 31, 33, 1_000), bytes: oneOf(1, 400, 5_000, 1e6) }
    const transaction = await session.storage.begin()
    const catalog = await session.storage.catalog(transaction)
    const pageBy = async (newRowWriter: (columns: Columns) => RowWriter, after?: Uint8Array) => {
      const page = { ...size, ...(after && { after }) }
      return written(await session.runIn(transaction, catalog, sql, { page, newRowWriter }))
    }
    let after: Uint8Array | undefined
    do {
      const stored = await pageBy(rowWriters[integers], after)
      const ofValues = (columns: Columns) => new OfValues(columns, formOf(columns, integers))
      assert.deepEqual(stored, await pageBy(ofValues, after), sql)
      after = stored.resumeAfter
    } while (after !== undefined)
    transaction.rollback()
  }
  assert.ok(asStored > ROUNDS / 3, `${asStored} of ${ROUNDS}`)
})

const original = WrittenRows.prototype.takesStored

test('a record that is damaged is told of as where its values are read, and rows before it are no answer', async (t) => {
  const session = await SqlSession.open(
    'CREATE TABLE item (id TEXT PRIMARY KEY, t TEXT, i INTEGER)',
  )
  t.after(() => session.close())
  for (const id of ['a', 'b', 'c'])
    await session.run("SET t = 'ä', i = 5 ON item WHERE id = :id", { id })
  const key = Buffer.concat([await spaceOf(session), Buffer.from('\u0010b\u0000\u0000')])
  // Format; column and kind, length; and what is not UTF-8, cut short, of another kind, unknown, or out of order.
  const damaged = [
    '01 28 02 c3 28',
    '01 28 03 ed a0 80',
    '01 28 09 61',
    '01 23 01',
    '01 f8 01 61',
    '01 80 00',
    '01 a8 80 80 80 00 00',
    '02',
    '01 33 05 28 00',
  ]
  const { rowWriters } = new AnswerWriter()
  for (const hex of damaged) {
    const transaction = await session.storage.begin()
    transaction.put(key, ROW_COLUMN, Buffer.from(hex.replaceAll(' ', ''), 'hex'))
    const catalog = await session.storage.catalog(transaction)
    const told = (newRowWriter?: (columns: Columns) => RowWriter) =>
      session
        .runIn(transaction, catalog, 'SCAN * FROM item', newRowWriter && { newRowWriter })
        .then(
          () => undefined,
          ({ message, rule, fields }) => ({ message, rule, fields }),
        )
    const before = await told()
    assert.ok(before !== undefined, hex)
    assert.deepEqual(await told(rowWriters.number), before, hex)
    transaction.rollback()
  }
})

async function spaceOf(session: SqlSession): Promise<Uint8Array> {
  const transaction = await session.storage.begin()
  const table = (await session.storage.catalog(transaction)).table('item')
  transaction.rollback()
  return tableSpace(table?.id as number)
}

test('a server answers its rows alike by both ways: by pages, roles, rules and forms of integers', async (t) => {
  const server = await TokenServer.start(t)
  const ask = (sql: string, token?: string, more = {}) =>
    server.as(token ?? server.token).query(sql, more)
  for (const [sql, params] of filling()) {
    assert.equal((await ask(sql, undefined, params && { params })).status, 200, sql)
  }
  const grants = [
    'CREATE ROLE reader',
    'GRANT READ ON ALL TABLES TO reader',
    'CREATE ROLE ruled',
    "GRANT READ ON item TO ruled WHERE i = 5 OR t <> ''",
  ]
  for (const sql of grants) assert.equal((await ask(sql)).status, 200, sql)
  const tokens = [server.token]
  for (const role of ['reader', 'ruled']) {
    tokens.push(await server.made(`CREATE TOKEN of_${role} ROLE ${role} EXPIRES IN 1 DAY`))
  }
  const pagesOf = async (sql: string, token: string, options: object): Promise<string[]> => {
    const texts: string[] = []
    for (let cursor: string | undefined, n = 0; n < 20; n += 1) {
      const answer = await ask(sql, token, { ...options, ...(cursor && { cursor }) })
      cursor = answer.body.cursor
      texts.push(`${answer.status} ${answer.text.replace(/,"readTimestamp":.*/, '')}`)
      if (cursor === undefined) break
    }
    return texts
  }
  for (let round = 0; round < ROUNDS / 3; round += 1) {
    const [sql, token] = [scan(), oneOf(...tokens)]
    const options = { pageSize: oneOf(3, 50, 500), integers: oneOf('number', 'string') }
    const stored = await pagesOf(sql, token, options)
    const values = await byValues(t, () => pagesOf(sql, token, options))
    assert.deepEqual(stored, values, sql)
  }
})

async function byValues<T>(t: TestContext, work: () => Promise<T>): Promise<T> {
  const { mock } = t.mock.method(WrittenRows.prototype, 'takesStored', () => false)
  const result = await work()
  mock.restore()
  return result
}

test('texts that answer the same columns of a table share the form of their rows', async (t) => {
  const session = await SqlSession.open('CREATE TABLE item (id TEXT PRIMARY KEY, t TEXT, u TEXT)')
  t.after(() => session.close())
  const transaction = await session.storage.begin({ readOnly: true })
  const catalog = await session.storage.catalog(transaction)
  transaction.rollback()
  const columnsOf = (sql: string) => {
    const plan = session.plan(sql, catalog)
    return plan.kind === 'rangeScan' ? plan.projection.columns : undefined
  }
  const columns = columnsOf('SCAN id, t FROM item LIMIT 7')
  assert.equal(columnsOf("SCAN id, t FROM item WHERE id > 'a' LIMIT 8"), columns)
  assert.notEqual(columnsOf('SCAN id, u AS t FROM item LIMIT 7'), columns)
  assert.equal(columnsOf('SCAN * FROM item'), columnsOf('SCAN * FROM item LIMIT 7'))
})
