// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import type { Database } from 'better-sqlite3'
import type { RowStep } from '../../cell-store.ts'
import { openWriterConnection } from '../file/connection.ts'
import { SqliteGroupApplier } from './group-applier.ts'
import { GroupNumbers } from './group-numbers.ts'
import { SqliteTransactions } from './transactions.ts'
import type { BatchResult, StepsBatch } from './write-batch.ts'

let folder: string
let database: Database
let applier: SqliteGroupApplier
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'percolite-applier-'))
  database = openWriterConnection(join(folder, 'cells.db'))
  applier = openApplier(database)
})
afterEach(async () => {
  database.close()
  await rm(folder, { recursive: true })
})

function openApplier(own: Database): SqliteGroupApplier {
  const transactions = new SqliteTransactions(own)
  return new SqliteGroupApplier(own, transactions, new GroupNumbers(own, transactions))
}

/** `a` sets row a; `a?` does so only when the row has no cell. */
function stepOf(text: string, value: Uint8Array = Buffer.from('x')): RowStep {
  const cell = { kind: 'setCell', family: 'data', qualifier: '0', timestamp: 1, value } as const
  const when = text.endsWith('?') ? [{ family: 'data' } as const] : []
  return { row: Buffer.from(text.slice(0, 1)), when, ifMatched: [], otherwise: [cell] }
}

const batchOf = (...texts: string[]): StepsBatch => ({
  kind: 'steps',
  steps: texts.map((text) => stepOf(text)),
})
const tooLarge = (): StepsBatch => ({
  kind: 'steps',
  steps: [stepOf('l'), stepOf('m', new Uint8Array(1024 * 1024))],
})

const rowsStored = () =>
  database.prepare('SELECT CAST(row AS TEXT) FROM cell_data').pluck().all() as string[]

const kindsOf = (results: readonly BatchResult[]) =>
  results.map((result) => (result !== null && 'kind' in result ? result.kind : result))

/** So much more than now fits into the file, as on a disk that is nearly full. */
function leaveSpace(pages: number): void {
  const now = database.pragma('page_count', { simple: true }) as number
  database.pragma(`max_page_count = ${now + pages}`)
}

test('the connection that writes syncs the log at each COMMIT and leaves the checkpoint to others', () => {
  assert.equal(database.pragma('synchronous', { simple: true }), 2)
  assert.equal(database.pragma('journal_mode', { simple: true }), 'wal')
  assert.equal(database.pragma('wal_autocheckpoint', { simple: true }), 0)
})

test('notes of a group stand in one cell, that of the last; a batch that is tried alone has its own', () => {
  const noted = (row: string, timestamp: number): StepsBatch => {
    return { ...batchOf(row), note: { timestamp, value: Buffer.from(`${row}.`) } }
  }
  const cells = () =>
    database
      .prepare(
        "SELECT CAST(substr(row, 2) AS TEXT) || ' @' || timestamp || ' ' || CAST(value AS TEXT) " +
          "FROM cell_data WHERE row < x'01' ORDER BY row",
      )
      .pluck()
      .all()
  applier.applyGroup([noted('a', 7), batchOf('b'), noted('c', 10)])
  assert.deepEqual(cells(), ['log/0000000000000a @10 a.c.'])
  applier.applyGroup([batchOf('d')])
  applier.applyGroup([noted('e', 12)])
  assert.deepEqual(cells(), ['log/0000000000000a @10 a.c.', 'log/0000000000000c @12 e.'])
  leaveSpace(10)
  const results = applier.applyGroup([noted('f', 13), tooLarge(), noted('g', 15)])
  assert.deepEqual(kindsOf(results), [null, 'notApplied', null])
  assert.deepEqual(cells().slice(2), ['log/0000000000000d @13 f.', 'log/0000000000000f @15 g.'])
})

test('predicates see the batches before them in the group, and not the steps of their own batch', () => {
  const results = applier.applyGroup([
    batchOf('a?'),
    batchOf('a?'),
    batchOf('b'),
    batchOf('b?', 'c?', 'c?'),
  ])
  assert.deepEqual(results, [null, [true], null, [true, false, false]])
})

test('many cells of a group, among them some that are there already or come twice: the last value stays', () => {
  const named = (from: number, count: number, value: string): StepsBatch => ({
    kind: 'steps',
    steps: Array.from({ length: count }, (_, at) =>
      stepOf(String.fromCharCode(0x61 + from + at), Buffer.from(value)),
    ),
  })
  applier.applyGroup([named(3, 2, '1')])
  const results = applier.applyGroup([named(0, 5, '2'), named(4, 9, '3'), named(11, 8, '4')])
  assert.deepEqual(results, [null, null, null])
  const stored = database.prepare('SELECT CAST(row AS TEXT) || CAST(value AS TEXT) FROM cell_data')
  const letters = [...'abcdefghijklmnopqrs']
  assert.deepEqual(
    stored.pluck().all(),
    letters.map((letter, at) => `${letter}${at < 4 ? 2 : at < 11 ? 3 : 4}`),
  )
})

test('a condition sees what its row was given before it in the group, while cells of other rows wait', () => {
  const letters = [...'abcdefgh']
  const asked = letters.flatMap((letter) => [batchOf(letter), batchOf(`${letter}?`)])
  assert.deepEqual(applier.applyGroup([batchOf('z?'), ...asked, batchOf('z?')]), [
    null,
    ...letters.flatMap(() => [null, [true]]),
    [true],
  ])
  assert.deepEqual(rowsStored(), [...letters, 'z'])
})

test('what is deleted between two settings of a cell stays deleted, and a cell set afterwards stays', () => {
  const erase = (row: string): StepsBatch => {
    const all = {
      kind: 'deleteFromColumn',
      family: 'data',
      qualifier: '0',
      timestamps: {},
    } as const
    const step = { row: Buffer.from(row), when: [], ifMatched: [], otherwise: [all] }
    return { kind: 'steps', steps: [step] }
  }
  applier.applyGroup([batchOf('a', 'b'), erase('a'), batchOf('c'), erase('b'), batchOf('b')])
  assert.deepEqual(rowsStored(), ['b', 'c'])
})

test('a batch that does not fit on the disk fails alone, whole, and the others keep their order', () => {
  leaveSpace(8)
  const results = applier.applyGroup([batchOf('a?'), tooLarge(), batchOf('b'), batchOf('a?', 'l?')])
  assert.deepEqual(kindsOf(results), [null, 'notApplied', null, [true, false]])
  assert.match((results[1] as { cause: { code: string } }).cause.code, /^SQLITE_FULL/)
  assert.deepEqual(rowsStored(), ['a', 'b', 'l'])
})

test('a disk that is full at COMMIT: nothing was applied, and the next group can be', (t) => {
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  const failing = withFailingCommit(t, full, [1])
  assert.deepEqual(kindsOf(failing.applyGroup([batchOf('a')])), ['notApplied'])
  assert.deepEqual(rowsStored(), [])
  assert.deepEqual(failing.applyGroup([batchOf('b')]), [null])
  assert.deepEqual(rowsStored(), ['b'])
})

test('a COMMIT in doubt in the second try: what came before is applied, what comes after is not', (t) => {
  const broken = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' })
  leaveSpace(8)
  const failing = withFailingCommit(t, broken, [2])
  const results = failing.applyGroup([batchOf('a'), tooLarge(), batchOf('b'), batchOf('c')])
  assert.deepEqual(kindsOf(results), [null, 'notApplied', 'unknown', 'notApplied'])
})

test('an error of COMMIT itself leaves the outcome of the whole group unknown', () => {
  // A constraint that is checked at COMMIT makes exactly that statement fail.
  database.exec(`
    CREATE TABLE parent (id INTEGER PRIMARY KEY);
    CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED);
    CREATE TRIGGER broken AFTER INSERT ON cell_data BEGIN INSERT INTO child VALUES (1); END;`)
  database.pragma('foreign_keys = ON')
  assert.deepEqual(kindsOf(applier.applyGroup([batchOf('a'), batchOf('b')])), [
    'unknown',
    'unknown',
  ])
})

test('an error of the disk before COMMIT leaves the outcome unknown', () => {
  database.function('fail', () => {
    throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' })
  })
  database.exec('CREATE TEMP TRIGGER t AFTER INSERT ON cell_data BEGIN SELECT fail(); END;')
  assert.deepEqual(kindsOf(applier.applyGroup([batchOf('a')])), ['unknown'])
})

test('after a COMMIT in doubt nothing is applied any more, though groups were on their way already', (t) => {
  const broken = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' })
  const failing = withFailingCommit(t, broken, [1])
  assert.deepEqual(kindsOf(failing.applyGroup([batchOf('a')])), ['unknown'])
  const later = failing.applyGroup([batchOf('b'), batchOf('c')])
  assert.deepEqual(kindsOf(later), ['notApplied', 'notApplied'])
  assert.deepEqual(kindsOf(failing.applyGroup([batchOf('d')])), ['notApplied'])
})

/** An applier whose COMMITs of these numbers, those before COMMIT not counted, fail unexecuted. */
function withFailingCommit(
  t: { mock: { method: typeof import('node:test').mock.method } },
  error: Error,
  failing: readonly number[],
): SqliteGroupApplier {
  const prepare = database.prepare.bind(database)
  let commits = 0
  const mocked = t.mock.method(database, 'prepare', (text: string) => {
    const statement = prepare(text)
    if (text !== 'COMMIT') return statement
    const run = statement.run.bind(statement)
    t.mock.method(statement, 'run', () => {
      commits += 1
      if (failing.includes(commits)) throw error
      return run()
    })
    return statement
  })
  const made = openApplier(database)
  mocked.mock.restore()
  return made
}
