// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, chown, mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import { promisify } from 'node:util'
import SqliteDatabase from 'better-sqlite3'
import { StorageError, type StorageErrorCode } from '../../errors.ts'
import type { CellStore, CellStoreError } from '../cell-store.ts'
import type { Mutation } from '../mutation.ts'
import type { RowFilter } from '../row-filter.ts'
import { storeUnavailableOf } from '../store-unavailable.ts'
import { openSqliteCellStore } from './sqlite-cell-store.ts'
import { SqliteThread } from './threads/thread.ts'
import type { WriterOpened, WriterRequest } from './threads/writer-thread.ts'
import { LOG_BOUNDS } from './wal/write-ahead-log.ts'

const run = promisify(execFile)
const STORE_MODULE = new URL('./sqlite-cell-store.ts', import.meta.url).href

let folder: string
let dataDirectory: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'percolite-sqlite-'))
  dataDirectory = join(folder, 'deep', 'data')
})
afterEach(() => rm(folder, { recursive: true }))

function refusedAs(code: StorageErrorCode, text: RegExp) {
  return (error: unknown) => {
    assert.ok(error instanceof StorageError, String(error))
    assert.equal(error.code, code)
    assert.match(error.message, text)
    return true
  }
}

/** The main module of another process. */
async function moduleOf(script: string): Promise<string> {
  const path = join(folder, 'child.mjs')
  await writeFile(path, script)
  return path
}

const DATA: RowFilter = [{ family: 'data' }]

function setCell(row: string, text: string, timestamp = 1) {
  const value = Buffer.from(text)
  const mutation: Mutation = { kind: 'setCell', family: 'data', qualifier: '0', timestamp, value }
  return { row: Buffer.from(row), mutations: [mutation] }
}

async function valuesOf(store: CellStore): Promise<string[]> {
  const rows = await Array.fromAsync(store.scanRows({ start: new Uint8Array(), filter: DATA }))
  return rows.flatMap((row) => row.cells.map((cell) => Buffer.from(cell.value).toString()))
}

test('a program that holds the lock of the file is named to whoever writes, and then all goes on', async () => {
  const store = await openSqliteCellStore({ dataDirectory })
  await store.mutateRows([setCell('a', 'one')])
  const other = new SqliteDatabase(join(dataDirectory, 'cells.db'))
  other.exec('BEGIN IMMEDIATE')
  const [held] = await store.mutateRows([setCell('b', 'two')])
  assert.equal(held?.kind, 'notApplied')
  assert.match(String(held), /Another program holds the lock of cells.db/)
  assert.match(String(storeUnavailableOf(held)), /did not answer/)
  other.exec('ROLLBACK')
  other.close()
  assert.deepEqual(await store.mutateRows([setCell('b', 'three')]), [null])
  assert.deepEqual(await valuesOf(store), ['one', 'three'])
  await store.close()
})

test('what was written is there after close and open, in one file', async () => {
  const store = await openSqliteCellStore({ dataDirectory })
  await store.mutateRows([setCell('a', 'one'), setCell('b', 'two')])
  await store.close()
  const { stdout } = await run('ls', [dataDirectory])
  assert.deepEqual(stdout.trim().split('\n'), ['cells.db', 'lock.db'])
  const reopened = await openSqliteCellStore({ dataDirectory })
  assert.deepEqual(await valuesOf(reopened), ['one', 'two'])
  await reopened.close()
})

for (const [where, redoLog] of [
  ['the tables', 'never'],
  ['the redo log', 'always'],
] as const) {
  test(`a copy of the directory taken while it is open has every acknowledged write, in ${where}`, async () => {
    const store = await openSqliteCellStore({ dataDirectory, redoLog })
    const written: string[] = []
    for (let round = 0; round < 3; round++) {
      const entries = Array.from({ length: 500 }, (_, at) => setCell(`${round}-${at}`, `${round}`))
      await Promise.all(entries.map((entry) => store.mutateRows([entry])))
      written.push(...entries.map(() => `${round}`))
      // By a process of its own: closing a file here would drop the locks that this process has on it.
      const copy = join(folder, `copy-${round}`)
      await run('cp', ['-r', dataDirectory, copy])
      const image = await openSqliteCellStore({ dataDirectory: copy })
      assert.deepEqual(await valuesOf(image), written)
      await image.close()
    }
    await store.close()
  })
}

test('what was flushed from the redo log is read from the tables, and written again over them', async () => {
  const store = await openSqliteCellStore({ dataDirectory, redoLog: 'always' })
  const records = () => {
    const database = new SqliteDatabase(join(dataDirectory, 'cells.db'), { readonly: true })
    const count = Number(database.prepare('SELECT count(*) FROM redo').pluck().get())
    database.close()
    return count
  }
  await store.mutateRows([setCell('a', 'first'), setCell('b', 'first')])
  assert.equal(records(), 1)
  while (records() > 0) await new Promise((resolve) => setTimeout(resolve, 20))
  assert.deepEqual(await valuesOf(store), ['first', 'first'])
  await store.mutateRows([setCell('b', 'second'), setCell('c', 'second')])
  assert.equal(records(), 1)
  assert.deepEqual(await valuesOf(store), ['first', 'second', 'second'])
  await store.close()
})

test('a process that is killed leaves its acknowledged writes and no lock', async () => {
  const script = `
    const { openSqliteCellStore } = await import(${JSON.stringify(STORE_MODULE)})
    const store = await openSqliteCellStore({ dataDirectory: process.argv[2] })
    const value = Buffer.from('kept')
    const cell = { kind: 'setCell', family: 'data', qualifier: '0', timestamp: 1, value }
    await store.mutateRows([{ row: Buffer.from('a'), mutations: [cell] }])
    process.stdout.write('written')
    // A store that nobody refers to any more may be collected, and its lock with it.
    setInterval(() => store, 1000)`
  const child = spawn(process.execPath, [await moduleOf(script), dataDirectory])
  child.stderr.pipe(process.stderr)
  const [output] = await once(child.stdout, 'data')
  assert.equal(String(output), 'written')
  await assert.rejects(
    openSqliteCellStore({ dataDirectory }),
    refusedAs('data_directory_locked', new RegExp(`process ${child.pid}\\.`)),
  )
  child.kill('SIGKILL')
  await once(child, 'exit')
  const store = await openSqliteCellStore({ dataDirectory })
  assert.deepEqual(await valuesOf(store), ['kept'])
  await store.close()
})

test('a second store on the same directory is refused, with the pid, until the first is closed', async () => {
  const store = await openSqliteCellStore({ dataDirectory })
  const second = openSqliteCellStore({ dataDirectory })
  await assert.rejects(second, refusedAs('data_directory_locked', /is in use by process \d+\./))
  await assert.rejects(second, (error: StorageError) => error.fields.pid === process.pid)
  await store.mutateRows([setCell('a', 'one')])
  await store.close()
  await (await openSqliteCellStore({ dataDirectory })).close()
})

test('a path that can hold no data is refused', async () => {
  const file = join(folder, 'file')
  await writeFile(file, 'text')
  for (const path of [file, join(file, 'below')]) {
    const attempt = openSqliteCellStore({ dataDirectory: path })
    await assert.rejects(attempt, refusedAs('data_directory_unusable', /cannot be used/))
  }
})

test('a read that finds a page damaged says so, and what stands on others is read', async () => {
  const written = await openSqliteCellStore({ dataDirectory })
  await written.mutateRows(
    Array.from({ length: 5_000 }, (_, at) => setCell(`${at}`, 'x'.repeat(99))),
  )
  await written.close()
  const fatal: CellStoreError[] = []
  const onFatal = (error: CellStoreError) => fatal.push(error)
  const store = await openSqliteCellStore({ dataDirectory, onFatal })
  const place = ['bs=4096', 'seek=20', 'count=40', 'conv=notrunc', 'status=none']
  await run('dd', ['if=/dev/zero', `of=${join(dataDirectory, 'cells.db')}`, ...place])
  for (const _ of [1, 2]) await assert.rejects(valuesOf(store), { kind: 'damaged' })
  assert.ok(store.damage !== undefined)
  const read = Array.from({ length: 50 }, (_, at) =>
    store.readRows([Buffer.from(`${at * 100}`)], [{ family: 'data' }]),
  )
  const found = await Promise.allSettled(read)
  const whole = found.filter((one) => one.status === 'fulfilled')
  assert.ok(whole.length > 0 && whole.length < 50, `${whole.length} rows of 50`)
  for (const one of whole) assert.equal(one.value[0]?.cells.length, 1)
  assert.deepEqual(fatal, [])
  await store.close()
})

test('a column with 100,000 versions costs little when its newest is asked', async () => {
  const store = await openSqliteCellStore({ dataDirectory })
  const versions = 100_000
  const mutations: Mutation[] = []
  for (let timestamp = 1; timestamp <= versions; timestamp++) {
    const value = Buffer.alloc(32)
    mutations.push({ kind: 'setCell', family: 'data', qualifier: 'hot', timestamp, value })
  }
  const entries = [
    { row: Buffer.from('hot'), mutations },
    { row: Buffer.from('hot'), mutations: setCell('hot', 'later column').mutations },
    setCell('next', 'next'),
  ]
  assert.deepEqual(await store.mutateRows(entries), [null, null, null])
  const filter: RowFilter = [{ family: 'data', newest: 1 }]
  const step = {
    when: [{ family: 'data', qualifier: 'hot' } as const],
    ifMatched: [],
    otherwise: [],
  }
  const fastest = async (work: () => Promise<unknown>) => {
    const times: number[] = []
    for (let run = 0; run < 5; run++) {
      const start = performance.now()
      await work()
      times.push(performance.now() - start)
    }
    return Math.min(...times)
  }
  const scan = (reverse: boolean) =>
    Array.fromAsync(store.scanRows({ start: new Uint8Array(), filter, reverse }))
  assert.deepEqual(
    (await scan(false)).map((row) => row.cells.map((cell) => cell.timestamp)),
    [[1, versions], [1]],
  )
  // Reading them all is the yardstick, so that a slow machine does not decide.
  const wholeMs = await fastest(() => store.readRows([Buffer.from('hot')], DATA))
  const hot = [Buffer.from('hot')]
  for (const work of [
    () => store.readRows(hot, filter),
    () => store.checkAndMutateRow(hot[0] as Buffer, step),
    () => scan(false),
    () => scan(true),
  ]) {
    const workMs = await fastest(work)
    assert.ok(workMs < wholeMs / 10, `${work}: ${workMs} ms of ${wholeMs} ms`)
  }
  await store.close()
})

test('a directory whose lock file cannot be written is refused, for it would exclude nobody', async () => {
  await (await openSqliteCellStore({ dataDirectory })).close()
  const { stdout: files } = await run('ls', [dataDirectory])
  for (const file of files.trim().split('\n')) await chmod(join(dataDirectory, file), 0o666)
  for (const path of [folder, join(folder, 'deep'), dataDirectory]) await chmod(path, 0o755)
  await chmod(join(dataDirectory, 'lock.db'), 0o444)
  const script = `
    const { openSqliteCellStore } = await import(${JSON.stringify(STORE_MODULE)})
    const said = (error) => error.code + ': ' + error.message
    console.log(await openSqliteCellStore({ dataDirectory: process.argv[2] }).then(() => 'opened', said))`
  const module = await moduleOf(script)
  await chmod(module, 0o644)
  // The superuser may write every file.
  const user = process.getuid?.() === 0 ? { uid: 65534, gid: 65534 } : {}
  if (user.uid !== undefined) await chown(dataDirectory, user.uid, user.gid)
  const { stdout } = await run(process.execPath, [module, dataDirectory], { ...user, cwd: '/' })
  assert.match(stdout, /^data_directory_unusable: .*lock\.db/)
})

test('a store file that lacks a table is refused, and leaves the directory free', async () => {
  await (await openSqliteCellStore({ dataDirectory })).close()
  const database = new SqliteDatabase(join(dataDirectory, 'cells.db'))
  database.exec('DROP TABLE cell_guard')
  database.close()
  for (let attempt = 0; attempt < 2; attempt += 1) {
    const refused = refusedAs('data_directory_unusable', /cells\.db cannot be used: no such table/)
    await assert.rejects(openSqliteCellStore({ dataDirectory }), refused)
  }
})

test('the thread that writes says that its connection syncs the log at each COMMIT', async () => {
  const writer = await SqliteThread.start<WriterRequest, WriterOpened>(
    new URL('./threads/writer-thread.ts', import.meta.url),
    join(folder, 'cells.db'),
    (cause) => assert.fail(String(cause)),
  )
  assert.deepEqual(writer.opened, { journalMode: 'wal', synchronous: 2, streams: [] })
  await writer.close({ kind: 'close', emptiesLog: true })
})

test('a process ends by itself, its store closed or not, when nothing is under way', async () => {
  for (const end of ['await store.close()', '']) {
    const module = await moduleOf(`
      const { openSqliteCellStore } = await import(${JSON.stringify(STORE_MODULE)})
      const store = await openSqliteCellStore({ dataDirectory: process.argv[2] })
      const value = Buffer.from('kept')
      const cell = { kind: 'setCell', family: 'data', qualifier: '0', timestamp: 1, value }
      const writing = store.mutateRows([{ row: Buffer.from('a'), mutations: [cell] }])
      ${end}
      writing.then((errors) => console.log(JSON.stringify(errors)))`)
    const { stdout } = await run(process.execPath, [module, dataDirectory], { timeout: 20_000 })
    assert.equal(stdout, '[null]\n')
  }
})

test('a read keeps its snapshot to the end of its turn, and holds back no checkpoint after it', async () => {
  const store = await openSqliteCellStore({ dataDirectory })
  await store.mutateRows([setCell('a', 'one')])
  const other = new SqliteDatabase(join(dataDirectory, 'cells.db'), { timeout: 0 })
  const isHeldBack = () => {
    const [answer] = other.pragma('wal_checkpoint(TRUNCATE)') as Array<{ busy: number }>
    return answer?.busy === 1
  }
  const range = { start: new Uint8Array(), filter: DATA, rowsMax: 10, bytesMax: 10 }
  for (const [at, read] of [
    () => store.view.readRows([Buffer.from('a')], DATA),
    () => store.view.readChunk(range),
    () => store.view.readChunk({ ...range, reverse: true }),
  ].entries()) {
    // Another value each time: the same one would change no page.
    await store.mutateRows([setCell('a', `${at}`)])
    read()
    assert.equal(isHeldBack(), true)
    await new Promise((resolve) => setImmediate(resolve))
    assert.equal(isHeldBack(), false)
  }
  other.close()
  await store.close()
})

test('the log is moved into the file beside the writes, and restarted when it is large', async () => {
  const store = await openSqliteCellStore({ dataDirectory })
  const [file, log] = ['cells.db', 'cells.db-wal'].map((name) => join(dataDirectory, name))
  const mebibyte = 'x'.repeat(1024 * 1024)
  const rounds = Math.ceil((1.5 * LOG_BOUNDS.max) / (3 * mebibyte.length))
  const fileBytes = async () => (await stat(file as string)).size
  let moved = false
  for (let round = 0; round < rounds; round++) {
    await store.mutateRows([1, 2, 3].map((at) => setCell(`${round}-${at}`, mebibyte)))
    moved ||= (await fileBytes()) > 5 * 1024 * 1024
  }
  assert.equal(moved, true)
  const { size } = await stat(log as string)
  assert.ok(size < 1.2 * LOG_BOUNDS.max, `the log has ${size} bytes`)
  await store.close()
  const reopened = await openSqliteCellStore({ dataDirectory })
  const rows = await Array.fromAsync(reopened.scanRows({ start: new Uint8Array(), filter: DATA }))
  assert.equal(rows.length, 3 * rounds)
  await reopened.close()
})

test('space is given back by the thread that writes, bit by bit, in its turn', async () => {
  const store = await openSqliteCellStore({ dataDirectory })
  const rows = Array.from({ length: 2_000 }, (_, at) => setCell(`${at}`, 'x'.repeat(4_000)))
  await store.mutateRows(rows)
  const clear: Mutation = {
    kind: 'deleteFromColumn',
    family: 'data',
    qualifier: '0',
    timestamps: {},
  }
  const deleting = store.mutateRows(rows.map(({ row }) => ({ row, mutations: [clear] })))
  await deleting
  const parts: number[] = []
  for (let bytes = -1; bytes !== 0; parts.push(bytes)) bytes = (await store.reclaimSpace?.()) ?? 0
  const sum = parts.reduce((sum, bytes) => sum + bytes, 0)
  assert.ok(sum > 7 * 1024 * 1024, `${sum} bytes were given back`)
  assert.ok(Math.max(...parts) <= 2 * 1024 * 1024)
  await store.close()
  await assert.rejects(async () => store.reclaimSpace?.(), { kind: 'closed' })
})
