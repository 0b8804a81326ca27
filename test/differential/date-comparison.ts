// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { SqlSession } from '../sql-session.ts'
import { besidePostgres, type Client, type Sides as SidesOf } from './beside-postgres.ts'
import { joined, same, type TwoTexts } from './random/joined-texts.ts'
import type { Chooser } from './random/random-table.ts'

/** Statements that were answered alike. */
export type DateCounts = { same: number }

type Sides = SidesOf<DateCounts>

const ROUNDS = 100
const ROWS = 30

/** Those that are never NULL, and those that may be. */
const SURE = ['day', 'n', 'id'] as const
const COLUMNS: Readonly<Record<string, string>> = {
  ...{ day: 'DATE', n: 'INTEGER', id: 'INTEGER', price: 'NUMERIC(6, 1)' },
  ...{ due: 'DATE', at: 'TIMESTAMP', m: 'INTEGER' },
}

/** One table of random days on both sides, and statements with days and with rows of values on it. */
export function compareDates(client: Client, seed: number): Promise<DateCounts> {
  return besidePostgres(client, seed, { same: 0 }, async (sides) => {
    await createTables(sides)
    for (let round = 0; round < ROUNDS; round += 1) {
      const kinds = [compareProjection, compareFilter, compareRows, comparePages]
      await sides.choose.oneOf(kinds)(sides)
    }
  })
}

async function createTables({ choose, session, client }: Sides): Promise<void> {
  const columns = Object.entries(COLUMNS).map((column) => column.join(' '))
  await client.query('DROP TABLE IF EXISTS r')
  await client.query(`CREATE TABLE r (${columns.join(', ')}, PRIMARY KEY (id))`)
  const key = choose.oneOf(['id', 'day, n, id', 'day DESC, n DESC, id DESC', 'n, day DESC, id'])
  await session.run(`CREATE TABLE r (${columns.join(', ')}, PRIMARY KEY (${key}))`)
  for (const [index, on] of ['day, n', 'm, due', 'price DESC, day DESC', 'at, due'].entries()) {
    if (choose.percent(60)) await session.run(`CREATE INDEX by${index} ON r (${on})`)
  }
  for (let id = 1; id <= ROWS; id += 1) {
    const values = Object.keys(COLUMNS).map((name) =>
      name === 'id' ? String(id) : literalOf(choose, name),
    )
    const text = `INTO r (${Object.keys(COLUMNS).join(', ')}) VALUES (${values.join(', ')})`
    await session.run(`INSERT ${text}`)
    await client.query(`INSERT ${text}`)
  }
}

/** Of few, so that many are equal. */
function literalOf(choose: Chooser, name: string): string {
  const mayBeNull = !(SURE as readonly string[]).includes(name)
  if (mayBeNull && choose.percent(20)) return 'NULL'
  const days = ['2024-02-29', '2026-01-31', '2026-02-28', '1999-12-31', '0500-01-01', '2100-03-01']
  switch (COLUMNS[name]) {
    case 'DATE':
      return `'${choose.oneOf(days)}'`
    case 'TIMESTAMP':
      return `'${choose.oneOf(days)}T${choose.oneOf(['00:00:00', '23:59:59'])}Z'`
    case 'INTEGER':
      return String(choose.below(4) - 1)
    default:
      return choose.oneOf(['0', '1.5', '-2.0', '10'])
  }
}

/** A day, which none of these makes too large. */
function day(choose: Chooser, depth: number): TwoTexts {
  const column = same(choose.oneOf(['day', 'due']))
  if (depth === 0) return column
  const inner = day(choose, depth - 1)
  const count = choose.below(800)
  const sign = choose.oneOf(['+', '-'])
  const units = choose.some(['5 months', '2 years', '1 week', `${count} days`], 2)
  switch (choose.below(5)) {
    case 0:
      return joined`(${inner} ${same(sign)} ${same(String(count))})`
    case 1: {
      return {
        ours: `(${inner.ours} ${sign} INTERVAL '${units.join(' ')}')`,
        theirs: `(${inner.theirs} ${sign} INTERVAL '${units.join(' ')}')::date`,
      }
    }
    case 2: {
      const months = choose.below(50) - 25
      return {
        ours: `add_months(${inner.ours}, ${months})`,
        theirs: `(${inner.theirs} + INTERVAL '1 month' * ${months})::date`,
      }
    }
    case 3: {
      const unit = choose.oneOf(['month', 'year', 'week', 'quarter'])
      return {
        ours: `date_trunc('${unit}', ${inner.ours})`,
        theirs: `date_trunc('${unit}', ${inner.theirs}::timestamp)::date`,
      }
    }
    default:
      return joined`coalesce(${inner}, at::DATE, day)`
  }
}

function number(choose: Chooser): TwoTexts {
  const one = day(choose, choose.below(3))
  if (choose.percent(50)) return joined`(${one} - ${day(choose, choose.below(2))})`
  const unit = choose.oneOf(['year', 'month', 'day', 'dow', 'doy', 'week', 'quarter'])
  return {
    ours: `extract('${unit}', ${one.ours})`,
    theirs: `extract(${unit} FROM ${one.theirs})::bigint`,
  }
}

async function compareProjection(sides: Sides): Promise<void> {
  const { choose } = sides
  const value = choose.percent(60) ? day(choose, 1 + choose.below(3)) : number(choose)
  await compare(sides, {
    ours: `SCAN id, coalesce((${value.ours})::TEXT, 'NULL') AS v FROM r USE PRIMARY KEY`,
    theirs: `SELECT id, coalesce((${value.theirs})::text, 'NULL') FROM r`,
  })
}

const OPERATORS = ['=', '<>', '<', '<=', '>', '>=']

async function compareFilter(sides: Sides): Promise<void> {
  const { choose } = sides
  const operator = same(choose.oneOf(OPERATORS))
  // A moment beside a day is compared with its beginning.
  const other = choose.percent(50) ? day(choose, choose.below(2)) : same('at')
  await compareWhere(sides, joined`${day(choose, choose.below(3))} ${operator} ${other}`)
}

async function compareRows(sides: Sides): Promise<void> {
  const { choose } = sides
  const row = () => {
    const names = choose.some(Object.keys(COLUMNS), 3)
    return names.length < 2 ? ['day', 'n'] : names
  }
  const conditions = Array.from({ length: 1 + choose.below(2) }, () => {
    const names = row()
    const values = () => `(${names.map((name) => literalOf(choose, name)).join(', ')})`
    const columns = `(${names.join(', ')})`
    if (choose.percent(25)) return `${columns} IN (${values()}, ${values()})`
    return `${columns} ${choose.oneOf(OPERATORS)} ${values()}`
  })
  await compareWhere(sides, same(conditions.join(choose.oneOf([' AND ', ' AND ', ' OR ']))))
}

/** The rows in an order that may have equal ones, from page to page behind the last row. */
async function comparePages(sides: Sides): Promise<void> {
  const { choose, session, client } = sides
  const order = choose.oneOf([['id'], ['day', 'n', 'id'], ['n', 'day', 'id']])
  const direction = choose.percent(50) ? '' : ' DESC'
  const by = order.map((name) => `${name}${direction}`).join(', ')
  const { rows: all } = await client.query({
    text: `SELECT id FROM r ORDER BY ${by}`,
    rowMode: 'array',
  })
  const found: string[] = []
  const size = 1 + choose.below(9)
  const shown = order.map((name) => `${name}::TEXT`).join(', ')
  for (let after = ''; ; ) {
    const text = `SCAN id, ${shown} FROM r${after} ORDER BY ${by} LIMIT ${size}`
    const { rows } = await runBounded(session, text)
    for (const [id] of rows) found.push(String(id))
    const last = rows.at(-1)
    if (last === undefined || found.length > all.length) break
    const values = last.slice(1).map((value, at) => (order[at] === 'day' ? `'${value}'` : value))
    after = ` WHERE (${order.join(', ')}) ${direction === '' ? '>' : '<'} (${values.join(', ')})`
  }
  assert.deepEqual(found, all.map(String), `pages of ${size} by ${by}`)
  sides.counts.same += 1
}

async function compareWhere(sides: Sides, where: TwoTexts): Promise<void> {
  const text = `SELECT id FROM r WHERE ${where.theirs}`
  const hint = sides.choose.percent(30) ? ' USE PRIMARY KEY' : ''
  const ours = `SCAN id FROM r${hint} WHERE ${where.ours}`
  await compare(sides, { ours, theirs: text })
}

/** With leave to read the whole table where no key is bounded. */
function runBounded(session: SqlSession, text: string) {
  return session.run(text).catch((error: { code?: string }) => {
    if (error.code !== 'unbounded_scan') throw error
    return session.run(text.replace(' FROM r', ' FROM r USE PRIMARY KEY'))
  })
}

async function compare(sides: Sides, { ours, theirs }: TwoTexts): Promise<void> {
  const { rows } = await runBounded(sides.session, ours)
  const expected = await sides.client.query({ text: theirs, rowMode: 'array' })
  const texts = (all: readonly (readonly unknown[])[]) => all.map((row) => row.join(' ')).sort()
  assert.deepEqual(texts(rows), texts(expected.rows), `${ours}\n${theirs}`)
  sides.counts.same += 1
}
