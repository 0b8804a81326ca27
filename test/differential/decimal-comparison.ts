// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { besidePostgres, type Client, type Sides as SidesOf } from './beside-postgres.ts'
import {
  DECIMAL_COLUMNS,
  decimalCondition,
  decimalExpression,
  digitsText,
} from './random/decimal-expressions.ts'
import { joined, same, type TwoTexts } from './random/joined-texts.ts'

/**
 * Statements that were answered alike, or refused for the same reason; and the differences: what PostgreSQL rounds for
 * a column, numbers of more than 1,000 digits, and what is not computed here behind a NULL, which is the answer then.
 */
export type DecimalCounts = {
  same: number
  refusedAlike: number
  rounded: number
  tooLong: number
  behindNull: number
}

type Sides = SidesOf<DecimalCounts>

const ROUNDS = 100
const ROWS = 14

/** One table of random rows on both sides, and random statements on it. */
export function compareDecimals(client: Client, seed: number): Promise<DecimalCounts> {
  const counts = { same: 0, refusedAlike: 0, rounded: 0, tooLong: 0, behindNull: 0 }
  return besidePostgres(client, seed, counts, async (sides) => {
    await createTables(sides)
    for (let id = 1; id <= ROWS; id += 1) await compareInsert(sides, id)
    for (let round = 0; round < ROUNDS; round += 1) {
      const compare = sides.choose.oneOf([
        ...[compareProjection, compareProjection, compareProjection, compareProjection],
        ...[compareFilter, compareFilter, compareAggregate, compareGroups, compareOrder],
        ...[compareSet, (of: Sides) => compareInsert(of, ROWS + 1 + round)],
      ])
      await compare(sides)
    }
  })
}

async function createTables({ choose, session, client }: Sides): Promise<void> {
  const sized = Object.entries(DECIMAL_COLUMNS).map(([name, size]) => [name, `NUMERIC(${size})`])
  const columns = sized.map((column) => column.join(' ')).join(', ')
  await client.query('DROP TABLE IF EXISTS t')
  await client.query(
    `CREATE TABLE t (k NUMERIC(12, 3), id BIGINT, ${columns}, i BIGINT, j BIGINT, PRIMARY KEY (k, id))`,
  )
  const order = choose.percent(50) ? ' DESC' : ''
  await session.run(
    `CREATE TABLE t (k DECIMAL(12, 3), id INTEGER, ${columns}, i INTEGER, j INTEGER,
      PRIMARY KEY (k${order}, id))`,
  )
  for (const name of choose.some(Object.keys(DECIMAL_COLUMNS), 3)) {
    const second = choose.oneOf(['', ', i', ', k DESC'])
    const direction = choose.percent(50) ? ' DESC' : ''
    await session.run(`CREATE INDEX by_${name} ON t (${name}${direction}${second})`)
  }
}

/** What both sides say to a statement: the rows, as texts, or why not. */
async function answers({ session, client }: Sides, { ours, theirs }: TwoTexts) {
  return {
    ours: await session.run(ours).then(
      ({ rows }) => rows.map((row) => row.map(String)),
      (error: { code?: string; message: string }) => {
        if (error.code === undefined) throw error
        return /1000 digits/.test(error.message) ? 'tooLong' : error.code
      },
    ),
    theirs: await client.query({ text: theirs, rowMode: 'array' }).then(
      ({ rows }) => (rows as unknown[][]).map((row) => row.map(String)),
      (error: { code?: string }) => CODES.get(error.code ?? '') ?? Promise.reject(error),
    ),
  }
}

const CODES: ReadonlyMap<string, string> = new Map([
  ['22012', 'division_by_zero'],
  ['22003', 'out_of_range'],
])

async function compare(sides: Sides, texts: TwoTexts): Promise<void> {
  const { counts } = sides
  const { ours, theirs } = await answers(sides, texts)
  if (ours === 'tooLong') counts.tooLong += 1
  // Which of several mistakes is met first depends on the order of the rows, and of what is computed of them.
  else if (isRefusal(ours) && isRefusal(theirs)) counts.refusedAlike += 1
  else if (isRefusal(theirs) && !isRefusal(ours)) await compareWithoutNull(sides, texts)
  else {
    assert.deepEqual(ours, theirs, `${texts.ours}\n${texts.theirs}`)
    counts.same += 1
  }
}

const KNOWN = Object.keys(DECIMAL_COLUMNS).map((name) => `${name} IS NOT NULL`)

/** Behind a NULL nothing is computed here: among rows without one, and without nullif, there is no difference. */
async function compareWithoutNull(sides: Sides, texts: TwoTexts): Promise<void> {
  const where = `WHERE ${KNOWN.join(' AND ')}`
  const { ours, theirs } = await answers(sides, {
    ours: texts.ours.replace(' FROM t', ` FROM t USE PRIMARY KEY ${where}`),
    theirs: texts.theirs.replace(' FROM t', ` FROM t ${where}`),
  })
  const isNulled = texts.ours.includes('nullif')
  if (!isNulled && !(isRefusal(ours) && isRefusal(theirs)))
    assert.deepEqual(ours, theirs, texts.ours)
  sides.counts.behindNull += 1
}

function isRefusal(answer: unknown): boolean {
  return answer === 'division_by_zero' || answer === 'out_of_range'
}

async function compareProjection(sides: Sides): Promise<void> {
  const value = decimalExpression(sides.choose, 1 + sides.choose.below(3))
  await compare(sides, {
    ours: `SCAN id, coalesce((${value.ours})::TEXT, 'NULL') AS v FROM t ORDER BY id LIMIT 1000`,
    theirs: `SELECT id, coalesce((${value.theirs})::text, 'NULL') AS v FROM t ORDER BY id LIMIT 1000`,
  })
}

/** What a filter of several parts computes of a row, and so whether it can, is another thing on each side. */
async function compareFilter(sides: Sides): Promise<void> {
  const { choose, counts } = sides
  const conditions = Array.from({ length: 1 + choose.below(2) }, () =>
    decimalCondition(choose, 1 + choose.below(2)),
  )
  const where = conditions.reduce((all, next) => joined`${all} AND ${next}`)
  const hint = choose.percent(30) ? ' USE PRIMARY KEY' : ''
  const text = (hinted: string) => ({
    ours: `SCAN id FROM t${hinted} WHERE ${where.ours}`,
    theirs: `SELECT id FROM t WHERE ${where.theirs}`,
  })
  const first = await answers(sides, text(hint))
  const isUnbounded = first.ours === 'unbounded_scan'
  const { ours, theirs } = isUnbounded ? await answers(sides, text(' USE PRIMARY KEY')) : first
  if (typeof ours === 'string' || typeof theirs === 'string') counts.refusedAlike += 1
  else {
    assert.deepEqual(ours.sort(), theirs.sort(), text(hint).ours)
    counts.same += 1
  }
}

async function compareAggregate(sides: Sides): Promise<void> {
  const { choose } = sides
  const value = decimalExpression(choose, choose.below(3))
  const of = choose.oneOf(['SUM', 'AVG'])
  const filter = choose.percent(30)
    ? joined` FILTER (WHERE ${decimalCondition(choose, 1)})`
    : same('')
  const column = choose.oneOf(Object.keys(DECIMAL_COLUMNS))
  await compare(sides, {
    ours: `SCAN coalesce(${of}(${value.ours})${filter.ours}::TEXT, '') AS v, COUNT(DISTINCT ${column}) AS n, MAX(${column}) AS m FROM t`,
    theirs: `SELECT coalesce((${of}(${value.theirs})${filter.theirs})::text, ''), COUNT(DISTINCT ${column}), MAX(${column}) FROM t`,
  })
}

async function compareGroups(sides: Sides): Promise<void> {
  const { choose } = sides
  const name = choose.oneOf(['a', 'f'])
  const by = joined`round(${same(name)} / ${same(choose.oneOf(['10', '100', '7.5']))})`
  const sum = decimalExpression(choose, 1)
  await compare(sides, {
    ours: `SCAN coalesce((${by.ours})::TEXT, 'NULL') AS g, coalesce(SUM(${sum.ours})::TEXT, '') AS s, COUNT(*) AS n FROM t GROUP BY ${by.ours} ORDER BY g LIMIT 1000`,
    theirs: `SELECT coalesce((${by.theirs})::text, 'NULL') AS g, coalesce(SUM(${sum.theirs})::text, '') AS s, COUNT(*) AS n FROM t GROUP BY ${by.theirs} ORDER BY g LIMIT 1000`,
  })
}

async function compareOrder(sides: Sides): Promise<void> {
  const { choose } = sides
  const value = decimalExpression(choose, choose.below(2))
  const limit = 1 + choose.below(ROWS)
  await compare(sides, {
    ours: `SCAN id FROM t ORDER BY ${value.ours} DESC, id LIMIT ${limit}`,
    theirs: `SELECT id FROM t ORDER BY ${value.theirs} DESC NULLS LAST, id LIMIT ${limit}`,
  })
}

/** What has digits that the column has not is refused here, and rounded there. */
async function compareWrite(sides: Sides, texts: TwoTexts, isExact: string): Promise<void> {
  const { client, counts } = sides
  await client.query('BEGIN')
  const { ours, theirs } = await answers(sides, texts)
  await client.query(typeof ours === 'string' ? 'ROLLBACK' : 'COMMIT')
  if (`${ours}` === 'null' && isRefusal(theirs)) {
    counts.behindNull += 1
    await client.query(texts.theirs.replace(/SET (\w+) = .* WHERE/, 'SET $1 = NULL WHERE'))
    return
  }
  if (ours === 'out_of_range' && typeof theirs !== 'string') {
    const { rows } = await client.query({ text: isExact, rowMode: 'array' })
    assert.ok(!rows.every(([each]) => each === true), texts.ours)
    counts.rounded += 1
    return
  }
  if (ours === 'tooLong') counts.tooLong += 1
  else if (isRefusal(ours) && isRefusal(theirs)) counts.refusedAlike += 1
  else {
    assert.deepEqual(ours, theirs, texts.ours)
    counts.same += 1
  }
}

async function compareInsert(sides: Sides, id: number): Promise<void> {
  const { choose } = sides
  const values = Object.values(DECIMAL_COLUMNS).map((size) =>
    choose.percent(12) ? 'NULL' : digitsText(choose, choose.percent(90) ? size : '20, 6'),
  )
  const wholes = [choose.below(2_000) - 1_000, choose.below(5)]
  const texts = [digitsText(choose, '12, 3'), id, ...values, ...wholes].map(String)
  const names = ['k', 'id', ...Object.keys(DECIMAL_COLUMNS), 'i', 'j']
  const into = `INTO t (${names.join(', ')}) VALUES (${texts.join(', ')}) RETURNING ${names.join(', ')}`
  const exact = Object.values(DECIMAL_COLUMNS).map((size, at) => {
    return `coalesce(${values[at]}::numeric = ${values[at]}::numeric(${size}), TRUE)`
  })
  await compareWrite(sides, same(`INSERT ${into}`), `SELECT ${exact.join(' AND ')}`)
}

async function compareSet(sides: Sides): Promise<void> {
  const { choose } = sides
  const name = choose.oneOf(Object.keys(DECIMAL_COLUMNS))
  const size = DECIMAL_COLUMNS[name] as string
  const scale = size.split(', ')[1]
  const value = decimalExpression(choose, choose.below(3))
  const set = choose.percent(70) ? joined`round(${value}, ${same(String(scale))})` : value
  const where = `id = ${1 + choose.below(ROWS)}`
  await compareWrite(
    sides,
    {
      ours: `SET ${name} = ${set.ours} ON t USE PRIMARY KEY WHERE ${where} RETURNING ${name}`,
      theirs: `UPDATE t SET ${name} = ${set.theirs} WHERE ${where} RETURNING ${name}`,
    },
    `SELECT coalesce((${set.theirs}) = (${set.theirs})::numeric(${size}), TRUE) FROM t WHERE ${where}`,
  )
}
