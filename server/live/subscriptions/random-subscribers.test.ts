// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { createParser } from '../../../parser/parser.ts'
import { openStorage, type Storage } from '../../../storage/storage.ts'
import { SeededRandomness } from '../../../test/seeded-randomness.ts'
import { executionDeps } from '../../../test/server/execution-deps.ts'
import { RecordingSink } from '../../../test/server/recording-sink.ts'
import type { Frame } from '../../../test/server/socket-client.ts'
import { startTestServer, type TestServer } from '../../../test/server/test-server.ts'
import { testFolder } from '../../../test/test-folder.ts'
import { AnswerWriter } from '../../requests/answers/answer-text.ts'
import { RunningRequest } from '../../requests/prepared/running-request.ts'
import { StatementExecution } from '../../requests/statements/statement-execution.ts'
import { type SubscriptionRequest, Subscriptions } from './subscriptions.ts'

type Item = { readonly id: number; readonly owner: string; readonly amount: number }
type Table = ReadonlyMap<number, Item>

/** The statements, and what each of them says of a row. */
const QUERIES: ReadonlyArray<{
  readonly request: SubscriptionRequest
  readonly matches: (item: Item) => boolean
}> = [
  { request: { sql: 'SCAN * FROM item USE PRIMARY KEY' }, matches: () => true },
  {
    request: { sql: 'SCAN * FROM item WHERE id >= $1 AND id < $2', params: [3, 9] },
    matches: ({ id }) => id >= 3 && id < 9,
  },
  {
    request: { sql: 'GET * FROM item WHERE id IN (1, 4, 5)' },
    matches: ({ id }) => id === 1 || id === 4 || id === 5,
  },
  {
    request: { sql: "SCAN * FROM item USE PRIMARY KEY WHERE owner = 'ann'" },
    matches: ({ owner }) => owner === 'ann',
  },
  {
    request: { sql: 'SCAN * FROM item USE PRIMARY KEY WHERE amount % 2 = 0' },
    matches: ({ amount }) => amount % 2 === 0,
  },
]

type Subscriber = {
  readonly query: (typeof QUERIES)[number]
  readonly sink: RecordingSink
  readonly running: RunningRequest
  readonly ended: Promise<unknown>
}

/** A store with one table, its whole history, and subscribers who read as it pleases them. */
class World {
  readonly #server: TestServer
  readonly #subscriptions: Subscriptions
  readonly #random: SeededRandomness
  readonly #history: Array<{ readonly commitTs: number; readonly table: Table }> = []
  readonly #subscribers: Subscriber[] = []
  #rowsBytes = 0

  constructor(server: TestServer, subscriptions: Subscriptions, random: SeededRandomness) {
    this.#server = server
    this.#subscriptions = subscriptions
    this.#random = random
  }

  /** Rows become so long that a commit of a few takes several frames. */
  makeRowsLong(): void {
    this.#rowsBytes = 400_000
  }

  async write(): Promise<void> {
    const random = this.#random
    const table = new Map(this.#history.at(-1)?.table)
    const statements: object[] = []
    for (const id of new Set(Array.from({ length: 1 + random.below(6) }, () => random.below(12)))) {
      if (table.has(id) && random.fraction() < 0.3) {
        table.delete(id)
        statements.push({ sql: `DELETE FROM item WHERE id = ${id}` })
        continue
      }
      const owner = (random.fraction() < 0.5 ? 'ann' : 'bob').padEnd(this.#rowsBytes)
      const item = { id, owner: owner.trim(), amount: random.below(10) }
      table.set(id, item)
      const sql = 'SET owner = $1, amount = $2, filling = $3 ON item WHERE id = $4'
      const params = [item.owner, item.amount, 'x'.repeat(this.#rowsBytes), id]
      statements.push({ sql, params })
    }
    const { body, text } = await this.#server.post('/v1/query', { statements })
    assert.ok(body.commitTimestamp, text)
    this.#history.push({ commitTs: body.commitTimestamp, table })
  }

  subscribe(): void {
    const random = this.#random
    const query = QUERIES[random.below(QUERIES.length)] as (typeof QUERIES)[number]
    const since = this.#history[random.below(this.#history.length)]?.commitTs as number
    const start = [{ snapshot: true }, { since }, {}][random.below(3)]
    const sink = new RecordingSink(random.below(8))
    const running = new RunningRequest()
    const ended = this.#subscriptions
      .serve({ ...query.request, ...start }, sink, running)
      .catch((error) => error)
    this.#subscribers.push({ query, sink, running, ended })
  }

  letSomebodyRead(): void {
    this.#subscribers[this.#random.below(this.#subscribers.length)]?.sink.makeRoom(
      1 + this.#random.below(6),
    )
  }

  /** Lets everybody read to the end, and compares what they got with the history. */
  async check(): Promise<void> {
    const last = this.#history.at(-1)?.commitTs as number
    for (const { sink } of this.#subscribers) sink.makeRoom(Number.POSITIVE_INFINITY)
    for (const { query, sink } of this.#subscribers) {
      await sink.until((frames) => frames.length > 0)
      const { timestamp } = sink.frames[0]
      const expected = this.#expectedFrom(timestamp, query.matches)
      await sink.until((frames) => commitsOf(frames).length >= expected.length)
      assert.deepEqual(commitsOf(sink.frames), expected)
      this.#checkSnapshot(sink.frames, query.matches)
      checkProgress(sink.frames, last)
    }
    const reason = new Error('The test is over.')
    for (const { running } of this.#subscribers) running.abort(reason)
    for (const { ended } of this.#subscribers) assert.equal(await ended, reason)
  }

  #expectedFrom(position: number, matches: (item: Item) => boolean) {
    const expected: object[] = []
    let before: Table = new Map()
    for (const { commitTs, table } of this.#history) {
      const ids = [...new Set([...before.keys(), ...table.keys()])].sort((a, b) => a - b)
      const changes = ids.flatMap((id) => changeOf(before.get(id), table.get(id), matches))
      before = table
      if (commitTs > position && changes.length > 0) expected.push({ commitTs, changes })
    }
    return expected
  }

  #checkSnapshot(frames: readonly Frame[], matches: (item: Item) => boolean): void {
    const end = frames.findIndex(({ type }) => type === 'snapshotEnd')
    if (end < 0) return
    const { timestamp } = frames[0]
    assert.equal(frames[end].timestamp, timestamp)
    const table = this.#history.findLast(({ commitTs }) => commitTs <= timestamp)?.table
    const rows = frames.slice(1, end).flatMap((frame) => frame.rows)
    const expected = [...(table?.values() ?? [])].filter(matches)
    assert.deepEqual(
      rows.map(({ key, row }) => [key, row.id, row.owner, row.amount]),
      expected
        .sort((a, b) => a.id - b.id)
        .map(({ id, owner, amount }) => [[id], id, owner, amount]),
    )
  }
}

/** An item that is the same object before and after was not written. */
function changeOf(
  before: Item | undefined,
  after: Item | undefined,
  matches: (item: Item) => boolean,
) {
  if (before === after) return []
  const matched = before !== undefined && matches(before)
  const isMatch = after !== undefined && matches(after)
  if (matched && !isMatch) return [{ op: after ? 'leave' : 'delete', id: before.id }]
  if (!isMatch) return []
  const op = matched ? 'update' : before === undefined ? 'insert' : 'enter'
  return [{ op, id: after.id, owner: after.owner, amount: after.amount }]
}

/** The commits of the frames, each put together; fails where one is not whole or not consecutive. */
function commitsOf(frames: readonly Frame[]) {
  const commits: Array<{ commitTs: number; changes: object[] }> = []
  let open: { commitTs: number; changes: object[] } | undefined
  for (const { type, commitTimestamp, changes, last } of frames) {
    if (type !== 'change') {
      assert.equal(open, undefined, `${type} inside a commit`)
      continue
    }
    open ??= { commitTs: commitTimestamp, changes: [] }
    assert.equal(commitTimestamp, open.commitTs, 'frames of one commit follow each other')
    for (const { op, key, row } of changes) {
      const values = row === undefined ? {} : { owner: row.owner, amount: row.amount }
      open.changes.push({ op, id: key[0], ...values })
    }
    if (!last) continue
    commits.push(open)
    open = undefined
  }
  return commits
}

function checkProgress(frames: readonly Frame[], last: number): void {
  let known = 0
  for (const { type, timestamp, commitTimestamp } of frames) {
    const at = timestamp ?? commitTimestamp ?? known
    assert.ok(type === 'change' ? at >= known : at >= known, `${type} ${at} behind ${known}`)
    known = at
  }
  assert.ok(known <= last + 60_000_000)
}

async function openWorld(t: TestContext, storage: Storage, seed: number): Promise<World> {
  const server = await startTestServer(t, { deps: { storage } })
  await server.query(
    'CREATE TABLE item (id INTEGER PRIMARY KEY, owner TEXT, amount INTEGER, filling TEXT)',
  )
  const deps = executionDeps(storage)
  const execution = new StatementExecution(deps)
  const log = pino({ level: 'silent' })
  const subscriptions = new Subscriptions(
    { ...deps, log, writer: new AnswerWriter(), execution },
    createParser(),
  )
  t.after(() => subscriptions.close())
  return new World(server, subscriptions, new SeededRandomness(seed))
}

/** On disk a commit has one phase and is told at once; in memory it has two, and is looked for. */
async function openEngine(t: TestContext, engine: 'sqlite' | 'memory'): Promise<Storage> {
  if (engine === 'memory') return openStorage({ engine })
  const dataDirectory = await testFolder(t, 'subscribers')
  return openStorage({ engine, dataDirectory })
}

for (const engine of ['sqlite', 'memory'] as const) {
  for (const seed of [1, 2, 3]) {
    for (const rows of ['short', 'long'] as const) {
      test(`who reads as it pleases misses nothing: ${engine}, ${rows} rows, seed ${seed}`, async (t) => {
        const world = await openWorld(t, await openEngine(t, engine), seed)
        const random = new SeededRandomness(seed)
        if (rows === 'long') world.makeRowsLong()
        await world.write()
        for (let step = 0; step < (rows === 'long' ? 25 : 120); step += 1) {
          const dice = random.fraction()
          if (dice < 0.4) await world.write()
          else if (dice < 0.6) world.subscribe()
          else world.letSomebodyRead()
          if (random.fraction() < 0.5) await setImmediate()
        }
        await world.check()
      })
    }
  }
}
