// SPDX-License-Identifier: Apache-2.0
import type { AddCheckStatement } from '../../../parser/ast.ts'
import type { CheckBeingAdded } from '../../../planner/definitions/table-check.ts'
import { checkBeingAdded, PlanError } from '../../../planner/planner.ts'
import {
  addCheck,
  type Catalog,
  createTable,
  dropCheck,
  endAdding,
  type NewCheck,
  type NewTable,
  type SqlRow,
  type TableDefinition,
} from '../../../storage/tables/tables.ts'
import type { RecordingWrites } from './recording-writes.ts'
import { execute, parsed } from './run-statement.ts'
import type { Work } from './work.ts'

const INTEGER = { type: 'INTEGER', notNull: false } as const
const PURSE: NewTable = {
  name: 'purse',
  columns: [
    { name: 'id', type: 'INTEGER', notNull: true },
    { name: 'n', ...INTEGER },
    { name: 'most', ...INTEGER },
  ],
  primaryKey: [{ column: 'id', descending: false }],
  checks: [{ name: 'below', text: 'n <= most', columns: ['n', 'most'] }],
}
/** So few that all of them often meet a check that is added. */
const ROWS = 5
/** So few that many writes would fail it. */
const VALUES = 3

const APART: NewCheck = { name: 'apart', text: 'n <> most', columns: ['n', 'most'] }
const ADD = parsed(
  `ALTER TABLE purse ADD CONSTRAINT apart CHECK (${APART.text})`,
) as AddCheckStatement

type Purse = { readonly n: bigint | null; readonly most: bigint | null }
type Purses = ReadonlyMap<bigint, Purse>

/** What each check says of a row: one that is NULL refuses nothing. */
const MEETS: Readonly<Record<string, (purse: Purse) => boolean>> = {
  below: ({ n, most }) => n === null || most === null || n <= most,
  apart: ({ n, most }) => n === null || most === null || n !== most,
}

/** A statement, and the rows that it would write, those of its VALUES first: each has to meet the checks. */
type Writing = {
  readonly sql: string
  readonly writes: (before: Purses) => ReadonlyArray<readonly [id: bigint, purse: Purse]>
}

/**
 * Purses whose two numbers a check compares, and which are changed one at a time: who raises the one has not seen
 * that somebody lowers the other. Another check comes and goes meanwhile. Rows of any snapshot meet the checks that
 * have been added by then, and a statement is refused when, and only when, it would write one that does not.
 */
export async function checksTransaction(work: Work): Promise<void> {
  const { transaction, random, think } = work
  if (transaction.recorded.readOnly) return await compare(work)
  if (await makeTable(work)) return
  if (random.fraction() < ((await isBeingAdded(work)) ? 0.8 : 0.2)) return await define(work)
  for (let left = 1 + random.below(2); left > 0; left -= 1) {
    await think()
    await write(work)
  }
  // Meanwhile others add a check and look at the rows.
  for (let left = random.below(4); left > 0; left -= 1) await think()
}

async function makeTable({ transaction }: Work): Promise<boolean> {
  return await transaction.onTables(async (writes, catalog) => {
    if (catalog.table('purse') !== undefined) return false
    await createTable(writes, catalog, PURSE, { ifNotExists: false })
    return true
  })
}

async function compare({ transaction, violations }: Work): Promise<void> {
  await transaction.onTables(async (reads, catalog) => {
    const table = catalog.table('purse')
    if (table === undefined) return
    const problem = failing(table, await pursesOf(reads, catalog))
    if (problem !== undefined)
      violations.add('statements', `${transaction.recorded} saw ${problem}`)
  })
}

/** A row that fails a check which holds for all rows, as a sentence. */
function failing({ checks }: TableDefinition, purses: Purses): string | undefined {
  const whole = checks.filter(({ state }) => state === 'ready')
  for (const [id, purse] of purses) {
    const check = whole.find(({ name }) => MEETS[name]?.(purse) === false)
    if (check !== undefined)
      return `purse ${id} with ${purse.n} of ${purse.most} against ${check.text}`
  }
  return undefined
}

async function pursesOf(reads: RecordingWrites, catalog: Catalog): Promise<Purses> {
  const { rows } = await execute(reads, catalog, 'SCAN id, n, most FROM purse')
  const purseOf = ([id, n, most]: SqlRow) => [id as bigint, { n, most } as Purse] as const
  return new Map(rows.map(purseOf))
}

async function write(work: Work): Promise<void> {
  const { transaction, violations, counters } = work
  const { sql, writes: rowsOf } = oneOf(work, WRITINGS)(work)
  const report = (what: string) =>
    violations.add('statements', `${transaction.recorded} ${what}: ${sql}`)
  let wanted: string | undefined
  try {
    await transaction.onTables(async (writes, catalog) => {
      const table = catalog.table('purse') as TableDefinition
      const before = await pursesOf(writes, catalog)
      const problem = failing(table, before)
      if (problem !== undefined) report(`saw ${problem}`)
      const purses = rowsOf(before).map(([, purse]) => purse)
      const refuses = ({ name }: { readonly name: string }) =>
        purses.some((purse) => MEETS[name]?.(purse) === false)
      wanted = table.checks.find(refuses)?.name
      await execute(writes, catalog, sql)
    })
    if (wanted !== undefined) report(`was not refused by ${wanted}`)
  } catch (error) {
    if (!(error instanceof PlanError) || error.code !== 'check_failed') throw error
    if (wanted === undefined) report(`was refused without need, ${error.message}`)
    counters.count('row refused by a CHECK of its table')
  }
}

const WRITINGS: ReadonlyArray<(work: Work) => Writing> = [
  setOne('n'),
  setOne('most'),
  setRange('n'),
  setRange('most'),
  upsert('n'),
  upsert('most'),
  fill,
  fill,
  takeFromFull,
]

/** Of one row, which is made where it is not there. */
function setOne(column: keyof Purse): (work: Work) => Writing {
  return (work) => {
    const [id, value] = [idOf(work), drawn(work)]
    return {
      sql: `SET ${column} = ${value ?? 'NULL'} ON purse WHERE id = ${id}`,
      writes: (before) => [[id, { ...(before.get(id) ?? NONE), [column]: value }]],
    }
  }
}

function setRange(column: keyof Purse): (work: Work) => Writing {
  return (work) => {
    const [from, by] = [idOf(work), BigInt(work.random.below(3) - 1)]
    return {
      sql: `SET ${column} = ${column} + ${by} ON purse WHERE id >= ${from}`,
      writes: (before) =>
        [...before].flatMap(([id, purse]) => {
          const value = purse[column] === null ? null : purse[column] + by
          return id < from ? [] : [[id, { ...purse, [column]: value }] as const]
        }),
    }
  }
}

function fill(work: Work): Writing {
  const id = idOf(work)
  return {
    sql: `SET n = most ON purse WHERE id = ${id} AND n IS NOT NULL`,
    writes: (before) => {
      const found = before.get(id)
      return found === undefined || found.n === null ? [] : [[id, { ...found, n: found.most }]]
    },
  }
}

/** Then a check that is added is met by all of them. */
function takeFromFull(): Writing {
  return {
    sql: 'SET n = most - 1 ON purse USE PRIMARY KEY WHERE n = most',
    writes: (before) =>
      [...before]
        .filter(([, { n, most }]) => n !== null && n === most)
        .map(([id, { most }]) => [id, { n: (most as bigint) - 1n, most }]),
  }
}

function upsert(column: keyof Purse): (work: Work) => Writing {
  return (work) => {
    const id = idOf(work)
    const rows = [id, (id + 1n) % BigInt(ROWS)].map(
      (each) => [each, { n: drawn(work), most: drawn(work) }] as const,
    )
    const values = rows.map(([each, { n, most }]) => `(${each}, ${n ?? 'NULL'}, ${most ?? 'NULL'})`)
    return {
      sql: `INSERT INTO purse (id, n, most) VALUES ${values.join(', ')}
        ON CONFLICT DO UPDATE SET ${column} = excluded.${column}`,
      writes: (before) => [
        ...rows,
        ...rows.map(([each, purse]) => {
          const found = before.get(each)
          return [each, found ? { ...found, [column]: purse[column] } : purse] as const
        }),
      ],
    }
  }
}

const NONE: Purse = { n: null, most: null }

function idOf({ random }: Work): bigint {
  return BigInt(random.below(ROWS))
}

function drawn({ random }: Work): bigint | null {
  return random.fraction() < 0.1 ? null : BigInt(random.below(VALUES))
}

async function isBeingAdded({ transaction }: Work): Promise<boolean> {
  return await transaction.onTables(async (_, catalog) => {
    const checks = catalog.table('purse')?.checks ?? []
    return checks.some(({ state }) => state === 'adding')
  })
}

/** Begins to add the check, ends what somebody has begun, or drops it. */
async function define(work: Work): Promise<void> {
  const { transaction, counters, violations, think } = work
  const state = await transaction.onTables(async (writes, catalog) => {
    const found = catalog.table('purse')?.checks.find(({ name }) => name === 'apart')?.state
    if (found === 'adding') return found
    if (found === undefined) await addCheck(writes, catalog, 'purse', APART)
    else await dropCheck(writes, catalog, 'purse', 'apart')
    return found
  })
  if (state !== 'adding') return
  const isMet = await transaction.onTables(async (reads, catalog) => {
    const adding = checkBeingAdded(catalog, ADD) as CheckBeingAdded
    const { rows } = await execute(reads, catalog, adding.failing)
    const purses = [...(await pursesOf(reads, catalog)).values()]
    const wanted = purses.filter((purse) => !MEETS.apart?.(purse)).length
    if (wanted > 0 !== rows.length > 0) {
      const what = `${transaction.recorded} found ${rows.length} of ${wanted} rows against ${APART.text}`
      violations.add('statements', what)
    }
    return rows.length === 0
  })
  // What is written from now on has to meet it already.
  await think()
  await transaction.onTables((writes, catalog) =>
    endAdding(writes, catalog, 'purse', { name: 'apart', isMet, isNotNull: false }),
  )
  counters.count(isMet ? 'CHECK added while rows are written' : 'CHECK taken back for a row')
}

function oneOf<T>({ random }: Work, choices: readonly T[]): T {
  return choices[random.below(choices.length)] as T
}
