// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events'
import { setTimeout as delay } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { ListReader } from '../live/list-reader.ts'
import type { Frame } from '../server/socket-client.ts'

/** Another client than those that look on. */
const ADDRESS = '127.0.0.4'
const STORM_ADDRESS = '127.0.0.6'
const COSTLY_ROWS = 100_000
const ROWS_PER_REQUEST = 5_000
const COSTLY_RESULTS = 100
const COSTLY_MS = 8_000
const COMMITS = 1_000
const LOOPERS = 50
const LOOP_MS = 4_000
const STORM_CLIENTS = 200
const TOLD_MS_MAX = 30_000
/** Of a small live result beside them. */
const SMALL_P99_MS_MAX = 500

const WINDOW = 'SCAN id, n FROM live_watched USE PRIMARY KEY ORDER BY id LIMIT 100'

type LiveFlood = {
  readonly name: string
  /** What is wrong, or undefined. */
  readonly run: (url: string) => Promise<string | undefined>
}

export function liveFloods(): LiveFlood[] {
  return [
    { name: 'a reader that reads nothing', run: readNothing },
    { name: 'fifty who subscribe and leave', run: comeAndGo },
    { name: 'a hundred sorts of 100,000 rows', run: costlyBesideCheap },
    { name: 'two hundred who resume at once', run: resumeAtOnce },
  ]
}

export async function prepareLive(url: string): Promise<void> {
  await ask(url, 'CREATE TABLE live_watched (id INTEGER PRIMARY KEY, n INTEGER, t TEXT)')
  await ask(url, 'CREATE TABLE live_sorted (id INTEGER PRIMARY KEY, n INTEGER)')
  const ids = (from: number, count: number) => Array.from({ length: count }, (_, at) => from + at)
  const watched = ids(0, 100).map((id) => `(${id}, 0, '${'x'.repeat(200)}')`)
  await ask(url, `INSERT INTO live_watched (id, n, t) VALUES ${watched.join()}`)
  for (let from = 0; from < COSTLY_ROWS; from += ROWS_PER_REQUEST) {
    const rows = ids(from, ROWS_PER_REQUEST).map((id) => `(${id}, ${(id * 7_919) % COSTLY_ROWS})`)
    await ask(url, `INSERT INTO live_sorted (id, n) VALUES ${rows.join()}`)
  }
}

/** A window that changes a thousand times: who reads on afterwards gets few states, and the last one. */
async function readNothing(url: string): Promise<string | undefined> {
  const client = new LiveClient(url, WINDOW.replace('n FROM', 'n, t FROM'))
  await client.begun()
  client.socket.pause()
  const t = 'y'.repeat(200)
  for (let commit = 1; commit <= COMMITS; commit += 1) {
    const sql = `SET n = ${commit}, t = '${t}${commit}' ON live_watched WHERE id >= 0 AND id < 100`
    await ask(url, commit % 10 === 0 ? sql : `SET n = ${commit} ON live_watched WHERE id = 7`)
  }
  const before = client.patches
  client.socket.resume()
  const fault = await client.untilIs(url)
  client.close()
  const states = client.patches - before
  return fault ?? (states > COMMITS / 2 ? `${states} states were kept for it` : undefined)
}

/** Subscribes and leaves without a pause, fifty times over. */
async function comeAndGo(url: string): Promise<string | undefined> {
  const endMs = performance.now() + LOOP_MS
  const client = async (_: unknown, at: number) => {
    const sql = `SCAN id, n FROM live_watched USE PRIMARY KEY ORDER BY id LIMIT ${1 + (at % 10)}`
    while (performance.now() < endMs) {
      const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/socket`, 'percolite.v1')
      socket.on('error', () => undefined)
      await once(socket, 'open')
      for (let time = 0; time < 50 && socket.readyState === WebSocket.OPEN; time += 1) {
        socket.send(JSON.stringify({ type: 'subscribe', id: 's', sql, mode: 'result' }))
        socket.send(JSON.stringify({ type: 'unsubscribe', id: 's' }))
        if (time % 10 === 0) await delay(1)
      }
      socket.terminate()
    }
  }
  await Promise.all(Array.from({ length: LOOPERS }, client))
  return undefined
}

/** Another client's small result is told in time. */
async function costlyBesideCheap(url: string): Promise<string | undefined> {
  const costly = Array.from({ length: COSTLY_RESULTS }, (_, at) => {
    return new LiveClient(
      url,
      `SCAN id, n FROM live_sorted USE PRIMARY KEY ORDER BY n LIMIT ${10 + at}`,
    )
  })
  const cheap = new LiveClient(url, 'GET n FROM live_watched WHERE id = 3', [], '127.0.0.5')
  await cheap.begun()
  const waits: number[] = []
  const until = performance.now() + COSTLY_MS
  for (let n = 1; performance.now() < until; n += 1) {
    const began = performance.now()
    await ask(
      url,
      `SET n = ${10_000 + n} ON live_watched WHERE id = 3; SET n = ${n} ON live_sorted WHERE id = ${n}`,
    )
    const fault = await cheap.until(JSON.stringify([{ n: 10_000 + n }]))
    if (fault !== undefined) return fault
    waits.push(performance.now() - began)
    await delay(20)
  }
  for (const one of [...costly, cheap]) one.close()
  waits.sort((a, b) => a - b)
  const p99 = waits[Math.floor(waits.length * 0.99)] ?? 0
  return p99 > SMALL_P99_MS_MAX
    ? `of ${waits.length} commits a small result was told p99 after ${Math.round(p99)} ms`
    : undefined
}

/** They have an old state, which is evaluated AS OF its time for each. */
async function resumeAtOnce(url: string): Promise<string | undefined> {
  const first = new LiveClient(url, WINDOW)
  await first.begun()
  first.close()
  await ask(url, 'SET n = n + 1 ON live_watched WHERE id >= 0 AND id < 100')
  const all = Array.from(
    { length: STORM_CLIENTS },
    () => new LiveClient(url, WINDOW, first.frames, STORM_ADDRESS),
  )
  const faults = await Promise.all(all.map((one) => one.untilIs(url)))
  for (const one of all) one.close()
  const reset = all.filter(({ isReset }) => isReset).length
  return reset > 0 ? `${reset} were not resumed` : faults.find((fault) => fault !== undefined)
}

/** A socket with one live result, which may go on with the frames of an earlier one. */
class LiveClient {
  readonly socket: WebSocket
  readonly frames: Frame[]
  readonly #list = new ListReader()
  readonly #sql: string
  #fault: string | undefined

  constructor(url: string, sql: string, frames: readonly Frame[] = [], localAddress = ADDRESS) {
    this.#sql = sql
    this.frames = [...frames]
    this.#list.take(frames)
    const address = `${url.replace('http', 'ws')}/v1/socket`
    this.socket = new WebSocket(address, 'percolite.v1', { localAddress })
    this.socket.on('open', () => this.subscribe())
    this.socket.on('message', (data) => this.#take(JSON.parse(String(data))))
    // What follows an error is the close.
    this.socket.on('error', () => undefined)
    this.socket.on('close', () => (this.#fault ??= 'its socket was closed'))
  }

  get isReset(): boolean {
    return this.frames.some(({ reset }) => reset === true)
  }

  get patches(): number {
    return this.frames.filter(({ type, last }) => type === 'patch' && last).length
  }

  subscribe(): void {
    const asked = { sql: this.#sql, mode: 'result', ...this.#list.bookmark }
    this.send({ type: 'subscribe', id: 's', ...asked })
  }

  send(frame: object): void {
    this.socket.send(JSON.stringify(frame))
  }

  /** Resolves when it has a list; to what is wrong, or undefined. */
  begun(): Promise<string | undefined> {
    return this.#when(() => this.#list.text !== undefined)
  }

  /** The same, when it has this one. */
  until(text: string): Promise<string | undefined> {
    return this.#when(() => this.#list.text === text)
  }

  /** The same, when it has the answer of now. */
  async untilIs(url: string): Promise<string | undefined> {
    return await this.until(await ask(url, this.#sql))
  }

  close(): void {
    this.socket.terminate()
  }

  async #when(isSo: () => boolean): Promise<string | undefined> {
    const endMs = performance.now() + TOLD_MS_MAX
    while (this.#fault === undefined && !isSo()) {
      if (performance.now() > endMs) return `${this.#sql} was not told`
      await delay(1)
    }
    return this.#fault
  }

  #take({ id, ...frame }: Frame): void {
    if (id === undefined) return
    try {
      this.frames.push(frame)
      this.#list.take([frame])
    } catch (error) {
      this.#fault ??= String(error)
    }
  }
}

/** The rows of the last statement, as a text. */
async function ask(url: string, sql: string): Promise<string> {
  const answer = await fetch(`${url}/v1/query`, { method: 'POST', body: sql })
  const text = await answer.text()
  if (!answer.ok) throw new Error(`${sql.slice(0, 200)}: ${text}`)
  return JSON.stringify(JSON.parse(text).results.at(-1).rows)
}
