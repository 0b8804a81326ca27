// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { TestContext } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import {
  type DefinedObserver,
  defineObserver,
  type ObserverEvent,
  type ObserverTransaction,
} from '../../server/live/observers/define-observer.ts'
import { openSocket, type SocketClient } from './socket-client.ts'
import { type AnswerBody, startTestServer, type TestServer } from './test-server.ts'

type Options = NonNullable<Parameters<typeof startTestServer>[1]>

/** A server with the tables `page`, which is observed, and `word_count`, which runs write. */
export class ObservedServer {
  readonly server: TestServer
  #port: number | undefined

  private constructor(server: TestServer) {
    this.server = server
  }

  static async start(
    t: Pick<TestContext, 'after'>,
    options: Options = {},
  ): Promise<ObservedServer> {
    const observed = new ObservedServer(await startTestServer(t, options))
    await observed.run('CREATE TABLE page (id INTEGER PRIMARY KEY, text TEXT, visits INTEGER)')
    await observed.run(
      'CREATE TABLE word_count (id INTEGER PRIMARY KEY, words INTEGER, runs INTEGER)',
    )
    return observed
  }

  /** The rows that one statement answers. */
  run(sql: string, params?: readonly unknown[]): Promise<AnswerBody[]> {
    return this.server.rows(sql, params === undefined ? {} : { params })
  }

  write(id: number, text: string): Promise<AnswerBody[]> {
    return this.run('SET text = $1 ON page WHERE id = $2', [text, id])
  }

  /** What `GET /v1/observers` says of one of them. */
  async status(observer: string): Promise<AnswerBody> {
    const { status, body, text } = await this.server.get('/v1/observers')
    assert.equal(status, 200, text)
    return body.observers.find((one: AnswerBody) => one.observer === observer)
  }

  /** Waits until the status is such a one. */
  async until(observer: string, isWanted: (status: AnswerBody) => boolean): Promise<AnswerBody> {
    for (;;) {
      const status = await this.status(observer)
      if (isWanted(status)) return status
      await setImmediate()
    }
  }

  /** Waits until nothing is pending, nobody is at work, and all rows of before have been told. */
  drained(observer: string): Promise<AnswerBody> {
    return this.until(
      observer,
      ({ pending, running, backfilling }) => pending === 0 && running === 0 && !backfilling,
    )
  }

  /** Creates an observer and waits until it has been told of the rows that are there. */
  async createObserver(name: string, kind: '' | 'WEAK' = ''): Promise<void> {
    await this.run(`CREATE ${kind} OBSERVER ${name} ON page (text)`)
    await this.until(name, ({ backfilling }) => !backfilling)
  }

  /** Another client of the socket. */
  async connect(t: TestContext): Promise<SocketClient> {
    this.#port ??= (await this.server.listen()).port
    return await openSocket(t, this.#port)
  }
}

/** An observer whose runs a test can wait for. */
export class Runs {
  readonly events: ObserverEvent[] = []
  readonly defined: DefinedObserver
  #begun = Promise.withResolvers<void>()

  constructor(
    observer: string,
    work: (tx: ObserverTransaction, event: ObserverEvent) => Promise<unknown> = async () => {},
    workers = 1,
  ) {
    this.defined = defineObserver({
      observer,
      workers,
      run: async (tx, event) => {
        this.events.push(event)
        this.#begun.resolve()
        this.#begun = Promise.withResolvers()
        await work(tx, event)
      },
    })
  }

  /** Waits until so many have begun. */
  async begun(count: number): Promise<void> {
    while (this.events.length < count) await this.#begun.promise
  }
}
