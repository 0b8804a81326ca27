// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { statSync } from 'node:fs'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import SqliteDatabase, { type Database } from 'better-sqlite3'
import { type DiskSpace, FileDisk, type StoreDisk } from './log-room.ts'
import { SqliteWriteAheadLog } from './write-ahead-log.ts'

const PAGE_BYTES = 512
/** An eighth of the usual ones. */
const BOUNDS = { max: 2 ** 25, enough: 24_000 * 1024, unmoved: 8_000 * 1024, left: 2 ** 17 }
const [LOG_PAGES_MAX, LOG_PAGES_ENOUGH] = [BOUNDS.max / PAGE_BYTES, BOUNDS.enough / PAGE_BYTES]
const [UNMOVED_PAGES_MAX, LEFT_PAGES_MAX] = [BOUNDS.unmoved / PAGE_BYTES, BOUNDS.left / PAGE_BYTES]
const ROOM = () => ({ free: 4 * BOUNDS.max })
const LOCK_AWAITED_MS = 3_000

let folder: string
let writer: Database
let reader: Database
let log: SqliteWriteAheadLog
const transactions = { hasGivenUp: false }
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'percolite-log-'))
  const path = join(folder, 'small-pages.db')
  writer = new SqliteDatabase(path, { timeout: LOCK_AWAITED_MS })
  for (const setting of [`page_size = ${PAGE_BYTES}`, 'journal_mode = WAL']) writer.pragma(setting)
  for (const setting of ['synchronous = OFF', 'wal_autocheckpoint = 0']) writer.pragma(setting)
  writer.exec('CREATE TABLE filler (bytes BLOB)')
  reader = new SqliteDatabase(path)
  log = logOn(ROOM)
})
afterEach(async () => {
  reader.close()
  writer.close()
  await rm(folder, { recursive: true })
})

/** A disk with so much room beside the log. */
function logOn(space: () => Partial<DiskSpace>): SqliteWriteAheadLog {
  const files = new FileDisk(writer.name)
  const disk: StoreDisk = {
    space: () => ({ ...files.space(), ...space() }),
    cutLog: (bytes) => files.cutLog(bytes),
  }
  return new SqliteWriteAheadLog(writer, transactions, disk, BOUNDS)
}

/** What the undone transaction has written stays in the file of the log, behind its end. */
function undo(pages: number): void {
  writer.pragma('cache_size = 10')
  writer.exec('BEGIN')
  for (let page = 0; page < pages; page++) growBy(1)
  writer.exec('ROLLBACK')
}

function logBytes(): number {
  return statSync(`${writer.name}-wal`).size
}

const bytesOf = (pages: number) => (pages === 0 ? 0 : 32 + pages * (24 + PAGE_BYTES))

function growBy(pages: number): void {
  writer.prepare('INSERT INTO filler VALUES (zeroblob(?))').run(pages * PAGE_BYTES)
}

function beginReading(): void {
  reader.exec('BEGIN')
  reader.prepare('SELECT count(*) FROM filler').get()
}

/** Moves all of the log but for so many pages, which a reader's snapshot does not see. */
function leaveUnmoved(pages: number): void {
  beginReading()
  growBy(pages)
  writer.pragma('wal_checkpoint(PASSIVE)')
  reader.exec('COMMIT')
}

/** What the log is after one more page, which is what begins it anew. */
function pagesAfterAnother(): number {
  log.restartWhenLarge(log.size())
  growBy(1)
  return log.size().bytes / PAGE_BYTES
}

test('a large log is restarted, and a small one is not', () => {
  growBy(LOG_PAGES_MAX / 2)
  assert.ok(pagesAfterAnother() > LOG_PAGES_MAX / 2)
  growBy(LOG_PAGES_MAX / 2)
  assert.ok(pagesAfterAnother() < 10)
})

test('a log that is long enough is restarted as soon as little of it is left to be moved', () => {
  growBy(LOG_PAGES_ENOUGH)
  leaveUnmoved(LEFT_PAGES_MAX + 50)
  assert.ok(pagesAfterAnother() > LOG_PAGES_ENOUGH)
  leaveUnmoved(LEFT_PAGES_MAX - 50)
  assert.ok(pagesAfterAnother() < 10)
})

test('a log that Litestream replicates is its own to restart; one that it leaves is cut to nothing', async () => {
  await mkdir(join(folder, '.small-pages.db-litestream'))
  growBy(LOG_PAGES_ENOUGH)
  leaveUnmoved(LEFT_PAGES_MAX - 50)
  assert.ok(pagesAfterAnother() > LOG_PAGES_ENOUGH)
  growBy(LOG_PAGES_MAX - LOG_PAGES_ENOUGH)
  assert.ok(pagesAfterAnother() < 10)
  assert.ok(
    logBytes() < bytesOf(10),
    'or Litestream could take old pages for those that it had not read',
  )
})

test('a reader that stays holds the writer up for a moment only, and not after each group', (t) => {
  beginReading()
  growBy(LOG_PAGES_MAX)
  const before = performance.now()
  assert.ok(pagesAfterAnother() > LOG_PAGES_MAX)
  assert.ok(performance.now() - before < LOCK_AWAITED_MS / 2)
  assert.equal(writer.pragma('busy_timeout', { simple: true }), LOCK_AWAITED_MS)
  const trying = t.mock.method(writer, 'pragma')
  for (let group = 0; group < 3; group++) assert.ok(pagesAfterAnother() > LOG_PAGES_MAX)
  assert.equal(trying.mock.callCount(), 0)
  growBy(UNMOVED_PAGES_MAX)
  assert.ok(pagesAfterAnother() > LOG_PAGES_MAX)
  assert.equal(trying.mock.callCount(), 2)
})

test('when the reader has left, the log is restarted as soon as it has grown some more', () => {
  beginReading()
  growBy(LOG_PAGES_MAX)
  assert.ok(pagesAfterAnother() > LOG_PAGES_MAX)
  reader.exec('COMMIT')
  growBy(UNMOVED_PAGES_MAX)
  assert.ok(pagesAfterAnother() < 10)
  // From then on the bound is the usual one again.
  growBy(LOG_PAGES_MAX)
  assert.ok(pagesAfterAnother() < 10)
})

test('on a disk with little room the log is restarted earlier, and gives its room back', () => {
  log = logOn(() => ({ free: BOUNDS.max / 32, log: BOUNDS.max / 64 }))
  assert.equal(log.size().share, 1 / 64)
  growBy(LOG_PAGES_MAX / 64 - 100)
  assert.ok(pagesAfterAnother() > LOG_PAGES_MAX / 64 - 100)
  growBy(100)
  assert.ok(pagesAfterAnother() < 10)
  assert.ok(logBytes() < bytesOf(10))
  // With room it would have kept its length.
  log = logOn(ROOM)
  growBy(LOG_PAGES_MAX)
  assert.ok(pagesAfterAnother() < 10)
  assert.ok(logBytes() > bytesOf(LOG_PAGES_MAX))
})

test('a log for which the file has no room is tried again when it has grown by as much as is worth a checkpoint', (t) => {
  log = logOn(() => ({ free: 0, log: (3 * BOUNDS.max) / 64 }))
  growBy(LOG_PAGES_MAX / 64)
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  let tries = 0
  t.mock.method(writer, 'pragma', (text: string) => {
    if (text.endsWith(' = 50')) tries += 1
    if (text.endsWith(' = 50')) throw full
  })
  for (let group = 0; group < 3; group++) log.restartWhenLarge(log.size())
  assert.equal(tries, 1)
  growBy(UNMOVED_PAGES_MAX / 64 + 10)
  log.restartWhenLarge(log.size())
  assert.equal(tries, 2)
})

test('a write that found no room: the log is moved into the file, and its room is given back', () => {
  log = logOn(() => ({ free: 0 }))
  growBy(300)
  writer.pragma('wal_checkpoint(PASSIVE)')
  writer.exec('UPDATE filler SET bytes = zeroblob(300 * 512)')
  const pages = log.size().bytes / PAGE_BYTES
  assert.deepEqual(log.makeRoom(), { outcome: 'restarted', bytes: pages * PAGE_BYTES })
  assert.equal(logBytes(), 0)
  assert.deepEqual(log.makeRoom(), { outcome: 'isEmpty', bytes: 0 })
  growBy(1)
  assert.equal(log.makeRoom()?.outcome, 'noRoom')
})

test('when a write found no room, the disk is looked at anew', () => {
  const space = ROOM()
  log = logOn(() => space)
  growBy(300)
  assert.equal(log.size().share, 1)
  space.free = 0
  assert.equal(log.makeRoom()?.outcome, 'noRoom')
  assert.ok(log.size().share < 1)
})

test('what an undone transaction has left behind the log is the room that the file lacks', () => {
  log = logOn(() => ({ free: 0 }))
  growBy(100)
  const pages = log.size().bytes / PAGE_BYTES
  const missing = log.makeRoom()
  assert.deepEqual([missing?.outcome, missing?.bytes], ['noRoom', pages * PAGE_BYTES])
  assert.ok((missing?.missingBytes ?? 0) >= 100 * PAGE_BYTES, `${missing?.missingBytes}`)
  assert.equal(logBytes(), bytesOf(pages))
  undo(400)
  assert.ok(logBytes() > bytesOf(400))
  assert.deepEqual(log.makeRoom(), { outcome: 'restarted', bytes: pages * PAGE_BYTES })
  assert.equal(logBytes(), 0)
  assert.equal(writer.pragma('integrity_check', { simple: true }), 'ok')
  assert.equal(writer.prepare('SELECT sum(length(bytes)) FROM filler').pluck().get(), 51_200)
})

test('where the file turns out to have no room, what is in the log stays, and nothing is behind it', (t) => {
  growBy(100)
  undo(400)
  const pages = log.size().bytes / PAGE_BYTES
  const full = Object.assign(new Error('database or disk is full'), { code: 'SQLITE_FULL' })
  const pragma = writer.pragma.bind(writer)
  const mocked = t.mock.method(writer, 'pragma', (text: string, options: object) => {
    if (text.endsWith(' = 50')) throw full
    return pragma(text, options)
  })
  const made = log.makeRoom()
  assert.deepEqual([made?.outcome, (made?.missingBytes ?? 0) > 0], ['noRoom', true])
  assert.equal(logBytes(), bytesOf(pages))
  mocked.mock.restore()
  const copy = new SqliteDatabase(writer.name)
  assert.equal(copy.prepare('SELECT sum(length(bytes)) FROM filler').pluck().get(), 51_200)
  copy.close()
})

test('no room is made while another process reads the log', () => {
  growBy(300)
  beginReading()
  growBy(1)
  const pages = log.size().bytes / PAGE_BYTES
  assert.deepEqual(log.makeRoom(), { outcome: 'isRead', bytes: pages * PAGE_BYTES })
  reader.exec('COMMIT')
  assert.equal(log.makeRoom()?.outcome, 'restarted')
})

test('after a COMMIT in doubt, its transaction open or not, nobody touches the log', () => {
  growBy(300)
  const bytes = logBytes()
  writer.exec('BEGIN IMMEDIATE')
  assert.deepEqual([log.size().bytes, log.makeRoom()], [0, null])
  writer.exec('ROLLBACK')
  transactions.hasGivenUp = true
  assert.deepEqual([log.size().bytes, log.makeRoom()], [0, null])
  transactions.hasGivenUp = false
  assert.equal(logBytes(), bytes)
  assert.ok(log.size().bytes > 300 * PAGE_BYTES)
})
