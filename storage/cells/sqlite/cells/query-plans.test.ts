// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import SqliteDatabase, { type Database } from 'better-sqlite3'
import { FAMILIES } from '../../cell.ts'
import { prepareSchema } from '../schema.ts'
import { statementTexts } from '../statements.ts'

type StatementName = keyof ReturnType<typeof statementTexts>

const COLUMN = 'T (row=? AND qualifier=? AND timestamp>? AND timestamp<?)'
const ONE_CELL = 'T (row=? AND qualifier=? AND timestamp=?)'
const RANGE = 'T (row>? AND row<?)'
/** The first row of the range, from each row found to the next, and to the newest cell of each. */
const NEXT_ROWS = [RANGE, RANGE, 'found', 'found', COLUMN, ONE_CELL]

/** The parts of the primary key that each statement seeks by, in its order; an INSERT has no plan to tell. */
const SEEKS: Readonly<Record<StatementName, readonly string[]>> = {
  newestOfColumn: [COLUMN],
  cellsOfColumn: [COLUMN],
  cellsOfRow: ['T (row=?)'],
  firstColumn: ['T (row=?)'],
  nextColumn: ['T (row=? AND qualifier>?)'],
  rowsForward: NEXT_ROWS,
  rowsBackward: NEXT_ROWS,
  walkForward: [RANGE],
  walkBackward: [RANGE],
  setCell: [],
  insertCells: [],
  deleteFromColumn: [COLUMN],
}

function planOf(database: Database, sql: string): string[] {
  const parameters = Array.from(sql.matchAll(/\?/g), () => null)
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters)
  return plan.map((line) => (line as { detail: string }).detail)
}

test('every hot statement, of reads and of the writer, seeks by the primary key and neither scans nor sorts', () => {
  const database = new SqliteDatabase(':memory:')
  prepareSchema(database)
  for (const family of FAMILIES) {
    for (const [name, sql] of Object.entries(statementTexts(family))) {
      const seeks = planOf(database, sql).flatMap((detail) => {
        // The rows found so far are a queue in memory, which is taken from its front.
        if (/^SCAN found$/.test(detail)) return ['found']
        // The cells of a walk are aggregated as they come.
        if (/^(CO-ROUTINE|SCAN) \(subquery-2\)$/.test(detail)) return []
        const seek = /^SEARCH (\w+) USING PRIMARY KEY (\(.*\))( LEFT-JOIN)?$/.exec(detail)
        const isOurs = [`cell_${family}`, 'earlier', 'later', 'cell', 'newest'].includes(
          seek?.[1] ?? '',
        )
        // A long value is found by its number.
        if (detail === 'SEARCH value USING INTEGER PRIMARY KEY (rowid=?)') return []
        if (seek !== null && isOurs) return [`T ${seek[2]}`]
        // Names of the parts of a recursive query, which do nothing by themselves, and what an INSERT is given.
        const isHeading =
          /^(SCAN \d+-ROW VALUES CLAUSE|CO-ROUTINE found|SETUP|SCAN CONSTANT ROW|RECURSIVE STEP|(CORRELATED )?SCALAR SUBQUERY \d+)$/
        return isHeading.test(detail) ? [] : [detail]
      })
      assert.deepEqual(
        seeks.toSorted(),
        SEEKS[name as StatementName].toSorted(),
        `${family}, ${name}`,
      )
    }
  }
  database.close()
})

/** A parameter of each place gets another value at each call, as in use. */
function parametersOf(sql: string, call: number): unknown[] {
  return Array.from(sql.matchAll(/(\S+) \S+ \+?\?|LIMIT \+?\?/g), ([text, column = '']) => {
    if (/row$/.test(column)) return Buffer.from(`row${call}`)
    if (/qualifier$/.test(column)) return String(call % 3)
    return /LIMIT/.test(text) ? 1 + (call % 4) : call
  })
}

/**
 * SQLite tells nobody when it plans a statement anew for the values that are bound. But the planner
 * evaluates a deterministic function of constants that bounds a key, because it looks up in the
 * statistics how many rows that leaves: so a plan at each call is one evaluation more at each call.
 */
function evaluationsPerCall(database: Database, sql: string): number {
  let evaluations = 0
  database.function('counted', { deterministic: true }, (value) => {
    evaluations += 1
    return value
  })
  const counting = sql.replace('WHERE row', "WHERE row >= counted(x'00') AND row")
  const statement = database.prepare(counting)
  assert.ok(evaluations > 0, 'the planner evaluates the function')
  const evaluationsOf = (call: number) => {
    evaluations = 0
    const parameters = parametersOf(sql, call)
    if (statement.reader) statement.all(...parameters)
    else statement.run(...parameters)
    return evaluations
  }
  evaluationsOf(1)
  return Math.max(...[2, 3, 4, 5].map(evaluationsOf))
}

test('no hot statement is planned anew when other values are bound; without the unary plus each would be', () => {
  const database = new SqliteDatabase(':memory:')
  prepareSchema(database)
  const insert = database.prepare(statementTexts('data').setCell)
  for (let at = 0; at < 500; at++) {
    insert.run(Buffer.from(`row${at % 100}`), String(at % 3), at, Buffer.alloc(3))
  }
  database.exec('ANALYZE')
  for (const [name, sql] of Object.entries(statementTexts('data'))) {
    // They have no condition that a value could bear on.
    if (name === 'setCell' || name === 'insertCells') continue
    const bare = sql.replaceAll('+?', '?')
    assert.ok(evaluationsPerCall(database, sql) < evaluationsPerCall(database, bare), name)
    assert.doesNotMatch(sql, /(?<!\+)\?/, name)
  }
  database.close()
})
