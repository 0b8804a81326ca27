// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import SqliteDatabase from 'better-sqlite3'
import { FAMILIES } from './cell.ts'
import { prepareSchema, statementTexts } from './sqlite-schema.ts'

/** The part of the primary key that each statement seeks by; the INSERT has no plan to tell. */
const SEEKS: Readonly<Record<keyof ReturnType<typeof statementTexts>, string | undefined>> = {
  cellsOfColumn: '(row=? AND qualifier=? AND timestamp>? AND timestamp<?)',
  cellsOfRow: '(row=?)',
  firstColumn: '(row=?)',
  nextColumn: '(row=? AND qualifier>?)',
  cellsOfRange: '(row>? AND row<?)',
  lastRowOfRange: '(row>? AND row<?)',
  setCell: undefined,
  deleteFromColumn: '(row=? AND qualifier=? AND timestamp>? AND timestamp<?)',
}

test('every hot statement seeks by the primary key and neither scans nor sorts', () => {
  const database = new SqliteDatabase(':memory:')
  prepareSchema(database)
  for (const family of FAMILIES) {
    for (const [name, sql] of Object.entries(statementTexts(family))) {
      const parameters = Array.from(sql.matchAll(/\?/g), () => null)
      const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all(...parameters)
      const details = plan.map((line) => (line as { detail: string }).detail)
      const seek = SEEKS[name as keyof typeof SEEKS]
      const expected = seek && `SEARCH cell_${family} USING PRIMARY KEY ${seek}`
      assert.deepEqual(details, expected === undefined ? [] : [expected], name)
    }
  }
  database.close()
})

test('no statement has a parameter whose value SQLite would plan by', () => {
  for (const [name, sql] of Object.entries(statementTexts('data'))) {
    if (name !== 'setCell') assert.doesNotMatch(sql, /(?<!\+)\?/, name)
  }
})
