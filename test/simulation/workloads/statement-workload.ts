// SPDX-License-Identifier: Apache-2.0
import { PlanError, type StatementResult } from '../../../planner/planner.ts'
import {
  type Catalog,
  createIndex,
  createTable,
  type NewIndex,
  type NewTable,
} from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { checksTransaction } from './check-workload.ts'
import { execute } from './run-statement.ts'
import type { Work } from './work.ts'

const INTEGER = { type: 'INTEGER', notNull: true } as const
const SEAT: NewTable = {
  name: 'seat',
  columns: ['id', 'place', 'moves'].map((name) => ({ name, ...INTEGER })),
  primaryKey: [{ column: 'id', descending: false }],
}
const TALLY: NewTable = {
  name: 'tally',
  columns: ['name', 'code', 'n'].map((name) => ({ name, ...INTEGER })),
  primaryKey: [{ column: 'name', descending: false }],
}
const INDEXES: readonly NewIndex[] = [
  { table: 'seat', name: 'seatPlace', unique: true, column: 'place' },
  { table: 'seat', name: 'seatMoves', unique: false, column: 'moves' },
  { table: 'tally', name: 'tallyCode', unique: true, column: 'code' },
].map(({ column, ...index }) => ({
  ...index,
  parts: [{ column, descending: false }],
  storing: [],
}))
/** Of the row that has the sum of all others. */
const TOTAL = -1
const CHECKS_SHARE = 0.4

/**
 * Statements that change many rows, as the planner runs them. Seats change places, of which each has its own, and all
 * of them move at once, along the index of their moves; whoever is counted by an upsert is counted in the total, too.
 */
export async function statementsTransaction(work: Work): Promise<void> {
  const { transaction, random, think } = work
  if (random.fraction() < CHECKS_SHARE) return await checksTransaction(work)
  if (transaction.recorded.readOnly) return await compare(work)
  if (await makeNext(work)) return
  if (random.fraction() < 0.2) return await compare(work)
  for (let left = 1 + random.below(2); left > 0; left -= 1) {
    await think()
    await oneOf(work, [moveAll, swapTwo, moveTooFew, count, count])(work)
  }
  if (random.fraction() < 0.2) await compare(work)
}

/**
 * Makes a table, an index or the seats, whichever is missing first; false when all is there. One in each transaction:
 * where nothing is kept, a collection would overtake a longer one again and again.
 */
async function makeNext({ transaction, swarm }: Work): Promise<boolean> {
  return await transaction.onTables(async (writes, catalog) => {
    const table = [SEAT, TALLY].find(({ name }) => catalog.table(name) === undefined)
    const index = INDEXES.find((each) => !isDefined(catalog, each))
    if (table !== undefined) await createTable(writes, catalog, table, { ifNotExists: false })
    else if (index !== undefined) await createIndex(writes, catalog, index, { ifNotExists: false })
    else {
      const { rows: found } = await execute(writes, catalog, 'GET id FROM seat WHERE id = 0')
      if (found.length > 0) return false
      const rows = Array.from({ length: swarm.keys }, (_, n) => `(${n}, ${n}, 0)`)
      const sql = `INSERT INTO seat (id, place, moves) VALUES ${rows.join(', ')}`
      await execute(writes, catalog, sql)
    }
    return true
  })
}

function isDefined(catalog: Catalog, { table, name }: NewIndex): boolean {
  return catalog.table(table)?.indexes.some((index) => index.name === name) ?? false
}

async function moveAll(work: Work): Promise<void> {
  const { random, swarm } = work
  const result = await run(work, (isReady) => {
    const hint = isReady('seatMoves') ? 'INDEX seatMoves' : 'PRIMARY KEY'
    const place = oneOf(work, [
      `(place + ${random.below(swarm.keys)}) % ${swarm.keys}`,
      `${swarm.keys - 1} - place`,
    ])
    return `SET place = ${place}, moves = moves + 1 ON seat USE ${hint} WHERE moves >= 0`
  })
  expectAffected(work, result, swarm.keys)
  work.counters.count('all seats moved by one statement')
}

async function swapTwo(work: Work): Promise<void> {
  const [one, other] = twoOf(work)
  const result = await run(work, (isReady) => {
    const key = `place IN (${one}, ${other})`
    const where = isReady('seatPlace') ? key : `id >= 0 AND ${key}`
    return `SET place = ${one + other} - place ON seat WHERE ${where}`
  })
  expectAffected(work, result, 2)
}

/** Somebody else keeps the place that one of them would have. */
async function moveTooFew(work: Work): Promise<void> {
  const { random, swarm, transaction, violations, counters } = work
  const [one, other] = twoOf(work)
  const sql = oneOf(work, [
    `SET place = ${one} ON seat WHERE id IN (${one}, ${other})`,
    `SET place = (place + 1) % ${swarm.keys} ON seat WHERE id <= ${random.below(swarm.keys - 1)}`,
  ])
  try {
    await run(work, () => sql)
    violations.add('statements', `${transaction.recorded} was not refused: ${sql}`)
  } catch (error) {
    if (!(error instanceof PlanError) || error.code !== 'unique_violation') throw error
    counters.count('SET of many rows refused for a unique value')
  }
}

async function count(work: Work): Promise<void> {
  const [one, other] = twoOf(work)
  const result = await run(work, (isReady) => {
    const key = isReady('tallyCode') ? oneOf(work, ['name', 'code']) : 'name'
    const rows = `(${one}, ${one}, 1), (${other}, ${other}, 1), (${TOTAL}, ${TOTAL}, 2)`
    return `INSERT INTO tally (name, code, n) VALUES ${rows}
      ON CONFLICT (${key}) DO UPDATE SET n = n + excluded.n`
  })
  expectAffected(work, result, 3)
  work.counters.count('rows counted by an upsert')
}

/** What any snapshot shows, with own writes on top. */
async function compare(work: Work): Promise<void> {
  const { swarm, think, violations, transaction } = work
  const report = (what: string) =>
    violations.add('statements', `${transaction.recorded} saw ${what}`)
  const seats = await run(work, () => 'SCAN place, moves FROM seat')
  if (seats === undefined || seats.rows.length === 0) return
  const places = new Set(seats.rows.map(([place]) => place))
  const moves = new Set(seats.rows.map(([, moved]) => moved))
  if (places.size !== swarm.keys || seats.rows.length !== swarm.keys || moves.size !== 1) {
    report(`seats ${textOf(seats.rows)}`)
  }
  await think()
  for (const index of ['seatPlace', 'seatMoves']) {
    const entries = await run(work, (isReady) =>
      isReady(index) ? `SCAN place, moves FROM seat USE INDEX ${index}` : undefined,
    )
    if (entries !== undefined && textOf(entries.rows) !== textOf(seats.rows)) {
      report(`${index} ${textOf(entries.rows)} of seats ${textOf(seats.rows)}`)
    }
  }
  const tally = await run(work, () => 'SCAN name, n FROM tally')
  const sum = tally?.rows.reduce((before, [name, n]) => {
    return before + (name === BigInt(TOTAL) ? -(n as bigint) : (n as bigint))
  }, 0n)
  if (sum !== 0n) report(`counts ${textOf(tally?.rows ?? [])}`)
  work.counters.count('rows of statements compared by a client')
}

function expectAffected(
  { transaction, violations }: Work,
  result: StatementResult | undefined,
  rows: number,
): void {
  if (result === undefined || result.rowsAffected === rows) return
  const what = `${transaction.recorded} changed ${result.rowsAffected} rows instead of ${rows}`
  violations.add('statements', what)
}

/** One statement; undefined where there are no such tables yet, or no text, which may ask which indexes are ready. */
async function run(
  { transaction }: Work,
  textFor: (isReady: (index: string) => boolean) => string | undefined,
): Promise<StatementResult | undefined> {
  return await transaction.onTables(async (writes, catalog) => {
    if (catalog.table('seat') === undefined || catalog.table('tally') === undefined)
      return undefined
    const sql = textFor((index) => isReady(catalog, index))
    return sql === undefined ? undefined : await execute(writes, catalog, sql)
  })
}

function isReady(catalog: Catalog, name: string): boolean {
  const tables = ['seat', 'tally'].flatMap((table) => catalog.table(table) ?? [])
  return tables.some(({ indexes }) =>
    indexes.some((index) => index.name === name && index.state === 'ready'),
  )
}

function twoOf({ random, swarm }: Work): readonly [number, number] {
  const one = random.below(swarm.keys)
  return [one, (one + 1 + random.below(swarm.keys - 1)) % swarm.keys]
}

function oneOf<T>({ random }: Work, choices: readonly T[]): T {
  return choices[random.below(choices.length)] as T
}

function textOf(rows: ReadonlyArray<readonly SqlValue[]>): string {
  return rows
    .map((row) => row.join('/'))
    .sort()
    .join(' ')
}
