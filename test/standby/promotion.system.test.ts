// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import test, { type TestContext } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { checkDataDirectory } from '../../storage/operations/operations.ts'
import { exitCode, run } from '../cli/run-command.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'
import { QueryClient, until } from './query-client.ts'

const SEED = Number(process.env.STANDBY_SEED ?? Date.now() % 1_000_000)
const WRITERS = 8
const OBSERVERS = fileURLToPath(new URL('counting-observer.ts', import.meta.url))
const FLAGS = ['--observers', OBSERVERS]

type Acknowledged = { readonly id: number; readonly key: string; readonly timestamp: number }

/** A primary and its standby, each a process of its own. */
class Processes {
  readonly folder: string
  readonly tokenFile: string
  readonly adminFile: string
  readonly standbyFolder: string
  adminToken = ''
  primary: ServerProcess
  standby: ServerProcess | undefined

  private constructor(folder: string, primary: ServerProcess) {
    this.folder = folder
    this.tokenFile = join(folder, 'token')
    this.adminFile = join(folder, 'admin')
    this.standbyFolder = join(folder, 'standby')
    this.primary = primary
  }

  static async start(t: TestContext): Promise<Processes> {
    const folder = await testFolder(t, 'promotion')
    const primary = await ServerProcess.start(join(folder, 'primary'), FLAGS)
    const pair = new Processes(folder, primary)
    t.after(async () => {
      await pair.standby?.killNine()
      await pair.primary.killNine()
    })
    const open = new QueryClient(primary.url, '')
    const sql = 'CREATE TOKEN root ROLE admin EXPIRES IN 90 DAYS'
    const { body } = await open.query(sql, { authorization: '' })
    pair.adminToken = body.results[0].rows[0].token
    writeFileSync(pair.adminFile, pair.adminToken, { mode: 0o600 })
    const { at } = pair
    await at.rows('CREATE ROLE standby; GRANT FOLLOW TO standby')
    const [made] = await at.rows('CREATE TOKEN standby ROLE standby EXPIRES IN 9 DAYS')
    writeFileSync(pair.tokenFile, made.token, { mode: 0o600 })
    await at.rows(
      'CREATE TABLE note (id INTEGER GENERATED ALWAYS AS IDENTITY PRIMARY KEY, text TEXT)',
    )
    await at.rows('CREATE TABLE seen (note INTEGER PRIMARY KEY, runs INTEGER)')
    await at.rows('CREATE OBSERVER counting ON note (text)')
    return pair
  }

  get at(): QueryClient {
    return new QueryClient(this.primary.url, this.adminToken)
  }

  get atStandby(): QueryClient {
    return new QueryClient(this.standby?.url ?? '', this.adminToken)
  }

  async startStandby(): Promise<void> {
    const follow = ['--follow', this.primary.url, '--token-file', this.tokenFile]
    this.standby = await ServerProcess.start(this.standbyFolder, [...FLAGS, ...follow])
  }
}

/** Inserts until the server is gone, and returns what was acknowledged. */
async function write(at: QueryClient, writer: number): Promise<Acknowledged[]> {
  const done: Acknowledged[] = []
  for (let n = 0; ; n += 1) {
    const key = `${writer}-${n}`
    const sql = `INSERT INTO note (text) VALUES ('${key}') RETURNING id`
    const answer = await at.query(sql, { 'idempotency-key': key }).catch(() => undefined)
    if (answer === undefined) return done
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    const { results, commitTimestamp: timestamp } = answer.body
    done.push({ id: results[0].rows[0].id, key, timestamp })
  }
}

async function visibleAt(client: QueryClient): Promise<number> {
  return (await client.send('/v1/replication')).body.standby.visible
}

test(`kill -9 of a primary under ${WRITERS} writers, and of its standby before; the promoted standby has what it said (STANDBY_SEED=${SEED})`, async (t) => {
  const random = new SeededRandomness(SEED)
  const pair = await Processes.start(t)
  await pair.startStandby()
  const writing = Array.from({ length: WRITERS }, (_, writer) => write(pair.at, writer))
  await delay(300 + random.below(700))
  await pair.standby?.killNine()
  await delay(random.below(300))
  await pair.startStandby()
  const before = await visibleAt(pair.atStandby)
  await until(async () => (await visibleAt(pair.atStandby)) > before, 'the standby to go on')
  await delay(300 + random.below(700))
  await pair.primary.killNine()
  const acknowledged = (await Promise.all(writing)).flat()
  const visible = await visibleAt(pair.atStandby)
  const kept = acknowledged.filter(({ timestamp }) => timestamp <= visible)
  t.diagnostic(`${acknowledged.length} acknowledged, ${kept.length} of them at the standby`)
  assert.ok(kept.length > 0)

  const url = pair.standby?.url ?? ''
  const promoted = run(t, 'promote', '--url', url, '--token-file', pair.adminFile)
  assert.equal(await exitCode(promoted), 0, promoted.errors())
  assert.match(promoted.output(), /^promoted: http:\S+ takes writes/)

  const at = pair.atStandby
  const rows = await at.allRows('SCAN id, text FROM note')
  const textOf = new Map(rows.map(({ id, text }) => [id, text]))
  for (const { id, key } of kept) assert.equal(textOf.get(id), key)

  // An acknowledged request that is sent again is answered as it was, and not carried out again.
  for (const { id, key } of kept.slice(-20)) {
    const sql = `INSERT INTO note (text) VALUES ('${key}') RETURNING id`
    const { body } = await at.query(sql, { 'idempotency-key': key })
    assert.equal(body.results[0].rows[0].id, id)
  }
  assert.equal((await at.allRows('SCAN id FROM note')).length, rows.length)

  const known = new Set(rows.map(({ id }) => id))
  for (let n = 0; n < 20; n += 1) {
    const [{ id }] = await at.rows(`INSERT INTO note (text) VALUES ('new ${n}') RETURNING id`)
    assert.ok(!known.has(id), `the number ${id} twice`)
    known.add(id)
  }
  const seen = async () => (await at.allRows('SCAN note FROM seen')).length
  await until(async () => (await seen()) === known.size, 'all runs')
  assert.deepEqual(await at.rows('SCAN note, runs FROM seen USE PRIMARY KEY WHERE runs <> 1'), [])

  assert.equal(await pair.standby?.stop(), 0)
  const { problems } = await checkDataDirectory(pair.standbyFolder)
  assert.deepEqual(problems, [])
})

test('the folder of a stopped standby is refused as a primary, and promoted where it lies', async (t) => {
  const pair = await Processes.start(t)
  await pair.at.rows("INSERT INTO note (text) VALUES ('one')")
  await pair.startStandby()
  assert.equal(await pair.standby?.stop(), 0)
  const refused = run(t, 'serve', '--data', pair.standbyFolder, '--port', '0')
  assert.equal(await exitCode(refused), 3)
  assert.match(refused.errors(), /is a standby of http\S+ and takes no writes/)
  const renewed = run(t, 'history', 'renew', '--data', pair.standbyFolder)
  assert.equal(await exitCode(renewed), 3)
  const promoted = run(t, 'promote', '--data', pair.standbyFolder)
  assert.equal(await exitCode(promoted), 0, promoted.errors())
  const server = await ServerProcess.start(pair.standbyFolder)
  t.after(() => server.killNine())
  const at = new QueryClient(server.url, pair.adminToken)
  assert.equal((await at.rows('SCAN text FROM note')).length, 1)
  await at.rows("INSERT INTO note (text) VALUES ('two')")
})
