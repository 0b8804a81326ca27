// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Database } from 'better-sqlite3'
import { testFolder } from '../../../../test/test-folder.ts'
import { unconditionalStep } from '../../embedded-cell-store.ts'
import type { Mutation } from '../../mutation.ts'
import { openWriterConnection } from '../file/connection.ts'
import { encodedBytesMax } from '../groups/group-encoding.ts'
import { SqliteTransactions } from '../groups/transactions.ts'
import type { RedoRecord, StepsBatch } from '../groups/write-batch.ts'
import { SqliteRedoLog } from './redo-log.ts'
import { encodeRecord } from './redo-record.ts'

async function given(t: TestContext) {
  const path = join(await testFolder(t, 'redo'), 'cells.db')
  const opened: Database[] = []
  const open = () => {
    const database = openWriterConnection(path)
    opened.push(database)
    const redoLog = new SqliteRedoLog(database, new SqliteTransactions(database))
    const count = (table: string) => Number(select(`SELECT count(*) FROM ${table}`)[0])
    const select = (sql: string) => database.prepare(sql).pluck().all()
    const rows = () => select('SELECT CAST(row AS TEXT) FROM cell_data ORDER BY row')
    return { database, redoLog, rows, records: () => count('redo'), select }
  }
  t.after(() => {
    for (const database of opened) database.close()
  })
  return { open }
}

/** Sets the cell at 1 of each row. */
function recordOf(
  id: number,
  generation: number,
  rows: readonly string[],
  value = 'x',
): RedoRecord {
  const cell = { kind: 'setCell', family: 'data', qualifier: '0', timestamp: 1 } as const
  const otherwise = [{ ...cell, value: Buffer.from(value) }]
  return recordThat(id, generation, rows, otherwise)
}

/** Erases that cell. */
function erasureOf(id: number, generation: number, rows: readonly string[]): RedoRecord {
  const timestamps = { from: 1, until: 2 }
  const erased = { kind: 'deleteFromColumn', family: 'data', qualifier: '0', timestamps } as const
  return recordThat(id, generation, rows, [erased])
}

function recordThat(
  id: number,
  generation: number,
  rows: readonly string[],
  mutations: readonly Mutation[],
): RedoRecord {
  const steps = rows.map((row) => unconditionalStep(Buffer.from(row), mutations))
  const batch: StepsBatch = { kind: 'steps', steps }
  const { packed } = encodeRecord([batch], encodedBytesMax(batch))
  return { id, generation, packed }
}

const manyRows = (count: number) => Array.from({ length: count }, (_, at) => String(10_000 + at))

test('R3: records are written in the order in which they were handed in', async (t) => {
  const { open } = await given(t)
  const { redoLog, records } = open()
  redoLog.append(recordOf(2, 1, ['a']))
  assert.throws(() => redoLog.append(recordOf(1, 1, ['b'])), /R3/)
  assert.equal(redoLog.append(recordOf(3, 1, ['c'])), null)
  assert.equal(records(), 2)
})

/** The process dies and another one starts: what was committed is there, synced or not. */
test('R1, R3: a record is one row of the redo log, its cells are in the tables when it is gone, and a start moves them', async (t) => {
  const { open } = await given(t)
  const before = open()
  assert.equal(before.redoLog.append(recordOf(1, 1, ['b', 'a'])), null)
  assert.equal(before.redoLog.append(recordOf(2, 1, ['b'], 'later')), null)
  assert.equal(before.redoLog.append(recordOf(3, 2, ['c'])), null)
  assert.deepEqual([before.records(), before.rows()], [3, []])
  before.database.close()

  const after = open()
  after.redoLog.recover(() => false)
  assert.deepEqual([after.records(), after.rows()], [0, ['a', 'b', 'c']])
  assert.deepEqual(after.select("SELECT CAST(value AS TEXT) FROM cell_data WHERE row = x'62'"), [
    'later',
  ])
  // Ids begin anew.
  assert.equal(after.redoLog.append(recordOf(1, 1, ['d'])), null)
  assert.deepEqual(after.redoLog.flush(1, 64), { failure: null, isDone: true })
  assert.deepEqual([after.records(), after.rows()], [0, ['a', 'b', 'c', 'd']])
})

test('R3: a generation is moved in the order of its keys, some at a time, and its records go last', async (t) => {
  const { open } = await given(t)
  const { redoLog, rows, records } = open()
  const keys = manyRows(700)
  for (const [at, key] of keys.toReversed().entries()) redoLog.append(recordOf(at + 1, 1, [key]))
  redoLog.append(recordOf(701, 2, ['0 of another generation']))
  for (let moved = 64; moved < 700; moved += 64) {
    assert.deepEqual(redoLog.flush(1, 64), { failure: null, isDone: false })
    assert.deepEqual([records(), rows()], [701, keys.slice(0, moved)])
  }
  assert.deepEqual(redoLog.flush(1, 64), { failure: null, isDone: false })
  assert.deepEqual([records(), rows()], [701 - 512, keys])
  assert.deepEqual(redoLog.flush(1, 64), { failure: null, isDone: true })
  assert.deepEqual([records(), rows()], [1, keys])
  assert.deepEqual(redoLog.flush(2, 64), { failure: null, isDone: true })
  assert.deepEqual([records(), rows().length], [0, 701])
})

test('R3: a row with many cells is moved in parts, each of them whole, and its records go last', async (t) => {
  const { open } = await given(t)
  const { redoLog, select, records } = open()
  const timestamps = Array.from({ length: 500 }, (_, at) => at + 1)
  const set = (timestamp: number, value: string): Mutation => {
    const cell = { kind: 'setCell', family: 'write', qualifier: '0', timestamp } as const
    return { ...cell, value: Buffer.from(value) }
  }
  const erase = (timestamp: number): Mutation => {
    const column = { family: 'write', qualifier: '0' } as const
    return {
      kind: 'deleteFromColumn',
      ...column,
      timestamps: { from: timestamp, until: timestamp + 1 },
    }
  }
  for (const at of timestamps) redoLog.append(recordThat(at, 1, ['hot'], [set(at, `${at}`)]))
  redoLog.append(recordThat(501, 1, ['hot'], [...timestamps.slice(0, 200).map(erase)]))
  redoLog.append(recordThat(502, 1, ['hot'], [set(7, 'again')]))
  redoLog.append(recordThat(503, 1, ['a', 'z'], [set(1, 'x')]))
  const written = () => Number(select('SELECT count(*) FROM cell_write')[0])
  const parts: number[] = []
  for (let isDone = false; !isDone; ) {
    const before = written()
    const flushed = redoLog.flush(1, 64)
    assert.equal(flushed.failure, null)
    isDone = flushed.isDone
    parts.push(written() - before)
    assert.ok(parts.length < 50, `${parts}`)
    if (written() < 303) assert.equal(records(), 503)
  }
  assert.ok(
    parts.every((cells) => cells <= 64),
    `${parts}`,
  )
  assert.equal(records(), 0)
  const left = select(
    "SELECT timestamp FROM cell_write WHERE row = CAST('hot' AS BLOB) ORDER BY timestamp",
  )
  assert.deepEqual(left, [7, ...timestamps.slice(200)])
})

test('R3: a process that dies within a row that it moves: the next one moves all of the row again', async (t) => {
  const { open } = await given(t)
  const before = open()
  const cell = { kind: 'setCell', family: 'write', qualifier: '0' } as const
  const versions = Array.from({ length: 200 }, (_, at): Mutation => {
    return { ...cell, timestamp: at + 1, value: Buffer.from('x') }
  })
  for (const [at, one] of versions.entries()) {
    before.redoLog.append(recordThat(at + 1, 1, ['hot'], [one]))
  }
  before.redoLog.flush(1, 64)
  const [{ database }, count] = [before, 'SELECT count(*) FROM cell_write']
  assert.deepEqual(before.select(count), [64])
  database.close()
  const after = open()
  after.redoLog.recover(() => false)
  assert.deepEqual([after.records(), after.select(count)], [0, [200]])
})

test('R3: a process that dies while it moves a generation: the next one moves all of it again', async (t) => {
  const { open } = await given(t)
  const before = open()
  const id = 2 ** 40
  before.redoLog.append(recordOf(id, 1, manyRows(600), 'first'))
  before.redoLog.append(recordOf(id + 1, 1, ['10000', '10599'], 'second'))
  before.redoLog.append(recordOf(id + 2, 2, ['10000'], 'third'))
  before.redoLog.flush(1, 64)
  before.redoLog.flush(1, 64)
  before.database.close()
  const after = open()
  assert.deepEqual([after.records(), after.rows().length], [3, 128])
  after.redoLog.recover(() => false)
  assert.deepEqual([after.records(), after.rows()], [0, manyRows(600)])
  const others =
    "SELECT CAST(row || ' ' || value AS TEXT) FROM cell_data WHERE CAST(value AS TEXT) <> 'first'"
  assert.deepEqual(after.select(others), ['10000 third', '10599 second'])
})

test('an erased cell is not moved, and one that is in the tables is deleted there', async (t) => {
  const { open } = await given(t)
  const { redoLog, rows, select } = open()
  redoLog.append(recordOf(1, 1, ['a', 'b', 'c']))
  redoLog.append(erasureOf(2, 1, ['b', 'never there']))
  assert.deepEqual(redoLog.flush(1, 64), { failure: null, isDone: true })
  assert.deepEqual(rows(), ['a', 'c'])
  redoLog.append(erasureOf(3, 2, ['a', 'c']))
  redoLog.append(recordOf(4, 2, ['c', 'd'], 'again'))
  assert.deepEqual(redoLog.flush(2, 64), { failure: null, isDone: true })
  const values = select("SELECT CAST(row || ' ' || value AS TEXT) FROM cell_data ORDER BY row")
  assert.deepEqual(values, ['c again', 'd again'])
})

test('R3: of a process that dies while it moves what erases, the next one erases all of it', async (t) => {
  const { open } = await given(t)
  const before = open()
  const keys = manyRows(200)
  before.redoLog.append(recordOf(1, 1, keys))
  before.redoLog.flush(1, 1_000)
  before.redoLog.append(recordOf(2, 2, ['0', '99999']))
  before.redoLog.append(erasureOf(3, 2, [...keys.slice(1), '0']))
  before.redoLog.append(erasureOf(4, 3, ['99999']))
  before.redoLog.flush(2, 64)
  before.database.close()
  const after = open()
  assert.deepEqual([after.records(), after.rows().length], [3, 200 - 127])
  after.redoLog.recover(() => false)
  assert.deepEqual([after.records(), after.rows()], [0, [keys[0]]])
})

test('R1: records are synced, and cells that are moved are not', async (t) => {
  const { open } = await given(t)
  const { database, redoLog, select } = open()
  database.exec(`CREATE TEMP TABLE durability (id, synchronous);
    CREATE TEMP TRIGGER notes_durability AFTER INSERT ON redo
    BEGIN INSERT INTO durability SELECT new.id, synchronous FROM pragma_synchronous; END`)
  redoLog.append(recordOf(1, 1, ['a']))
  redoLog.append(recordOf(2, 2, ['b']))
  redoLog.flush(1, 64)
  redoLog.append(recordOf(3, 2, ['c']))
  // 2 is FULL, and 1 would be NORMAL, whose commits are not synced.
  assert.deepEqual(select('SELECT synchronous FROM durability ORDER BY id'), [2, 2, 2])
  assert.equal(database.pragma('synchronous', { simple: true }), 2)
})

test('cells that do not fit on the disk stay in the redo log, and are moved when there is room', async (t) => {
  const { open } = await given(t)
  const { database, redoLog, rows, records } = open()
  const keys = manyRows(60)
  redoLog.append(recordOf(1, 1, keys, 'x'.repeat(1_000)))
  const pages = database.pragma('page_count', { simple: true }) as number
  database.pragma(`max_page_count = ${pages + 5}`)
  const { failure, isDone } = redoLog.flush(1, 64)
  assert.deepEqual(
    [failure?.kind, failure?.cause.code, isDone],
    ['notApplied', 'SQLITE_FULL', false],
  )
  assert.deepEqual([records(), rows()], [1, []])
  assert.equal(database.pragma('synchronous', { simple: true }), 2)
  assert.equal(redoLog.append(recordOf(2, 2, keys, 'x'.repeat(1_000)))?.kind, 'notApplied')
  database.pragma(`max_page_count = ${pages + 1_000}`)
  assert.deepEqual(redoLog.flush(1, 64), { failure: null, isDone: true })
  assert.deepEqual([records(), rows()], [0, keys])
})
