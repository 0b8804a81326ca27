// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { openStorage } from '../../storage/storage.ts'
import { requireIndex } from '../../storage/tables/tables.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { SqlSession } from '../sql-session.ts'
import type { BothSides, Wish } from './both-sides.ts'
import { compareLookup } from './lookup-comparison.ts'
import { constrained } from './random/constraints.ts'
import { randomSort } from './random/random-sort.ts'
import { randomRead, randomWrite, rowsText } from './random/random-statement.ts'
import {
  Chooser,
  createIndexText,
  createTableText,
  type RandomIndex,
  randomTable,
  sqliteIndexText,
  sqliteTableText,
} from './random/random-table.ts'
import { compareRead, sorted } from './read-comparison.ts'
import { ReferenceDatabase } from './reference-database.ts'
import { compareSetRows } from './set-rows.ts'
import { compareSort } from './sort-comparison.ts'
import { compareUpsert } from './upserts.ts'
import { compareVariables } from './variables.ts'
import { compareWrite } from './write-comparison.ts'

const ROUNDS = 30
/** Rounds between two looks at whole tables. */
const ROUNDS_UNSEEN = 5

export type ComparisonCounts = { same: number; refused: number }

/** One random table with its data, and random statements on it, in the dialect and in SQLite's SQL. */
export async function compareSeed(seed: number): Promise<ComparisonCounts> {
  const choose = new Chooser(new SeededRandomness(seed))
  const table = constrained(choose, randomTable(choose, choose.percent(50)))
  const session = await sessionOf(seed)
  const reference = new ReferenceDatabase()
  const counts = { same: 0, refused: 0 }
  const wishes: Wish[] = []
  try {
    await session.run(createTableText(table))
    reference.run(sqliteTableText(table))
    await fill({ choose, table, session, reference })
    for (const index of table.indexes) {
      if (index.inTable === undefined) await createIndex({ session, reference, table }, index)
    }
    for (let round = 0; round < ROUNDS; round += 1) {
      await compareTransaction({ choose, table, session, reference, wishes }, counts)
      if (round % ROUNDS_UNSEEN === 0) await compareTables({ choose, table, session, reference })
    }
    await compareTables({ choose, table, session, reference })
    await grantWishes({ choose, table, session, reference }, wishes)
    return counts
  } finally {
    reference.close()
    await session.close()
  }
}

/** Of two stores one commits in two phases, as the paper does. */
async function sessionOf(seed: number): Promise<SqlSession> {
  const commit = seed % 2 === 0 ? 'one-phase' : 'two-phase'
  return SqlSession.over(await openStorage({ engine: 'memory', commit }))
}

type Databases = Pick<BothSides, 'choose' | 'table' | 'session' | 'reference'>

/** With those of some rows that their table allows. */
async function fill({ choose, table, session, reference }: Databases): Promise<void> {
  const names = table.columns.map(({ name }) => name).join(', ')
  const values = rowsText(choose, table, choose.below(70) + 1)
  const clause = 'ON CONFLICT DO NOTHING'
  const theirs = splitRows(values.theirs)
  const allowed = splitRows(values.ours).filter((_, at) =>
    reference.try(() => reference.run(`INSERT INTO ${table.name} VALUES ${theirs[at]} ${clause}`)),
  )
  if (allowed.length === 0) return
  await session.run(`INSERT INTO ${table.name} (${names}) VALUES ${allowed.join(', ')} ${clause}`)
}

function splitRows(values: string): readonly string[] {
  return values.split(/(?<=\)), (?=\()/)
}

/** A unique index that the rows forbid fails on both sides. */
async function createIndex(
  { session, reference, table }: Pick<Databases, 'session' | 'reference' | 'table'>,
  index: RandomIndex,
): Promise<void> {
  await session.run(createIndexText(table, index))
  const { state } = requireIndex(await session.catalog(), index.name).index
  if (!index.unique) return assert.equal(state, 'ready')
  const isAllowed = reference.try(() => reference.run(sqliteIndexText(table, index)))
  assert.equal(state, isAllowed ? 'ready' : 'failed')
}

/** A few statements in one transaction: later ones see what earlier ones wrote. */
async function compareTransaction(
  databases: Databases & Pick<BothSides, 'wishes'>,
  counts: ComparisonCounts,
): Promise<void> {
  const { choose, session } = databases
  const transaction = await session.storage.begin()
  try {
    const catalog = await session.storage.catalog(transaction)
    const sides: BothSides = { ...databases, transaction, catalog }
    const statements = 2 + choose.below(6)
    for (let position = 0; position < statements; position += 1) {
      counts[await compareStatement(sides)] += 1
    }
    await transaction.commit()
  } finally {
    transaction.rollback()
  }
}

function compareStatement(sides: BothSides): Promise<'same' | 'refused'> {
  const { choose, table } = sides
  if (choose.percent(12)) return compareLookup(sides)
  if (choose.percent(10)) return compareVariables(sides)
  if (choose.percent(20)) return compareSort(sides, randomSort(choose, table))
  if (choose.percent(55)) return compareRead(sides, randomRead(choose, table))
  if (choose.percent(25)) return compareSetRows(sides)
  if (choose.percent(40)) return compareUpsert(sides)
  return compareWrite(sides, randomWrite(choose, table))
}

/** With the index that a refused read asks for, it is refused no more. */
async function grantWishes(databases: Databases, wishes: Wish[]): Promise<void> {
  for (const made of databases.choose.some(wishes, 3)) {
    // Asked again, because what has been created since may serve, or have taken the name.
    const [wish] = await readAgain(databases, made)
    if (wish === undefined) continue
    await databases.session.run(wish.suggestedIndex)
    assert.deepEqual(await readAgain(databases, made), [], wish.suggestedIndex)
  }
}

/** What the read still wishes for; nothing when it ran, and was the same on both sides. */
async function readAgain(
  databases: Databases,
  { read, variables }: Wish,
): Promise<readonly Wish[]> {
  const { storage } = databases.session
  const transaction = await storage.begin({ readOnly: true })
  try {
    const wishes: Wish[] = []
    const catalog = await storage.catalog(transaction)
    const sides = { ...databases, transaction, catalog, wishes, variables }
    const outcome = await compareRead(sides, read)
    assert.ok(outcome === 'same' || wishes.length > 0)
    return wishes
  } finally {
    transaction.rollback()
  }
}

/** The whole table is the same on both sides, read by whichever key. */
async function compareTables({ session, reference, table }: Databases): Promise<void> {
  const types = table.columns.map(({ type }) => type)
  const wanted = sorted(reference.rows(`SELECT * FROM ${table.name}`, types))
  const { indexes } = (await session.catalog()).table(table.name) ?? { indexes: [] }
  const ready = indexes.filter(({ state }) => state === 'ready')
  for (const key of ['PRIMARY KEY', ...ready.map(({ name }) => `INDEX ${name}`)]) {
    const { rows } = await session.run(`SCAN * FROM ${table.name} USE ${key}`)
    assert.deepEqual(sorted(rows), wanted, key)
  }
}
