// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import type { Database } from 'better-sqlite3'
import { testFolder } from '../../../../test/test-folder.ts'
import type { SetCell } from '../../mutation.ts'
import { openWriterConnection } from '../file/connection.ts'
import { GroupNumbers } from '../groups/group-numbers.ts'
import { PackedReader } from '../groups/packed-buffer.ts'
import { SqliteTransactions } from '../groups/transactions.ts'
import { Memtable } from './memtable.ts'
import { encodeRecord, type RedoRecord, walkCells, walkRows } from './record.ts'
import { openRedoLog, type RedoLog } from './redo-thread.ts'

async function given(t: TestContext) {
  const path = join(await testFolder(t, 'redo'), 'cells.db')
  const opened: Database[] = []
  const open = () => {
    const database = openWriterConnection(path)
    opened.push(database)
    const transactions = new SqliteTransactions(database)
    const redoLog = openRedoLog(database, transactions, new GroupNumbers(database, transactions))
    const count = (table: string) => Number(select(`SELECT count(*) FROM ${table}`)[0])
    const select = (sql: string) => database.prepare(sql).pluck().all()
    const { append, flush } = flushing(redoLog)
    const rows = () => select('SELECT CAST(row AS TEXT) FROM cell_data ORDER BY row')
    return { database, redoLog, append, flush, rows, records: () => count('redo'), select }
  }
  t.after(() => {
    for (const database of opened) database.close()
  })
  return { open }
}

/** Sets the cell at 1 of each row. */
function recordOf(id: number, rows: readonly string[], value = 'x'): RedoRecord {
  return recordThat(id, rows, [{ ...CELL, value: Buffer.from(value) }])
}

const CELL = { kind: 'setCell', family: 'data', qualifier: '0', timestamp: 1 } as const

function recordThat(id: number, rows: readonly string[], otherwise: readonly SetCell[]) {
  const steps = rows.map((row) => ({ row: Buffer.from(row), otherwise }))
  const cells = otherwise.reduce((sum, { value }) => sum + value.length + 60, 60)
  return { id, packed: encodeRecord([{ steps }], new ArrayBuffer(cells * rows.length)) }
}

/** As a server of earlier days has left it: erases the cell at 1 of each row. */
function erasureOf(id: number, rows: readonly string[]): RedoRecord {
  const { packed } = recordOf(id, rows, '')
  walkRows(Buffer.from(packed), (from) => {
    walkCells(new PackedReader(packed), from, (_family, _qualifier, cell) => {
      packed[cell] = (packed[cell] as number) | 0x80
    })
  })
  return { id, packed }
}

/** Appends as the main thread does: what is durable is in a memtable, which is sent with the first part of it. */
function flushing(redoLog: RedoLog) {
  const memtables = new Map<number, Memtable>()
  let sent = 0
  const append = (record: RedoRecord, memtable = 1) => {
    const failure = redoLog.append(record)
    if (failure !== null) return failure
    if (!memtables.has(memtable)) memtables.set(memtable, Memtable.of(256 * 1024))
    memtables.get(memtable)?.add(record)
    return null
  }
  const flush = (memtable: number, cells: number) => {
    const isFirst = sent < memtable
    sent = memtable
    return redoLog.flush({ memtable: isFirst ? memtables.get(memtable)?.sent() : undefined, cells })
  }
  return { append, flush }
}

const manyRows = (count: number) => Array.from({ length: count }, (_, at) => String(10_000 + at))

test('R3: records are written in the order in which they were handed in', async (t) => {
  const { open } = await given(t)
  const { records, append } = open()
  append(recordOf(2, ['a']))
  assert.throws(() => append(recordOf(1, ['b'])), /R3/)
  assert.equal(append(recordOf(3, ['c'])), null)
  assert.equal(records(), 2)
})

/** The process dies and another one starts: what was committed is there, synced or not. */
test('R1, R3: a record is one row of the redo log, its cells are in the tables when it is gone, and a start flushes them', async (t) => {
  const { open } = await given(t)
  const before = open()
  assert.equal(before.append(recordOf(1, ['b', 'a'])), null)
  assert.equal(before.append(recordOf(2, ['b'], 'later')), null)
  assert.equal(before.append(recordOf(3, ['c']), 2), null)
  assert.deepEqual([before.records(), before.rows()], [3, []])
  before.database.close()

  const after = open()
  after.redoLog.recover(() => false)
  assert.deepEqual([after.records(), after.rows()], [0, ['a', 'b', 'c']])
  assert.deepEqual(after.select("SELECT CAST(value AS TEXT) FROM cell_data WHERE row = x'62'"), [
    'later',
  ])
  // Ids restart.
  assert.equal(after.append(recordOf(1, ['d'])), null)
  assert.deepEqual(after.flush(1, 64), { failure: null, isDone: true })
  assert.deepEqual([after.records(), after.rows()], [0, ['a', 'b', 'c', 'd']])
})

test('R3: a memtable is flushed in the order of its keys, some at a time, and its records go last', async (t) => {
  const { open } = await given(t)
  const { rows, records, append, flush } = open()
  const keys = manyRows(700)
  for (const [at, key] of keys.toReversed().entries()) append(recordOf(at + 1, [key]))
  append(recordOf(701, ['0 of another memtable']), 2)
  for (let flushed = 64; flushed < 700; flushed += 64) {
    assert.deepEqual(flush(1, 64), { failure: null, isDone: false })
    assert.deepEqual([records(), rows()], [701, keys.slice(0, flushed)])
  }
  assert.deepEqual(flush(1, 64), { failure: null, isDone: false })
  assert.deepEqual([records(), rows()], [701 - 512, keys])
  assert.deepEqual(flush(1, 64), { failure: null, isDone: true })
  assert.deepEqual([records(), rows()], [1, keys])
  assert.deepEqual(flush(2, 64), { failure: null, isDone: true })
  assert.deepEqual([records(), rows().length], [0, 701])
})

test('R3: a row with many cells is flushed in parts, each of them whole, and its records go last', async (t) => {
  const { open } = await given(t)
  const { select, records, append, flush } = open()
  const timestamps = Array.from({ length: 500 }, (_, at) => at + 1)
  const set = (timestamp: number, value: string): SetCell => {
    const cell = { kind: 'setCell', family: 'write', qualifier: '0', timestamp } as const
    return { ...cell, value: Buffer.from(value) }
  }
  for (const at of timestamps) append(recordThat(at, ['hot'], [set(at, `${at}`)]))
  append(recordThat(501, ['hot'], [set(7, 'again')]))
  append(recordThat(502, ['a', 'z'], [set(1, 'x')]))
  const written = () => Number(select('SELECT count(*) FROM cell_write')[0])
  const parts: number[] = []
  for (let isDone = false; !isDone; ) {
    const before = written()
    const flushed = flush(1, 64)
    assert.equal(flushed.failure, null)
    isDone = flushed.isDone
    parts.push(written() - before)
    assert.ok(parts.length < 50, `${parts}`)
    if (written() < 502) assert.equal(records(), 502)
  }
  assert.ok(
    parts.every((cells) => cells <= 64),
    `${parts}`,
  )
  assert.equal(records(), 0)
  const left = select(
    "SELECT timestamp FROM cell_write WHERE row = CAST('hot' AS BLOB) ORDER BY timestamp",
  )
  assert.deepEqual(left, timestamps)
  const [again] = select('SELECT CAST(value AS TEXT) FROM cell_write WHERE timestamp = 7')
  assert.equal(again, 'again')
})

test('R3: a process that dies within a row that it flushes: the next one flushes all of the row again', async (t) => {
  const { open } = await given(t)
  const before = open()
  const cell = { kind: 'setCell', family: 'write', qualifier: '0' } as const
  const versions = Array.from({ length: 200 }, (_, at): SetCell => {
    return { ...cell, timestamp: at + 1, value: Buffer.from('x') }
  })
  for (const [at, one] of versions.entries()) {
    before.append(recordThat(at + 1, ['hot'], [one]))
  }
  before.flush(1, 64)
  const [{ database }, count] = [before, 'SELECT count(*) FROM cell_write']
  assert.deepEqual(before.select(count), [64])
  database.close()
  const after = open()
  after.redoLog.recover(() => false)
  assert.deepEqual([after.records(), after.select(count)], [0, [200]])
})

test('R3: a process that dies while it flushes a memtable: the next one flushes all of it again', async (t) => {
  const { open } = await given(t)
  const before = open()
  const id = 2 ** 40
  before.append(recordOf(id, manyRows(600), 'first'))
  before.append(recordOf(id + 1, ['10000', '10599'], 'second'))
  before.append(recordOf(id + 2, ['10000'], 'third'), 2)
  before.flush(1, 64)
  before.flush(1, 64)
  before.database.close()
  const after = open()
  assert.deepEqual([after.records(), after.rows().length], [3, 128])
  after.redoLog.recover(() => false)
  assert.deepEqual([after.records(), after.rows()], [0, manyRows(600)])
  const others =
    "SELECT CAST(row || ' ' || value AS TEXT) FROM cell_data WHERE CAST(value AS TEXT) <> 'first'"
  assert.deepEqual(after.select(others), ['10000 third', '10599 second'])
})

test('a record of an older server that erases: its cell is not flushed, and one that is in the tables is deleted there', async (t) => {
  const { open } = await given(t)
  const { rows, select, append, flush } = open()
  append(recordOf(1, ['a', 'b', 'c']))
  append(erasureOf(2, ['b', 'never there']))
  assert.deepEqual(flush(1, 64), { failure: null, isDone: true })
  assert.deepEqual(rows(), ['a', 'c'])
  append(erasureOf(3, ['a', 'c']), 2)
  append(recordOf(4, ['c', 'd'], 'again'), 2)
  assert.deepEqual(flush(2, 64), { failure: null, isDone: true })
  const values = select("SELECT CAST(row || ' ' || value AS TEXT) FROM cell_data ORDER BY row")
  assert.deepEqual(values, ['c again', 'd again'])
})

test('R3: of a process that dies while it flushes what erases, the next one erases all of it', async (t) => {
  const { open } = await given(t)
  const before = open()
  const keys = manyRows(200)
  before.append(recordOf(1, keys))
  before.flush(1, 1_000)
  before.append(recordOf(2, ['0', '99999']), 2)
  before.append(erasureOf(3, [...keys.slice(1), '0']), 2)
  before.append(erasureOf(4, ['99999']), 3)
  before.flush(2, 64)
  before.database.close()
  const after = open()
  assert.deepEqual([after.records(), after.rows().length], [3, 200 - 63])
  after.redoLog.recover(() => false)
  assert.deepEqual([after.records(), after.rows()], [0, [keys[0]]])
})

test('R1: records are synced, and cells that are flushed are not', async (t) => {
  const { open } = await given(t)
  const { database, select, append, flush } = open()
  database.exec(`CREATE TEMP TABLE durability (id, synchronous);
    CREATE TEMP TRIGGER notes_durability AFTER INSERT ON redo
    BEGIN INSERT INTO durability SELECT new.id, synchronous FROM pragma_synchronous; END`)
  append(recordOf(1, ['a']))
  append(recordOf(2, ['b']), 2)
  flush(1, 64)
  append(recordOf(3, ['c']), 2)
  // 2 is FULL, and 1 would be NORMAL, whose commits are not synced.
  assert.deepEqual(select('SELECT synchronous FROM durability ORDER BY id'), [2, 2, 2])
  assert.equal(database.pragma('synchronous', { simple: true }), 2)
})

test('cells that do not fit on the disk stay in the redo log, and are flushed when there is room', async (t) => {
  const { open } = await given(t)
  const { database, rows, records, append, flush } = open()
  const keys = manyRows(60)
  append(recordOf(1, keys, 'x'.repeat(1_000)))
  const pages = database.pragma('page_count', { simple: true }) as number
  database.pragma(`max_page_count = ${pages + 5}`)
  const { failure, isDone } = flush(1, 64)
  assert.deepEqual(
    [failure?.kind, failure?.cause.code, isDone],
    ['notApplied', 'SQLITE_FULL', false],
  )
  assert.deepEqual([records(), rows()], [1, []])
  assert.equal(database.pragma('synchronous', { simple: true }), 2)
  assert.equal(append(recordOf(2, keys, 'x'.repeat(1_000)), 2)?.kind, 'notApplied')
  database.pragma(`max_page_count = ${pages + 1_000}`)
  assert.deepEqual(flush(1, 64), { failure: null, isDone: true })
  assert.deepEqual([records(), rows()], [0, keys])
})
