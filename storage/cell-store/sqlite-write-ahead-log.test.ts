// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, test } from 'node:test'
import SqliteDatabase, { type Database } from 'better-sqlite3'
import {
  LEFT_PAGES_MAX,
  LOG_PAGES_ENOUGH,
  LOG_PAGES_MAX,
  SqliteWriteAheadLog,
  UNMOVED_PAGES_MAX,
} from './sqlite-write-ahead-log.ts'

const PAGE_BYTES = 512
const LOCK_AWAITED_MS = 3_000

let folder: string
let writer: Database
let reader: Database
let log: SqliteWriteAheadLog
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'percolite-log-'))
  const path = join(folder, 'small-pages.db')
  writer = new SqliteDatabase(path, { timeout: LOCK_AWAITED_MS })
  for (const setting of [`page_size = ${PAGE_BYTES}`, 'journal_mode = WAL']) writer.pragma(setting)
  for (const setting of ['synchronous = OFF', 'wal_autocheckpoint = 0']) writer.pragma(setting)
  writer.exec('CREATE TABLE filler (bytes BLOB)')
  reader = new SqliteDatabase(path)
  log = new SqliteWriteAheadLog(writer)
})
afterEach(async () => {
  reader.close()
  writer.close()
  await rm(folder, { recursive: true })
})

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
  log.beginAnewWhenLarge(log.size())
  growBy(1)
  return log.size().pages
}

test('a large log is begun anew, and a small one is not', () => {
  growBy(LOG_PAGES_MAX / 2)
  assert.ok(pagesAfterAnother() > LOG_PAGES_MAX / 2)
  growBy(LOG_PAGES_MAX / 2)
  assert.ok(pagesAfterAnother() < 10)
})

test('a log that is long enough is begun anew as soon as little of it is left to be moved', () => {
  growBy(LOG_PAGES_ENOUGH)
  leaveUnmoved(LEFT_PAGES_MAX + 50)
  assert.ok(pagesAfterAnother() > LOG_PAGES_ENOUGH)
  leaveUnmoved(LEFT_PAGES_MAX - 50)
  assert.ok(pagesAfterAnother() < 10)
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

test('when the reader has left, the log is begun anew as soon as it has grown some more', () => {
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
