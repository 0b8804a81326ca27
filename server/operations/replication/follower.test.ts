// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { pino } from 'pino'
import {
  openStandby,
  openStorage,
  type Storage,
  systemClock,
  systemRandomness,
} from '../../../storage/storage.ts'
import { until } from '../../../test/standby/query-client.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { FollowedPrimary } from './followed-primary.ts'
import { Follower } from './follower.ts'
import { StandbyState } from './standby-state.ts'

type Answering = (request: IncomingMessage, response: ServerResponse) => void

/** A store that follows a server of which the test says what it answers. */
class Scene {
  readonly storage: Storage
  readonly state: StandbyState
  readonly follower: Follower
  /** What it asked for. */
  readonly asked: number[] = []
  readonly ending = new AbortController()
  readonly reasons: string[] = []
  readonly running: Promise<unknown>

  constructor(storage: Storage, url: string) {
    this.storage = storage
    this.state = new StandbyState(url, systemClock)
    if (storage.standby !== undefined) this.state.opened(storage.standby)
    const write = (line: string) => this.reasons.push(JSON.parse(line).reason ?? '')
    const parts = { storage, state: this.state, log: pino({ level: 'warn' }, { write }) }
    const primary = new FollowedPrimary({ url, token: () => 'secret', address: () => undefined })
    const outside = { clock: systemClock, randomness: systemRandomness }
    this.follower = new Follower({ ...parts, ...outside, primary })
    this.running = this.follower.run(this.ending.signal).catch((reason) => reason)
  }
}

async function follow(t: TestContext, answer: Answering): Promise<Scene> {
  const folder = await testFolder(t, 'follower')
  const primary = await openStorage({ engine: 'sqlite', dataDirectory: join(folder, 'primary') })
  const standbyFolder = join(folder, 'standby')
  const first = await openStorage({ engine: 'sqlite', dataDirectory: standbyFolder })
  await first.close()
  await primary.primary?.copyInto(join(folder, 'copy'), new AbortController().signal)
  await primary.close()
  const { renameSync } = await import('node:fs')
  renameSync(join(folder, 'copy'), join(standbyFolder, 'cells.db'))
  const storage = await openStandby({ dataDirectory: standbyFolder, primary: 'http://one' })
  const http = createServer(answer).listen(0, '127.0.0.1')
  await once(http, 'listening')
  const { port } = http.address() as AddressInfo
  const scene = new Scene(storage, `http://127.0.0.1:${port}`)
  t.after(async () => {
    scene.ending.abort(new Error('the test is over'))
    await scene.running
    http.closeAllConnections()
    http.close()
    await storage.close()
  })
  return scene
}

function frameOf(scene: Scene, more: object = {}): string {
  const { position } = scene.storage.standby ?? {}
  const { name: history } = scene.storage.history
  const visible = scene.storage.standby?.visible
  const head = {
    ...position,
    visible,
    newest: visible,
    format: 1,
    safePoint: 0,
    last: position?.number,
    history,
  }
  return `${JSON.stringify({ ...head, bytes: 0, ...more })}\n`
}

test('a primary that takes a request and says nothing is left after some seconds', async (t) => {
  let requests = 0
  const scene = await follow(t, (_request, response) => {
    requests += 1
    // The first one is answered, all others are left half-open.
    if (requests === 1) response.end(frameOf(scene))
  })
  await until(() => scene.state.connected, 'the connection')
  await until(() => !scene.state.connected, 'the end of it')
  assert.deepEqual(scene.reasons, ['it does not answer in time'])
  await until(() => requests > 2, 'another request')
})

test('an answer that is cut off, or damaged, changes nothing, and damage that stays asks for a copy', async (t) => {
  const answers = ['', '{}', '{"bytes":7}\nabc', '<html>']
  let requests = 0
  const scene = await follow(t, (_request, response) => {
    const answer = answers[requests]
    requests += 1
    if (answer !== undefined) response.end(answer)
    else response.end(`${frameOf(scene, { bytes: 9 })}not a one`)
  })
  const before = scene.storage.standby?.position
  assert.equal(await scene.running, 'copy')
  assert.deepEqual(scene.storage.standby?.position, before)
  assert.equal(scene.state.connected, false)
})

test('what a primary refuses is said once in its words, and tried again', async (t) => {
  let requests = 0
  const problem = { code: 'not_permitted', detail: 'The role lacks FOLLOW.' }
  const scene = await follow(t, (request, response) => {
    assert.equal(request.headers.authorization, 'Bearer secret')
    requests += 1
    response.statusCode = 403
    if (requests < 4) response.end(JSON.stringify(problem))
    else response.writeHead(200).end(frameOf(scene))
  })
  await until(() => scene.state.connected, 'the connection')
  assert.deepEqual(scene.reasons, ['The role lacks FOLLOW.'])
})

test('a position that is lost asks for a copy, but never of another store', async (t) => {
  let history = `${'0'.repeat(32)}.1`
  const scene = await follow(t, (_request, response) => {
    response.writeHead(410, { 'percolite-history': history })
    response.end(JSON.stringify({ code: 'replication_position_lost', detail: 'gone' }))
  })
  await until(() => scene.reasons.includes('gone'), 'the refusal')
  history = scene.storage.history.name
  assert.equal(await scene.running, 'copy')
})
