// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { defineObserver } from '../../server/live/observers/define-observer.ts'
import { until } from './query-client.ts'
import { folderWithNotes, followed, opened, serverOf } from './waiting-primary.ts'

// Commits that are durable in the primary and wait for a second copy that does not come.

const REQUIRED = { 'second-copy': 'required' } as const
const SOON = { 'statement-timeout': '500ms' } as const

async function waitingPrimary(t: TestContext, flags: Partial<typeof SOON> = {}) {
  const server = await serverOf({ data: await folderWithNotes(t), ...REQUIRED, ...flags })
  t.after(() => server.close())
  const { url } = await server.listen()
  return { server, ...(await followed(t, url)) }
}

async function turns(count: number): Promise<void> {
  for (let left = count; left > 0; left -= 1) await new Promise(setImmediate)
}

test('a transaction whose commit waits is not rolled back: its DELETE ends in time, and says what it knows', async (t) => {
  const { at, follower } = await waitingPrimary(t, SOON)
  const { path, commit } = await opened(
    { at, follower },
    "INSERT INTO note (id, text) VALUES (2, 'waits')",
  )
  follower.stay()
  const committed = commit()
  for (const ending of [
    () => at.send(path, undefined, 'DELETE'),
    () => at.send(`${path}/query`, { sql: 'ROLLBACK' }),
    () => at.send(`${path}/commit`, undefined, 'POST'),
  ]) {
    const { status, body } = await ending()
    assert.deepEqual([status, body.code], [503, 'commit_outcome_unknown'])
  }
  assert.equal((await committed).body.code, 'commit_outcome_unknown')
  assert.equal((await at.send(path)).body.status, 'active')
  await until(async () => {
    await follower.takeAll()
    return (await at.send(path)).body.status === 'committed'
  }, 'its second copy')
  const { status, body } = await at.send(path, undefined, 'DELETE')
  assert.deepEqual([status, body.code, body.outcome], [409, 'transaction_closed', 'committed'])
})

test('a statement that needs numbers whose commit waits ends in time', async (t) => {
  const { at, follower } = await waitingPrimary(t, SOON)
  follower.stay()
  const { status, body } = await at.query("INSERT INTO numbered (text) VALUES ('waits')")
  assert.deepEqual([status, body.code], [504, 'statement_timeout'])
  const again = await follower.takingAll(at.query("INSERT INTO numbered (text) VALUES ('copied')"))
  assert.equal(again.status, 200, JSON.stringify(again.body))
})

test('a primary that stops answers the commits of which a standby says in time that it has them', async (t) => {
  const { server, at, follower } = await waitingPrimary(t)
  const { commit } = await opened(
    { at, follower },
    "INSERT INTO note (id, text) VALUES (2, 'both')",
  )
  follower.stay()
  const committed = commit()
  await until(async () => {
    const { running } = (await at.send('/v1/running')).body
    return running.some(({ state }: { state: string }) => state === 'committing')
  }, 'the commit to wait')
  const closed = server.close()
  // No connection is ended while it follows.
  const { status, body } = await follower.takingAll(committed)
  assert.equal(status, 200, JSON.stringify(body))
  await closed
})

test('the observers of a primary run when a standby has what it was started with', async (t) => {
  const data = await folderWithNotes(t)
  const copiedAtRun: number[] = []
  const counting = defineObserver({
    observer: 'counting',
    run: async () => {
      copiedAtRun.push(server.storage.primary?.secondCopy.copied ?? 0)
    },
  })
  const server = await serverOf({ data, ...REQUIRED }, { observers: [counting] })
  t.after(() => server.close())
  const started = server.storage.primary?.position?.number ?? 0
  assert.ok(started > 0)
  await turns(200)
  const { follower } = await followed(t, (await server.listen()).url)
  await follower.takingAll(until(() => copiedAtRun.length > 0, 'the run'))
  assert.ok(
    copiedAtRun.every((copied) => copied >= started),
    `${copiedAtRun} of ${started}`,
  )
})
