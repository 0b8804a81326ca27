// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { ColumnDefinition, TableDefinition } from '../../storage/tables/tables.ts'
import type { SqlValue } from '../../storage/values/values.ts'
import { SqlSession } from '../../test/sql-session.ts'
import { arbitraryTable, arbitraryValue } from '../../test/storage/arbitrary-values.ts'
import { TIMESTAMP_MAX, TIMESTAMP_MIN } from '../json/timestamp-text.ts'
import { createIndexText, createTableText } from './definition-text.ts'

async function statementsOf(session: SqlSession, table: string): Promise<string[]> {
  const { rows } = await session.run(`SHOW CREATE TABLE ${table}`)
  return rows.map(([text]) => String(text))
}

test('SHOW CREATE TABLE tells what makes a table, its indexes and its observers, in words that make them', async (t) => {
  const first = await SqlSession.open()
  t.after(() => first.close())
  await first.run(`
    CREATE TABLE "per cent" (x TEXT, "a""b" TIMESTAMP DEFAULT '2026-01-31T12:00:00+01:00', z REAL NOT NULL DEFAULT 1e21,
      u TEXT DEFAULT uuid(), n INTEGER DEFAULT -7, j JSON DEFAULT '{"a": [1]}', h BYTES DEFAULT x'0aff',
      q TEXT DEFAULT 'it''s', PRIMARY KEY ("a""b" DESC, x), FAMILY rare (q, h), FAMILY gone (u));
    ALTER TABLE "per cent" DROP COLUMN u;
    ALTER TABLE "per cent" ADD COLUMN later TEXT DEFAULT 'x';
    CREATE INDEX byN ON "per cent" (n DESC, x) STORING (z, later);
    CREATE OBSERVER watch ON "per cent" (n, q);
    ALTER OBSERVER watch PAUSE;
    CREATE WEAK OBSERVER glance ON "per cent" (x)`)
  const statements = await statementsOf(first, '"per cent"')
  assert.deepEqual(statements.slice(1), [
    'CREATE INDEX byN ON "per cent" (n DESC, x) STORING (z, later)',
    'CREATE OBSERVER watch ON "per cent" (n, q)',
    'ALTER OBSERVER watch PAUSE',
    'CREATE WEAK OBSERVER glance ON "per cent" (x)',
  ])
  const second = await SqlSession.open()
  t.after(() => second.close())
  await second.run(statements.join(';'))
  assert.deepEqual(await statementsOf(second, '"per cent"'), statements)
  for (const shown of ['DESCRIBE "per cent"', 'SHOW INDEXES FROM "per cent"', 'SHOW OBSERVERS']) {
    assert.deepEqual(await second.rows(shown), await first.rows(shown))
  }
})

test('a name that is a reserved word stands in quotes, and no other word does', async (t) => {
  const session = await SqlSession.open(
    'CREATE TABLE "order" ("select" TEXT PRIMARY KEY, key TEXT)',
  )
  t.after(() => session.close())
  const [statement] = await statementsOf(session, '"order"')
  assert.equal(
    statement,
    'CREATE TABLE "order" (\n  "select" TEXT,\n  key TEXT,\n  PRIMARY KEY ("select")\n)',
  )
})

test('a REAL beyond the 64 bits of an INTEGER is a default that its own text makes again', async (t) => {
  const reals = ['100000000000000000000.0', '-9223372036854776000.0', '1e+21', '-1e-7', '0.0']
  const columns = reals.map((real, position) => `r${position} REAL DEFAULT ${real}`)
  const session = await SqlSession.open(
    `CREATE TABLE t (id INTEGER PRIMARY KEY, ${columns.join(', ')})`,
  )
  t.after(() => session.close())
  const [text] = await statementsOf(session, 't')
  for (const column of columns) assert.ok(text?.includes(`${column},\n`), `${column} in ${text}`)
  await session.run('DROP TABLE t')
  await session.run(String(text))
  assert.deepEqual(await statementsOf(session, 't'), [text])
})

test('an index that failed is left out: it would fail again', async (t) => {
  const session = await SqlSession.open('CREATE TABLE t (id INTEGER PRIMARY KEY, a TEXT)')
  t.after(() => session.close())
  await session.run("INSERT INTO t (id, a) VALUES (1, 'x'), (2, 'x')")
  await session.run('CREATE UNIQUE INDEX once ON t (a)')
  assert.equal((await statementsOf(session, 't')).length, 1)
})

const YEARS = fc.bigInt({ min: TIMESTAMP_MIN, max: TIMESTAMP_MAX })

/** Any table, with any default that its columns may have. */
const tableWithDefaults = arbitraryTable.chain((table) => {
  const isKey = ({ id }: ColumnDefinition) =>
    table.primaryKey.some(({ columnId }) => columnId === id)
  const defaults = fc.tuple(
    ...table.columns.map(({ type }) =>
      fc.option(type === 'TIMESTAMP' ? YEARS : arbitraryValue(type), { nil: undefined }),
    ),
  )
  return defaults.map((values) => ({
    ...table,
    columns: table.columns.map((column, position) => {
      const value = values[position] as SqlValue | undefined
      // The JSON null is NULL of the dialect.
      const isNone = value === undefined || value === 'null' || isKey(column)
      return isNone ? column : { ...column, default: { kind: 'literal', value } as const }
    }),
  }))
})

const NEXT = fc.oneof(
  fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n }),
  fc.constantFrom(1n, 2n, 2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n)),
)

/** The same, where it has an INTEGER often with an identity there, and the number that is its next. */
const tableWithIdentity = fc
  .record({ table: tableWithDefaults, isAlways: fc.boolean(), next: NEXT, at: fc.nat() })
  .map(({ table, isAlways, next, at }) => {
    const integers = table.columns.filter(({ type }) => type === 'INTEGER')
    const column = integers[at % (integers.length + 1)]
    const identity = { kind: 'identity', isAlways, series: 1 } as const
    const columns = table.columns.map((each) =>
      each === column ? { ...each, notNull: true, default: identity } : each,
    )
    return { table: { ...table, columns }, next: column === undefined ? 1n : next }
  })

test('any table is made again by its text: names, types, keys, numbers and defaults to the last digit', async () => {
  await fc.assert(
    fc.asyncProperty(tableWithIdentity, async ({ table, next }) => {
      const session = await SqlSession.open()
      try {
        const text = createTableText(table, next)
        await session.run(text)
        assert.deepEqual(await statementsOf(session, table.name), [text])
        const [made] = (await session.catalog()).tables()
        assert.ok(made !== undefined)
        const facts = ({ columns }: TableDefinition) =>
          columns.map(({ name, type, notNull, default: value }) => [name, type, notNull, value])
        assert.deepEqual(facts(made), facts(table))
      } finally {
        await session.close()
      }
    }),
    { numRuns: 60 },
  )
})

const STEPS = fc.array(
  fc.oneof(
    fc
      .string({ maxLength: 6 })
      .filter((name) => !/\p{Cc}/u.test(name))
      .map((name) => ({ name })),
    fc.integer({ min: -999_999_999, max: 999_999_999 }).map((index) => ({ index })),
    fc.constantFrom('0', '-0', '007', '-12').map((name) => ({ name, index: Number(name) })),
  ),
  { minLength: 1, maxLength: 4 },
)

test('an index of any path into JSON is made again by its text', async (t) => {
  const session = await SqlSession.open('CREATE TABLE t (id INTEGER PRIMARY KEY, "j n" JSON)')
  t.after(() => session.close())
  await fc.assert(
    fc.asyncProperty(STEPS, fc.boolean(), async (path, descending) => {
      const [table] = (await session.catalog()).tables()
      assert.ok(table !== undefined)
      const parts = [{ columnId: 2, descending, path }]
      const index = { id: 9, name: 'i', unique: false, parts, storing: [], state: 'ready' } as const
      await session.run(createIndexText(table, index))
      assert.deepEqual((await session.catalog()).index('i')?.index.parts, parts)
      await session.run('DROP INDEX i')
    }),
    { numRuns: 100 },
  )
})
