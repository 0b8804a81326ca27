// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { describe, type TestContext, test } from 'node:test'
import { EXIT } from '../../cli/command.ts'
import { startBreakingProxy } from '../client-sdk/breaking-proxy.ts'
import { BATCH_ROWS, importedFile } from '../kill/imported-file.ts'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'

const ROWS = 3 * BATCH_ROWS
/** One batch at a time: the first one is the one whose answer is lost. */
const FLAGS = ['--parallel', '1', '--retry', '1s']

async function scene(t: TestContext) {
  const folder = await testFolder(t, 'lost-answer')
  const data = join(folder, 'data')
  const server = await ServerProcess.start(data)
  t.after(() => server.killNine())
  const file = await importedFile(t, folder, ROWS)
  await file.createTable(server.url)
  const proxy = await startBreakingProxy(t, server.url)
  const restarted = async () => {
    await server.killNine()
    const again = await ServerProcess.start(data)
    t.after(() => again.killNine())
    return again
  }
  return { server, file, proxy, restarted }
}

describe('an import whose answer is lost', { timeout: 120_000 }, () => {
  test('ends with 4 where the server is gone after it, and the same command finds out later', async (t) => {
    const { server, file, proxy, restarted } = await scene(t)
    const lost = proxy.loseAnswers('POST ')
    const { ended } = file.import(proxy.url, ...FLAGS)
    await lost
    await server.killNine()
    proxy.breakAll()
    const { code, output, errors } = await ended
    assert.equal(code, EXIT.unknownOutcome, errors)
    const { written: known, failed } = JSON.parse(output)
    assert.deepEqual([known, failed.line], [0, 1], 'nothing is known to be there')
    assert.match(errors, /commit_outcome_unknown: Rows may have been written, or not/)
    assert.match(errors, /The same command goes on with it/)
    const { url } = await restarted()
    const again = await file.import(url, ...FLAGS).ended
    assert.equal(again.code, EXIT.done, again.errors)
    const { written, replayed } = JSON.parse(again.output)
    assert.deepEqual([written, replayed], [ROWS - BATCH_ROWS, BATCH_ROWS])
    await file.requireExported(url)
  })

  test('goes on where the server comes back in time', async (t) => {
    const { file, proxy, restarted } = await scene(t)
    const lost = proxy.loseAnswers('POST ')
    const { ended } = file.import(proxy.url, '--parallel', '1')
    await lost
    const { url } = await restarted()
    proxy.loseNone()
    proxy.turnTo(url)
    const { code, output, errors } = await ended
    assert.equal(code, EXIT.done, errors)
    const { written, replayed } = JSON.parse(output)
    assert.deepEqual([written, replayed], [ROWS - BATCH_ROWS, BATCH_ROWS])
    await file.requireExported(url)
  })

  test('is another thing than a server that was never reached, which is 3', async (t) => {
    const { server, file, proxy } = await scene(t)
    await server.killNine()
    proxy.breakAll()
    const { code, errors } = await file.import(server.url, ...FLAGS).ended
    assert.equal(code, EXIT.unreachable, errors)
  })
})
