// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { mkdir, rename, rmdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { testFolder } from '../../test/test-folder.ts'
import { silentLog } from '../storage-log.ts'
import { encodedBytesMax } from './sqlite-group-encoding.ts'
import { SqliteThreads } from './sqlite-threads.ts'
import { UNMOVED_PAGES_MAX } from './sqlite-write-ahead-log.ts'
import type { StepsBatch } from './sqlite-write-batch.ts'

const PAGE_BYTES = 4096

/** One row that fills about so many pages. */
function batchOf(row: string, pages: number): StepsBatch {
  const value = new Uint8Array(pages * PAGE_BYTES)
  const cell = { kind: 'setCell', family: 'data', qualifier: '0', timestamp: 1, value } as const
  const step = { row: Buffer.from(row), when: [], ifMatched: [], otherwise: [cell] }
  return { kind: 'steps', steps: [step] }
}

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
  const commit = async (row: string, pages: number) => {
    const batch = batchOf(row, pages)
    const { results } = await threads.commitGroup([batch], encodedBytesMax(batch))
    const [result] = results
    assert.ok(result !== undefined && (result === null || !('kind' in result)))
  }

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
