// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdir, rename, rm, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import SqliteDatabase from 'better-sqlite3'
import { testFolder } from '../../../../test/test-folder.ts'
import { silentLog } from '../../../storage-log.ts'
import { encodedBytesMax } from '../groups/group-encoding.ts'
import type { StepsBatch } from '../groups/write-batch.ts'
import { PAGE_BYTES } from '../schema.ts'
import { LOG_BOUNDS } from '../wal/write-ahead-log.ts'
import { SqliteThreads } from './threads.ts'

const [LOG_PAGES_MAX, LOG_PAGES_ENOUGH, UNMOVED_PAGES_MAX] = [
  LOG_BOUNDS.max / PAGE_BYTES,
  LOG_BOUNDS.enough / PAGE_BYTES,
  LOG_BOUNDS.unmoved / PAGE_BYTES,
]

/** One row that fills about so many pages. */
function batchOf(row: string, pages: number): StepsBatch {
  const value = new Uint8Array(pages * PAGE_BYTES)
  const cell = { kind: 'setCell', family: 'data', qualifier: '0', timestamp: 1, value } as const
  const step = { row: Buffer.from(row), when: [], ifMatched: [], otherwise: [cell] }
  return { kind: 'steps', steps: [step] }
}

async function commitTo(threads: SqliteThreads, row: string, pages: number): Promise<void> {
  const batch = batchOf(row, pages)
  const { results } = await threads.commitGroup([batch], encodedBytesMax(batch))
  const [result] = results
  assert.ok(result !== undefined && (result === null || !('kind' in result)))
}

test('a log that is long enough is caught up with, and restarted before it has its full length', async (t) => {
  const path = join(await testFolder(t, 'threads'), 'store.db')
  const deps = { onFailure: assert.ifError, log: silentLog }
  const threads = await SqliteThreads.start(path, deps)
  t.after(() => threads.closeWriter({ emptiesLog: false }))
  t.after(() => threads.closeCheckpointer())
  const watcher = new SqliteDatabase(path)
  t.after(() => watcher.close())
  const pagesOfLog = () => {
    const [{ log }] = watcher.pragma('wal_checkpoint(NOOP)') as [{ readonly log: number }]
    return log
  }

  let longest = 0
  for (let written = 0; ; written += 1) {
    // At first quickly, then page by page, as the checkpointer needs some time to catch up.
    await commitTo(threads, `row ${written}`, longest < LOG_PAGES_ENOUGH ? 500 : 1)
    const pages = pagesOfLog()
    if (pages < longest) break
    longest = pages
    assert.ok(longest < LOG_PAGES_MAX, `${longest} pages`)
  }
  assert.ok(longest >= LOG_PAGES_ENOUGH, `${longest} pages`)
})

test('a log that Litestream replicates is not moved by the server', async (t) => {
  const folder = await testFolder(t, 'threads')
  const path = join(folder, 'store.db')
  const deps = { onFailure: assert.ifError, log: silentLog }
  const threads = await SqliteThreads.start(path, deps)
  t.after(() => threads.closeWriter({ emptiesLog: false }))
  t.after(() => threads.closeCheckpointer())
  const watcher = new SqliteDatabase(path)
  t.after(() => watcher.close())
  const moved = () => {
    const [{ checkpointed }] = watcher.pragma('wal_checkpoint(NOOP)') as [{ checkpointed: number }]
    return checkpointed
  }
  await mkdir(join(folder, '.store.db-litestream'))
  for (let written = 0; written < 30; written += 1) await commitTo(threads, `row ${written}`, 500)
  assert.equal(moved(), 0)
  // It is given up.
  await rm(join(folder, '.store.db-litestream'), { recursive: true })
  for (let written = 30; moved() === 0; written += 1) {
    assert.ok(written < 60, 'nothing is moved')
    await commitTo(threads, `row ${written}`, 500)
  }
})

test('a checkpointer that cannot be started fails nothing, and is tried again when the log has grown', async (t) => {
  const folder = await testFolder(t, 'threads')
  const [path, elsewhere] = [join(folder, 'store.db'), join(folder, 'elsewhere.db')]
  const failures: unknown[] = []
  const warned = t.mock.method(silentLog, 'warn', () => warning.resolve()).mock
  let warning = Promise.withResolvers<void>()
  const threads = await SqliteThreads.start(path, {
    onFailure: (cause) => failures.push(cause),
    log: silentLog,
  })
  t.after(() => threads.closeWriter({ emptiesLog: false }))
  t.after(() => threads.closeCheckpointer())
  const commit = (row: string, pages: number) => commitTo(threads, row, pages)

  // No other connection finds the file in its place, while the writer goes on with what it has open.
  await rename(path, elsewhere)
  await mkdir(path)
  await commit('a', UNMOVED_PAGES_MAX)
  await warning.promise
  await commit('b', 1)
  assert.equal(warned.callCount(), 1)
  warning = Promise.withResolvers<void>()
  await commit('c', UNMOVED_PAGES_MAX)
  await warning.promise
  assert.equal(warned.callCount(), 2)

  await rmdir(path)
  await rename(elsewhere, path)
  await commit('d', UNMOVED_PAGES_MAX)
  await threads.closeCheckpointer()
  assert.ok((await stat(path)).size > UNMOVED_PAGES_MAX * PAGE_BYTES)
  assert.equal(warned.callCount(), 2)
  assert.deepEqual(failures, [])
})
