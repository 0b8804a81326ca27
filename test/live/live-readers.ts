// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { SeededRandomness } from '../seeded-randomness.ts'
import { ListReader } from './list-reader.ts'
import { DEFINITIONS, randomStatement, randomWrites } from './live-statements.ts'

const WRITERS = 4
const FIRST_COMMITS = 60
const TOLD_MS_MAX = 60_000
const LOOK_MS = 20
/** Of each reader, between two checks. */
const CHECKED_STATES_MAX = 25

type Reader = {
  readonly sql: string
  readonly list: ListReader
  socket: WebSocket | undefined
}

/**
 * Random live results over sockets of real servers, whose readers come back with what they have when a server is gone,
 * and writers. Each state that is looked at is the answer as of its timestamp, and the last one is the answer of now.
 */
export class LiveReaders {
  readonly #random: SeededRandomness
  readonly #readers: readonly Reader[]
  readonly #failures: unknown[] = []
  #writing: Promise<unknown> = Promise.resolve()
  #isWriting = false
  readonly totals = { commits: 0, patches: 0, states: 0, resumed: 0, reset: 0 }

  constructor(random: SeededRandomness, readers: number) {
    this.#random = random
    this.#readers = Array.from({ length: readers }, () => ({
      sql: randomStatement(random),
      list: new ListReader(),
      socket: undefined,
    }))
  }

  async define(url: string): Promise<void> {
    const writes = Array.from({ length: FIRST_COMMITS }, () => randomWrites(this.#random))
    for (const sql of [...DEFINITIONS, ...writes]) {
      // Another gateway may be building an index of the table.
      while ((await tried(url, sql)) !== 200) await delay(LOOK_MS)
    }
  }

  /** Who is not connected subscribes at one of these, with what it has. */
  connect(urls: readonly string[]): void {
    this.#readers.forEach((reader, at) => {
      if (reader.socket === undefined) this.#connect(reader, urls[at % urls.length] as string)
    })
  }

  /** Commits at all of these until `stop`, or until they are gone. */
  write(urls: readonly string[]): void {
    this.#isWriting = true
    const write = async (url: string) => {
      while (this.#isWriting) {
        const status = await tried(url, randomWrites(this.#random))
        if (status === undefined) return
        if (status === 200) this.totals.commits += 1
      }
    }
    const writers = Array.from({ length: WRITERS }, (_, at) => urls[at % urls.length] as string)
    this.#writing = Promise.all(writers.map(write))
  }

  /** Waits until each has a list. */
  async begun(): Promise<void> {
    while (this.#readers.some(({ list }) => list.text === undefined)) {
      assert.deepEqual(this.#failures, [])
      await delay(LOOK_MS)
    }
  }

  /** Waits for so many commits more. */
  async committed(count: number): Promise<void> {
    const { commits } = this.totals
    while (this.totals.commits < commits + count) {
      assert.deepEqual(this.#failures, [])
      await delay(1)
    }
  }

  async stop(): Promise<void> {
    this.#isWriting = false
    await this.#writing
  }

  /** To be called when nobody writes: waits until each has the answer of now, and looks at its states. */
  async check(url: string): Promise<void> {
    for (const { sql, list } of this.#readers) {
      const now = await query(url, sql)
      const until = performance.now() + TOLD_MS_MAX
      while (list.text !== now) {
        assert.deepEqual(this.#failures, [])
        assert.ok(performance.now() < until, `${sql} is ${list.text}, and now it is ${now}`)
        await delay(LOOK_MS)
      }
    }
    assert.deepEqual(this.#failures, [])
    for (const { sql, list } of this.#readers) {
      const states = list.takeStates()
      const every = Math.ceil(states.length / CHECKED_STATES_MAX)
      for (const { timestamp, text } of states.filter((_, at) => at % every === 0)) {
        assert.equal(text, await query(url, asOf(sql, timestamp)), `${sql} as of ${timestamp}`)
        this.totals.states += 1
      }
    }
  }

  /** What has been compared, in words. */
  get said(): string {
    const { commits, patches, states, resumed, reset } = this.totals
    return (
      `${commits} commits, ${patches} patches for ${this.#readers.length} live results, resumed ${resumed} times, ` +
      `restarted ${reset} times; ${states} states compared with AS OF, 0 wrong`
    )
  }

  close(): void {
    this.#isWriting = false
    for (const { socket } of this.#readers) socket?.terminate()
  }

  #connect(reader: Reader, url: string): void {
    const { sql, list } = reader
    const { bookmark } = list
    const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/socket`, 'percolite.v1')
    reader.socket = socket
    socket.on('open', () => {
      const frame = { type: 'subscribe', id: 's', sql, mode: 'result', ...bookmark }
      socket.send(JSON.stringify(frame))
    })
    socket.on('message', (data) => {
      const { id, ...frame } = JSON.parse(String(data))
      if (id === undefined || reader.socket !== socket) return
      if (frame.type === 'patch') this.totals.patches += 1
      if (frame.type === 'subscribed' && bookmark.since !== undefined) {
        this.totals[frame.reset === true ? 'reset' : 'resumed'] += 1
      }
      try {
        list.take([frame])
      } catch (error) {
        this.#failures.push(`${sql}: ${error}`)
      }
    })
    socket.on('close', () => {
      reader.socket = undefined
      list.cut()
    })
    // What follows an error is the close.
    socket.on('error', () => undefined)
  }
}

function asOf(sql: string, timestamp: number): string {
  return sql.replace(/ FROM \w+( AS \w+)?/, `$& AS OF ${timestamp}`)
}

/** The rows of the last statement, as a text. */
async function query(url: string, sql: string): Promise<string> {
  const answer = await fetch(`${url}/v1/query`, { method: 'POST', body: sql })
  const body = await answer.text()
  assert.equal(answer.status, 200, `${sql}: ${body}`)
  return JSON.stringify(JSON.parse(body).results.at(-1).rows)
}

/** The status; undefined where nobody answers any more. */
async function tried(url: string, sql: string): Promise<number | undefined> {
  try {
    const answer = await fetch(`${url}/v1/query`, { method: 'POST', body: sql })
    await answer.text()
    return answer.status
  } catch {
    return undefined
  }
}
