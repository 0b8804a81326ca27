// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { after, before } from 'node:test'
import fc from 'fast-check'
import { compareText } from '../../storage/values/values.ts'
import { rowsToJson, SqlSession } from '../../test/sql-session.ts'

/**
 * A SCAN with random conditions, in either direction and in pages of any size, must give the rows
 * that a filter over all rows in memory gives, in the order of the key. The filter here is written
 * anew and shares no code with the planner.
 */

const DIRECTIONS = ['', 'DESC'] as const
const TABLES = DIRECTIONS.flatMap((a) =>
  DIRECTIONS.flatMap((b) =>
    DIRECTIONS.map((c) => ({ name: `k_${a}_${b}_${c}`.toLowerCase(), directions: [a, b, c] })),
  ),
)
const INTEGERS = [-2, -1, 0, 1, 2]
const TEXTS = ['', 'a', 'a\u0000', 'ab', 'b', '\uffff', '\u{10000}']
const REALS = [-1.5, 0, 2.25]

type Row = { readonly a: number; readonly b: string; readonly c: number; readonly v: number | null }
type Value = number | string | null
type Column = 'a' | 'b' | 'c' | 'v'

const ROWS: readonly Row[] = INTEGERS.flatMap((a, i) =>
  TEXTS.flatMap((b, j) =>
    REALS.filter((_, k) => (i + j + k) % 2 === 0).map((c, k) => ({
      a,
      b,
      c,
      v: (i * 7 + j * 3 + k) % 4 === 0 ? null : (i * 7 + j * 3 + k) % 4,
    })),
  ),
)

let session: SqlSession
before(async () => {
  session = await SqlSession.open()
  for (const { name, directions } of TABLES) {
    const key = ['a', 'b', 'c'].map((column, index) => `${column} ${directions[index]}`).join(', ')
    await session.run(
      `CREATE TABLE ${name} (v INTEGER, c REAL, b TEXT, a INTEGER, PRIMARY KEY (${key}))`,
    )
    const values = ROWS.map(
      (_, i) => `($${i * 4 + 1}, $${i * 4 + 2}, $${i * 4 + 3}, $${i * 4 + 4})`,
    )
    const parameters = ROWS.flatMap(({ a, b, c, v }) => [a, b, c, v])
    await session.run(`INSERT INTO ${name} (a, b, c, v) VALUES ${values.join(', ')}`, parameters)
  }
})
after(() => session.close())

/** One condition as the dialect writes it (with $n for its values), and as JavaScript decides it. */
type Condition = {
  readonly text: (place: (value: unknown) => string) => string
  readonly holds: (row: Row) => boolean | null
}

const column = fc.constantFrom<Column>('a', 'a', 'b', 'b', 'c', 'v')
const anyValueOf = (of: Column): fc.Arbitrary<Value> =>
  of === 'b'
    ? fc.constantFrom(...TEXTS, 'aa', null)
    : of === 'c'
      ? fc.constantFrom(...REALS, 1, null)
      : fc.constantFrom(...INTEGERS, 5, null)

function compare(a: Value, b: Value): number | null {
  if (a === null || b === null) return null
  return typeof a === 'string' ? compareText(a, b as string) : a - (b as number)
}
const not = (truth: boolean | null): boolean | null => (truth === null ? null : !truth)
const and = (a: boolean | null, b: boolean | null): boolean | null =>
  a === false || b === false ? false : a === null || b === null ? null : true
const or = (a: boolean | null, b: boolean | null): boolean | null => not(and(not(a), not(b)))

const HOLDS = {
  '=': (order: number) => order === 0,
  '<>': (order: number) => order !== 0,
  '<': (order: number) => order < 0,
  '<=': (order: number) => order <= 0,
  '>': (order: number) => order > 0,
  '>=': (order: number) => order >= 0,
}
const MIRROR = { '=': '=', '<>': '<>', '<': '>', '<=': '>=', '>': '<', '>=': '<=' }
type Operator = keyof typeof HOLDS

const comparison = column.chain((of) =>
  fc
    .record({
      operator: fc.constantFrom(...(Object.keys(HOLDS) as Operator[])),
      value: anyValueOf(of),
      mirrored: fc.boolean(),
    })
    .map(
      ({ operator, value, mirrored }): Condition => ({
        text: (place) =>
          mirrored
            ? `${place(value)} ${MIRROR[operator]} ${of}`
            : `${of} ${operator} ${place(value)}`,
        holds: (row) => {
          const order = compare(row[of], value)
          return order === null ? null : HOLDS[operator](order)
        },
      }),
    ),
)
const between = column.chain((of) =>
  fc.tuple(anyValueOf(of), anyValueOf(of), fc.boolean()).map(
    ([lower, upper, negated]): Condition => ({
      text: (place) => `${of} ${negated ? 'NOT ' : ''}BETWEEN ${place(lower)} AND ${place(upper)}`,
      holds: (row) => {
        const above = compare(row[of], lower)
        const below = compare(row[of], upper)
        const inside = and(above === null ? null : above >= 0, below === null ? null : below <= 0)
        return negated ? not(inside) : inside
      },
    }),
  ),
)
const membership = column.chain((of) =>
  fc
    .record({
      list: fc.array(anyValueOf(of), { minLength: 1, maxLength: 4 }),
      asParameter: fc.boolean(),
      negated: fc.boolean(),
    })
    .map(
      ({ list, asParameter, negated }): Condition => ({
        text: (place) =>
          `${of} ${negated ? 'NOT ' : ''}IN ${asParameter ? place(list) : `(${list.map(place).join(', ')})`}`,
        holds: (row) => {
          const found = list
            .map((value) => compare(row[of], value))
            .map((order) => (order === null ? null : order === 0))
            .reduce(or, false)
          return negated ? not(found) : found
        },
      }),
    ),
)
const like = fc
  .tuple(
    fc.constantFrom('a', 'ab', 'a\u0000', '\uffff', '\u{10000}', 'x'),
    fc.constantFrom('%', '_%', ''),
  )
  .chain(([prefix, end]) =>
    fc.boolean().map(
      (literal): Condition => ({
        text: (place) => `b LIKE ${literal ? `'${prefix}${end}'` : place(prefix + end)}`,
        holds: ({ b }) => {
          if (end === '') return b === prefix
          return b.startsWith(prefix) && (end === '%' || b.length > prefix.length)
        },
      }),
    ),
  )
const isNull = fc.tuple(column, fc.boolean()).map(
  ([of, negated]): Condition => ({
    text: () => `${of} IS ${negated ? 'NOT ' : ''}NULL`,
    holds: (row) => (row[of] === null) !== negated,
  }),
)
const simple = fc.oneof(
  { weight: 4, arbitrary: comparison },
  { weight: 1, arbitrary: between },
  { weight: 2, arbitrary: membership },
  { weight: 1, arbitrary: like },
  { weight: 1, arbitrary: isNull },
)
const condition = fc.oneof(
  { weight: 8, arbitrary: simple },
  {
    weight: 1,
    arbitrary: fc.tuple(simple, simple).map(
      ([first, second]): Condition => ({
        text: (place) => `(${first.text(place)} OR ${second.text(place)})`,
        holds: (row) => or(first.holds(row), second.holds(row)),
      }),
    ),
  },
)

const scan = fc.record({
  table: fc.constantFrom(...TABLES),
  conditions: fc.array(condition, { minLength: 1, maxLength: 5 }),
  reverse: fc.boolean(),
  pageRows: fc.integer({ min: 1, max: 70 }),
  limit: fc.option(fc.integer({ min: 0, max: 40 }), { nil: undefined }),
})

test('bounds and filter together give what a filter over all rows gives, in pages of any size', async () => {
  const property = fc.asyncProperty(
    scan,
    async ({ table, conditions, reverse, pageRows, limit }) => {
      const parameters: unknown[] = []
      const place = (value: unknown): string => `$${parameters.push(value)}`
      const where = conditions.map(({ text }) => text(place)).join(' AND ')
      const flip = (direction: string): string => (reverse === (direction === '') ? 'DESC' : 'ASC')
      const orderBy = ['a', 'b', 'c']
        .map((name, index) => `${name} ${flip(table.directions[index] as string)}`)
        .join(', ')
      const end = limit === undefined ? '' : ` LIMIT ${limit}`
      const text = `SCAN a, b, c, v FROM ${table.name} USE PRIMARY KEY WHERE ${where} ORDER BY ${orderBy}${end}`

      const rows = await pagesOf(text, parameters, pageRows)

      const kept = ROWS.filter((row) => conditions.map(({ holds }) => holds(row)).reduce(and, true))
      const sorted = kept.toSorted((x, y) => compareKeys(table.directions, x, y))
      const expected = (reverse ? sorted.toReversed() : sorted).slice(0, limit)
      assert.deepEqual(rows, expected, text)
    },
  )
  await fc.assert(property, { numRuns: 500 })
})

test('DELETE removes the rows that a SCAN of the same bounds gives, and no other', async () => {
  const property = fc.asyncProperty(scan, async ({ table, conditions, limit }) => {
    const parameters: unknown[] = []
    const place = (value: unknown): string => `$${parameters.push(value)}`
    const where = conditions.map(({ text }) => text(place)).join(' AND ')
    const end = limit === undefined ? '' : ` LIMIT ${limit}`
    const from = `${table.name} USE PRIMARY KEY`
    const transaction = await session.storage.begin()
    const catalog = await session.storage.catalog(transaction)
    const run = async (text: string, given: readonly unknown[] = []) =>
      await session.runIn(transaction, catalog, text, { parameters: given })

    const all = rowsToJson(await run(`SCAN * FROM ${from}`))
    const found = rowsToJson(await run(`SCAN * FROM ${from} WHERE ${where}${end}`, parameters))
    const { rowsAffected } = await run(`DELETE FROM ${from} WHERE ${where}${end}`, parameters)
    const left = rowsToJson(await run(`SCAN * FROM ${from}`))
    transaction.rollback()

    assert.equal(rowsAffected, found.length)
    const texts = new Set(found.map((row) => JSON.stringify(row)))
    assert.deepEqual(
      left,
      all.filter((row) => !texts.has(JSON.stringify(row))),
    )
  })
  await fc.assert(property, { numRuns: 60 })
})

async function pagesOf(
  text: string,
  parameters: readonly unknown[],
  pageRows: number,
): Promise<unknown[]> {
  const pages = await Array.fromAsync(session.pages(text, pageRows, parameters))
  for (const { rows } of pages) assert.ok(rows.length <= pageRows)
  return pages.flatMap(rowsToJson)
}

function compareKeys(directions: readonly string[], x: Row, y: Row): number {
  const orders = [compare(x.a, y.a), compare(x.b, y.b), compare(x.c, y.c)] as number[]
  const place = orders.findIndex((order) => order !== 0)
  return place < 0 ? 0 : (orders[place] as number) * (directions[place] === 'DESC' ? -1 : 1)
}
