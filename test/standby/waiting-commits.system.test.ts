// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test from 'node:test'
import { fileURLToPath } from 'node:url'
import { checkDataDirectory } from '../../storage/operations/operations.ts'
import { ServerProcess } from '../server/server-process.ts'
import { type QueryClient, until } from './query-client.ts'
import { folderWithNotes, followed, opened, serverOf } from './waiting-primary.ts'

const OBSERVERS = fileURLToPath(new URL('counting-observer.ts', import.meta.url))
const SHUTDOWN_MS = 1_000
/** Beyond that time a stopping server may need so long for its own end, on a busy machine. */
const END_MS = 15_000

async function untilCommitting(at: QueryClient, count: number): Promise<void> {
  await until(async () => {
    const { running } = (await at.send('/v1/running')).body
    return running.filter(({ state }: { state: string }) => state === 'committing').length === count
  }, `${count} commits to wait`)
}

test('SIGTERM of a primary whose commits wait ends it in time, and their clients hear that nobody knows', async (t) => {
  const folder = await folderWithNotes(t)
  const server = await ServerProcess.start(folder, [
    ...['--second-copy', 'required', '--observers', OBSERVERS],
    ...['--shutdown-timeout', `${SHUTDOWN_MS}ms`, '--drain', '0s'],
  ])
  t.after(() => server.killNine())
  const primary = await followed(t, server.url)
  const { at, follower } = primary
  const { path, commit } = await opened(primary, "INSERT INTO note (id, text) VALUES (2, 'waits')")
  // Its run commits as well, and waits.
  await follower.takingAll(at.rows("INSERT INTO note (id, text) VALUES (3, 'seen')"))
  follower.stay()
  const answers = [commit(), at.query("INSERT INTO note (id, text) VALUES (4, 'waits too')")]
  await untilCommitting(at, 2)
  const beganMs = performance.now()
  const ended = server.stop()
  for (const answer of answers) {
    const { status, body } = await answer
    assert.deepEqual([status, body.code], [503, 'commit_outcome_unknown'])
  }
  const late = setTimeout(() => server.signal('SIGKILL'), SHUTDOWN_MS + END_MS)
  assert.equal(await ended, 0, `it has not ended after ${performance.now() - beganMs} ms`)
  clearTimeout(late)

  const again = await serverOf({ data: folder })
  t.after(() => again.close())
  const { body } = await again.http.inject(`${path}`).then((found) => ({ body: found.json() }))
  const scan = { sql: 'SCAN text FROM note USE PRIMARY KEY' }
  const found = await again.http.inject({ method: 'POST', url: '/v1/query', payload: scan })
  const texts = found.json().results[0].rows.map(({ text }: { text: string }) => text)
  assert.equal(body.status, texts.includes('waits') ? 'committed' : 'rolledBack')
  assert.ok(texts.includes('seen'))
  await again.close()
  assert.deepEqual((await checkDataDirectory(folder)).problems, [])
})
