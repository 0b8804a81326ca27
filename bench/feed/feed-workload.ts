// SPDX-License-Identifier: Apache-2.0
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { setTimeout as delay } from 'node:timers/promises'
import { latencyOf, recordMs } from '../harness/sample.ts'
import { HttpClient, Retries } from '../load/http-client.ts'
import type { LoadOptions, Workload } from '../load/workload.ts'
import { mebibytesOf } from '../servers/process-figures.ts'
import { RawSocket } from './raw-socket.ts'
import { SUBSCRIBE_TICKS, TICKS, tickName, tickOfFrame, WRITE_TICK } from './ticks.ts'

export type FeedSettings = {
  readonly origin: string
  /** Of the server, whose memory is looked at. */
  readonly pid: number
  readonly subscribers: number
  /** Of each row that is told. */
  readonly bodyCharacters: number
  /** One more subscriber, who reads nothing while the work goes on, and everything afterwards. */
  readonly hasSlowReader?: boolean
}

/** A commit on its way: who has not got its frame yet. */
type Tick = { readonly intendedMs: number; missing: number; readonly listener: () => void }

const OPENED_AT_ONCE = 32
const CATCH_UP_MS_MAX = 60_000
const LOOK_MS = 5

/** Writers, and subscribers to all that they write; an operation ends when everybody has got its frame. */
class FeedWorkload implements Workload {
  readonly #settings: FeedSettings
  readonly #client: HttpClient
  readonly #retries = new Retries()
  readonly #body: string
  readonly #sockets: RawSocket[] = []
  readonly #underWay = new Map<number, Tick>()
  #slow: SlowReader | undefined
  #written = 0
  #frames: RecordableHistogram = createHistogram()

  private constructor(settings: FeedSettings, clients: number) {
    this.#settings = settings
    this.#client = new HttpClient(settings.origin, clients)
    this.#body = 'b'.repeat(settings.bodyCharacters)
  }

  static async open(settings: FeedSettings, { clients }: LoadOptions): Promise<FeedWorkload> {
    const workload = new FeedWorkload(settings, clients)
    const { origin, subscribers, hasSlowReader = false } = settings
    for (let count = 0; count < subscribers; count += OPENED_AT_ONCE) {
      const some = { length: Math.min(OPENED_AT_ONCE, subscribers - count) }
      const opened = Array.from(some, () => subscribeTo(origin, workload.#told))
      workload.#sockets.push(...(await Promise.all(opened)))
    }
    if (hasSlowReader) workload.#slow = await SlowReader.open(origin)
    return workload
  }

  async operate(client: number, _sequence: number, intendedMs: number): Promise<void> {
    this.#slow?.stopReading()
    this.#written += 1
    const number = this.#written
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#underWay.set(number, { intendedMs, missing: this.#sockets.length, listener: resolve })
    if (this.#sockets.length === 0) resolve()
    const params = [this.#body, tickName(number), client % TICKS]
    const body = JSON.stringify({ sql: WRITE_TICK, params })
    await this.#retries.run(() => this.#client.ask('/v1/query', body))
    const gone = this.#sockets.find(({ isClosed }) => isClosed)
    if (gone !== undefined) throw new Error('The server has closed a socket.')
    await promise
    this.#underWay.delete(number)
  }

  /** Memory first, for what comes then may cost some. */
  async takeFigures(): Promise<Record<string, number>> {
    const residentMiB = mebibytesOf(this.#settings.pid, 'VmRSS')
    const { count, p50, p99, p999 } = latencyOf(this.#frames)
    this.#frames = createHistogram()
    return {
      ...(count > 0 && { frameP50Ms: p50, frameP99Ms: p99, frameP999Ms: p999 }),
      residentMiB,
      retries: this.#retries.take(),
      ...(await this.#slow?.catchUp(this.#written)),
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.close()
    this.#slow?.close()
    this.#client.close()
  }

  readonly #told = (buffer: Buffer, start: number, end: number): void => {
    const number = tickOfFrame(buffer, start, end)
    const tick = number === undefined ? undefined : this.#underWay.get(number)
    if (tick === undefined) return
    recordMs(this.#frames, performance.now() - tick.intendedMs)
    tick.missing -= 1
    if (tick.missing === 0) tick.listener()
  }
}

/** Who reads nothing for a while: what it gets in the end has to be everything, once and in order. */
class SlowReader {
  #socket: RawSocket | undefined
  readonly #got = new Set<number>()
  #wrong = 0
  #newestTs = 0
  #isReading = true

  static async open(origin: string): Promise<SlowReader> {
    const reader = new SlowReader()
    reader.#socket = await subscribeTo(origin, reader.#took)
    return reader
  }

  stopReading(): void {
    if (!this.#isReading) return
    this.#isReading = false
    this.#socket?.pause()
  }

  /** Reads all that waits: the ticks up to a number, of which it may have many already. */
  async catchUp(written: number): Promise<Record<string, number>> {
    const before = this.#got.size
    const startedMs = performance.now()
    this.#isReading = true
    this.#socket?.resume()
    while (this.#got.size < written && performance.now() - startedMs < CATCH_UP_MS_MAX) {
      if (this.#socket?.isClosed === true) break
      await delay(LOOK_MS)
    }
    return {
      framesBehind: written - before,
      catchUpMs: performance.now() - startedMs,
      wrongFrames: this.#wrong + (written - this.#got.size),
    }
  }

  close(): void {
    this.#socket?.close()
  }

  readonly #took = (buffer: Buffer, start: number, end: number): void => {
    const number = tickOfFrame(buffer, start, end)
    if (number === undefined) return
    const { commitTimestamp } = JSON.parse(buffer.toString('utf8', start, end))
    if (commitTimestamp <= this.#newestTs || this.#got.has(number)) this.#wrong += 1
    this.#newestTs = commitTimestamp
    this.#got.add(number)
  }
}

/** Resolves when the subscription stands. */
async function subscribeTo(
  origin: string,
  frame: (buffer: Buffer, start: number, end: number) => void,
): Promise<RawSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let stands = false
  const socket = await RawSocket.open(origin, (buffer, start, end) => {
    if (stands) return frame(buffer, start, end)
    const { type, detail } = JSON.parse(buffer.toString('utf8', start, end))
    if (type === 'welcome') return
    stands = true
    if (type === 'subscribed') resolve()
    else reject(new Error(`${type}: ${detail}`))
  })
  socket.send({ type: 'subscribe', id: 's', sql: SUBSCRIBE_TICKS })
  await promise
  return socket
}

export function openWorkload(settings: FeedSettings, options: LoadOptions): Promise<Workload> {
  return FeedWorkload.open(settings, options)
}
