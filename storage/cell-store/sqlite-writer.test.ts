// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { Database } from 'better-sqlite3'
import type { CellStoreError } from './cell-store.ts'
import { openWriterConnection } from './sqlite-connection.ts'
import {
  type CheckAndMutateStep,
  type GroupApplier,
  type GroupResult,
  type RowStep,
  SqliteRowSteps,
} from './sqlite-row-steps.ts'
import { SqliteWriter } from './sqlite-writer.ts'

function setStep(row: string, value: Uint8Array = Buffer.from('x')): CheckAndMutateStep {
  const cell = { family: 'data', qualifier: '0', timestamp: 1, value } as const
  return {
    kind: 'checkAndMutate',
    row: Buffer.from(row),
    when: [],
    ifMatched: [],
    otherwise: [{ kind: 'setCell', ...cell }],
  }
}

describe('group commit', () => {
  /** Stands in for SQLite: notes the groups, and answers as told. */
  class GroupsNoted implements GroupApplier {
    readonly groups: string[][] = []
    answer: (steps: readonly RowStep[]) => GroupResult = (steps) => {
      return { kind: 'committed', outcomes: steps.map(() => false) }
    }

    applyGroup(steps: readonly RowStep[]): GroupResult {
      this.groups.push(steps.map(({ row }) => Buffer.from(row).toString()))
      return this.answer(steps)
    }
  }

  function given() {
    const applier = new GroupsNoted()
    const fatal: CellStoreError[] = []
    return { applier, fatal, writer: new SqliteWriter(applier, (error) => fatal.push(error)) }
  }

  test('what is asked in one turn of the event loop is one group, in its order', async () => {
    const { applier, writer } = given()
    const submitLater = async (row: string, ticks: number) => {
      for (let left = ticks; left > 0; left--) await Promise.resolve()
      return writer.submit(setStep(row))
    }
    await Promise.all([submitLater('a', 0), submitLater('b', 5), submitLater('c', 10)])
    await writer.submit(setStep('d'))
    assert.deepEqual(applier.groups, [['a', 'b', 'c'], ['d']])
  })

  test('a group has at most a thousand steps and four mebibytes; a larger step is alone', async () => {
    const { applier, writer } = given()
    const rows = Array.from({ length: 2_500 }, (_, at) => String(at))
    await Promise.all(rows.map((row) => writer.submit(setStep(row))))
    assert.deepEqual(
      applier.groups.map((group) => group.length),
      [1_000, 1_000, 500],
    )
    assert.deepEqual(applier.groups.flat(), rows)

    applier.groups.length = 0
    const sizes = [3, 3, 5, 1, 2].map((mebibytes) => new Uint8Array(mebibytes * 1024 * 1024))
    await Promise.all(sizes.map((value, at) => writer.submit(setStep(String(at), value))))
    assert.deepEqual(applier.groups, [['0'], ['1'], ['2'], ['3', '4']])
  })

  test('a group that was rolled back fails definitely, and the next one is tried', async () => {
    const { applier, fatal, writer } = given()
    const cause = new Error('the disk is full')
    applier.answer = () => ({ kind: 'notApplied', cause })
    const steps = ['a', 'b'].map((row) => writer.submit(setStep(row)))
    for (const step of steps) await assert.rejects(step, { kind: 'notApplied', cause })
    applier.answer = (steps) => ({ kind: 'committed', outcomes: steps.map(() => true) })
    assert.equal(await writer.submit(setStep('c')), true)
    assert.deepEqual(fatal, [])
  })

  test('a COMMIT in doubt: its group is ambiguous, all else is closed, and it is said once', async () => {
    const { applier, fatal, writer } = given()
    const cause = new Error('disk I/O error')
    applier.answer = () => ({ kind: 'unknown', cause })
    const rows = Array.from({ length: 1_001 }, (_, at) => String(at))
    const results = await Promise.allSettled(rows.map((row) => writer.submit(setStep(row))))
    const kinds = results.map((result) => result.status === 'rejected' && result.reason.kind)
    assert.deepEqual(kinds, [...Array(1_000).fill('ambiguous'), 'closed'])
    await assert.rejects(writer.submit(setStep('z')), { kind: 'closed', cause })
    assert.throws(() => writer.assertOpen(), { kind: 'closed', cause })
    assert.equal(fatal.length, 1)
    assert.equal(applier.groups.length, 1)
  })
})

describe('a group in SQLite', () => {
  let folder: string
  let database: Database
  let applier: SqliteRowSteps
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'percolite-writer-'))
    database = openWriterConnection(join(folder, 'cells.db'))
    applier = new SqliteRowSteps(database)
  })
  afterEach(async () => {
    database.close()
    await rm(folder, { recursive: true })
  })

  const rowsStored = () =>
    database.prepare('SELECT CAST(row AS TEXT) FROM cell_data').pluck().all() as string[]

  test('the connection that writes syncs the log at each COMMIT', () => {
    assert.equal(database.pragma('synchronous', { simple: true }), 2)
    assert.equal(database.pragma('journal_mode', { simple: true }), 'wal')
  })

  test('predicates see the steps before them in the group', () => {
    const once: CheckAndMutateStep = { ...setStep('a'), when: [{ family: 'data' }] }
    const result = applier.applyGroup([once, once, setStep('b')])
    assert.deepEqual(result, { kind: 'committed', outcomes: [false, true, false] })
  })

  test('a disk that is full before COMMIT: nothing was applied, and the next group can be', () => {
    const pages = database.pragma('page_count', { simple: true }) as number
    database.pragma(`max_page_count = ${pages + 2}`)
    const huge = new Uint8Array(1024 * 1024)
    const result = applier.applyGroup([setStep('a'), setStep('b', huge)])
    assert.equal(result.kind, 'notApplied')
    assert.match(String((result as { cause: { code: string } }).cause.code), /^SQLITE_FULL/)
    assert.deepEqual(rowsStored(), [])
    assert.equal(applier.applyGroup([setStep('c')]).kind, 'committed')
    assert.deepEqual(rowsStored(), ['c'])
  })

  test('a disk that is full at COMMIT: nothing was applied, and the next group can be', (t) => {
    const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
    const prepare = database.prepare.bind(database)
    t.mock.method(database, 'prepare', (text: string) => {
      const statement = prepare(text)
      if (text === 'COMMIT') t.mock.method(statement, 'run', () => assert.fail(full), { times: 1 })
      return statement
    })
    const failing = new SqliteRowSteps(database)
    assert.deepEqual(failing.applyGroup([setStep('a')]), { kind: 'notApplied', cause: full })
    assert.deepEqual(rowsStored(), [])
    assert.equal(failing.applyGroup([setStep('b')]).kind, 'committed')
    assert.deepEqual(rowsStored(), ['b'])
  })

  test('an error of COMMIT itself leaves the outcome unknown', () => {
    // A constraint that is checked at COMMIT makes exactly that statement fail.
    database.exec(`
      CREATE TABLE parent (id INTEGER PRIMARY KEY);
      CREATE TABLE child (id INTEGER REFERENCES parent (id) DEFERRABLE INITIALLY DEFERRED);
      CREATE TRIGGER broken AFTER INSERT ON cell_data BEGIN INSERT INTO child VALUES (1); END;`)
    database.pragma('foreign_keys = ON')
    assert.equal(applier.applyGroup([setStep('a')]).kind, 'unknown')
  })

  test('an error of the disk before COMMIT leaves the outcome unknown', () => {
    const fails = Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_WRITE' })
    database.function('fail', () => {
      throw fails
    })
    database.exec('CREATE TEMP TRIGGER t AFTER INSERT ON cell_data BEGIN SELECT fail(); END;')
    assert.deepEqual(applier.applyGroup([setStep('a')]), { kind: 'unknown', cause: fails })
  })
})
