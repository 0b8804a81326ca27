// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { setImmediate } from 'node:timers/promises'
import { pino } from 'pino'
import { createParser } from '../../parser/parser.ts'
import { Subscriptions } from '../../server/live/subscriptions/subscriptions.ts'
import { AnswerWriter } from '../../server/requests/answers/answer-text.ts'
import { RunningRequest } from '../../server/requests/prepared/running-request.ts'
import { StatementExecution } from '../../server/requests/statements/statement-execution.ts'
import { inSnapshot } from '../../server/snapshot.ts'
import { type Clock, type Storage, systemClock } from '../../storage/storage.ts'
import type { SeededRandomness } from '../seeded-randomness.ts'
import { executionDeps } from '../server/execution-deps.ts'
import { RecordingSink } from '../server/recording-sink.ts'
import { SqlSession } from '../sql-session.ts'
import { ListReader } from './list-reader.ts'
import { DEFINITIONS, randomStatement, randomWrites } from './live-statements.ts'

/** A clock that goes so fast that evaluations hardly wait for each other, and progress is told often. */
const FASTER = 50
const CLOCK: Clock = {
  ...systemClock,
  monotonicMs: () => systemClock.monotonicMs() * FASTER,
  sleep: (ms, signal) => systemClock.sleep(ms / FASTER, signal),
}

const TOLD_MS_MAX = 10_000

type Subscriber = {
  readonly sql: string
  readonly sink: RecordingSink
  readonly running: RunningRequest
  readonly ended: Promise<unknown>
  readonly reader: ListReader
}

/**
 * A store that changes at random, and subscribers of live results who read as it pleases them. Each state that they
 * were told is the answer of their statement AS OF its timestamp, and the last one is the answer of now.
 */
export class LiveWorld {
  /** How many lists were told, and how often that one is right as of another timestamp. */
  states = 0
  progress = 0
  readonly #session: SqlSession
  readonly #storage: Storage
  readonly #execution: StatementExecution
  readonly #writer = new AnswerWriter()
  readonly #parser = createParser()
  readonly #subscriptions: Subscriptions
  readonly #random: SeededRandomness
  #subscribers: Subscriber[] = []
  readonly #answers = new Map<string, Promise<string>>()
  #definitions = 0

  private constructor(storage: Storage, random: SeededRandomness) {
    this.#storage = storage
    this.#random = random
    this.#session = SqlSession.over(storage)
    const deps = { ...executionDeps(storage), clock: CLOCK }
    this.#execution = new StatementExecution(deps)
    const log = pino({ level: 'silent' })
    const parts = { ...deps, log, writer: this.#writer, execution: this.#execution }
    this.#subscriptions = new Subscriptions(parts, this.#parser)
  }

  static async open(storage: Storage, random: SeededRandomness): Promise<LiveWorld> {
    const world = new LiveWorld(storage, random)
    for (const definition of DEFINITIONS) await world.#session.run(definition)
    for (let commit = 0; commit < 60; commit += 1) await world.#session.run(randomWrites(random))
    return world
  }

  async step(): Promise<void> {
    const random = this.#random
    const dice = random.fraction()
    if (dice < 0.55) await this.#session.run(randomWrites(random))
    else if (dice < 0.65) this.#subscribe(this.#someStatement())
    else if (dice < 0.75) this.#cutOff()
    else if (dice < 0.8) await this.#leave()
    else if (dice < 0.81) await this.#redefine()
    else for (const { sink } of this.#subscribers) sink.makeRoom(random.below(3))
    if (random.fraction() < 0.6) await setImmediate()
    if (random.below(100) === 0) await this.check()
  }

  /** Waits until everybody has been told everything, and looks at all states. */
  async check(): Promise<void> {
    for (const { sink } of this.#subscribers) sink.makeRoom(1_000_000)
    for (const subscriber of this.#subscribers) await this.#untilTold(subscriber)
    for (const subscriber of this.#subscribers) await this.#checkStates(subscriber)
    this.#answers.clear()
  }

  async close(): Promise<void> {
    for (const { running } of this.#subscribers) running.abort(new Error('The test is over.'))
    await Promise.all(this.#subscribers.map(({ ended }) => ended))
    await this.#subscriptions.close()
    await this.#storage.close()
  }

  /** Often one that others are subscribed to, who have come further or not so far. */
  #someStatement(): string {
    const others = this.#subscribers
    const random = this.#random
    const other = random.below(2) === 0 ? others[random.below(others.length)] : undefined
    return other?.sql ?? randomStatement(random)
  }

  #subscribe(sql: string, reader = new ListReader()): void {
    if (this.#subscribers.length >= 24) return
    const sink = new RecordingSink(this.#random.below(2) === 0 ? 1_000_000 : this.#random.below(8))
    const running = new RunningRequest({})
    const request = { sql, mode: 'result', ...reader.bookmark } as const
    reader.cut()
    const ended = this.#subscriptions
      .serve(request, sink, running)
      .catch((error) => error)
      .finally(() => running.end())
    this.#subscribers.push({ sql, sink, running, ended, reader })
  }

  /** A connection that breaks; its client comes back with what it has, at once or later. */
  #cutOff(): void {
    const at = this.#random.below(Math.max(1, this.#subscribers.length))
    const [subscriber] = this.#subscribers.splice(at, 1)
    if (subscriber === undefined) return
    const { running, sink, reader, sql } = subscriber
    running.abort(new Error('The connection is gone.'))
    reader.take(sink.frames.splice(0))
    this.#subscribe(sql, reader)
  }

  async #leave(): Promise<void> {
    if (this.#subscribers.length < 12) return
    const [subscriber] = this.#subscribers.splice(this.#random.below(this.#subscribers.length), 1)
    if (subscriber === undefined) return
    subscriber.running.abort(new Error('It leaves.'))
    await this.#checkStates(subscriber)
  }

  /** Definitions that no statement ends by. */
  async #redefine(): Promise<void> {
    const number = this.#definitions
    this.#definitions += 1
    const run = (sql: string) => this.#session.run(sql)
    switch (number % 5) {
      case 0:
        await run(`ALTER TABLE item ADD COLUMN c${number} INTEGER DEFAULT ${number}`)
        await run(`SET c${number} = 0 ON item WHERE room = 0`).catch(() => undefined)
        break
      case 1:
        await run(`CREATE INDEX more${number} ON item (room, title)`)
        break
      case 2:
        await run(`DROP INDEX more${number - 1}`)
        break
      case 3:
        await run('DROP INDEX byPrice')
        await run('CREATE INDEX byPrice ON item (price)')
        break
      default:
        await run('DROP TABLE customer')
        await run(DEFINITIONS[0])
        await run(`INSERT INTO customer (id, name, city) VALUES (1, 'name 1', 'city 1')`)
    }
  }

  async #untilTold(subscriber: Subscriber): Promise<void> {
    const { sql, sink, reader, ended } = subscriber
    const isOver = ended.then((error) => error)
    const until = performance.now() + TOLD_MS_MAX
    for (;;) {
      reader.take(sink.frames.splice(0))
      const now = await this.#answerNow(sql)
      if (reader.text === now) return
      const error = await Promise.race([isOver, setImmediate()])
      // What is dropped and made again is not there for a moment.
      if (error !== undefined) {
        const { code, message } = error as { code?: string; message: string }
        assert.match(
          `${code} ${message}`,
          /^unknown_(table|index)|unbounded_scan|still being built/,
          sql,
        )
        this.#subscribers = this.#subscribers.filter((one) => one !== subscriber)
        return
      }
      assert.ok(performance.now() < until, `${sql} is ${reader.text}, and now it is ${now}`)
    }
  }

  async #checkStates({ sql, sink, reader }: Subscriber): Promise<void> {
    reader.take(sink.frames.splice(0))
    for (const { timestamp, text, isProgress } of reader.takeStates()) {
      const key = `${timestamp} ${sql}`
      const answer = this.#answers.get(key) ?? this.#answerAsOf(sql, timestamp)
      this.#answers.set(key, answer)
      assert.equal(text, await answer, `${sql} as of ${timestamp}`)
      if (isProgress) this.progress += 1
      else this.states += 1
    }
  }

  /** What is wrong with the statement is no answer. */
  #answerNow(sql: string): Promise<string> {
    return this.#answerAsOf(sql, undefined).catch((error) => String(error))
  }

  #answerAsOf(sql: string, asOf: number | undefined): Promise<string> {
    return inSnapshot(this.#storage, asOf, async ({ transaction, catalog }) => {
      const [statement] = this.#parser.parseScript(sql)
      assert.ok(statement?.kind === 'scan' || statement?.kind === 'get')
      const running = new RunningRequest({})
      const [result] = await this.#execution.run([{ statement, parameters: [], index: 0 }], {
        request: {},
        transaction,
        catalog,
        paging: { page: { rows: 10_000, bytes: 10_000_000 }, check: () => undefined },
        answer: {
          bytes: { used: 0, max: 1e9 },
          holdBesides: () => undefined,
          add: () => undefined,
        },
        running,
      } as never)
      running.end()
      assert.ok(result !== undefined)
      const rows = result.rows.map((row) => this.#writer.row(result.columns, row, 'number'))
      return JSON.stringify(JSON.parse(`[${rows}]`))
    })
  }
}
