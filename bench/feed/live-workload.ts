// SPDX-License-Identifier: Apache-2.0
import { createHistogram, type RecordableHistogram } from 'node:perf_hooks'
import { latencyOf, recordMs } from '../harness/sample.ts'
import { HttpClient, Retries } from '../load/http-client.ts'
import type { LoadOptions, Workload } from '../load/workload.ts'
import { mebibytesOf } from '../servers/process-figures.ts'
import { RawSocket } from './raw-socket.ts'
import { tickName } from './ticks.ts'

export const ROOM_ROWS = 50
export const CREATE_MESSAGES =
  'CREATE TABLE message (room INTEGER, id INTEGER, n TEXT, PRIMARY KEY (room, id))'
const WRITE_MESSAGE = 'SET n = $1 ON message WHERE room = $2 AND id = $3'
const NEWEST_MESSAGES = 'SCAN id, n FROM message WHERE room = $1 ORDER BY id DESC LIMIT 50'

export type LiveSettings = {
  readonly origin: string
  readonly pid: number
  /** Rooms, each with its window. */
  readonly rooms: number
  /** Of each room. */
  readonly subscribers: number
  /** Subscriptions on each socket. */
  readonly perSocket: number
}

/** A commit on its way: who has not got its patch yet. */
type Tick = {
  readonly number: number
  readonly intendedMs: number
  missing: number
  readonly listener: () => void
}

/** Subscriptions: beyond some hundreds that have not begun a client is refused. */
const OPENED_AT_ONCE = 100
const PATCH = Buffer.from('{"type":"patch","id":"')
const NUMBER = '"n":"'
const DIGITS = 10

/** Writers into windows, and subscribers to these; an operation ends when everybody has it in the window. */
class LiveWorkload implements Workload {
  readonly #settings: LiveSettings
  readonly #client: HttpClient
  readonly #retries = new Retries()
  readonly #sockets: RawSocket[] = []
  /** By room and row, as numbers of ticks repeat them. */
  readonly #underWay = new Map<number, Tick[]>()
  #written = 0
  #counted = { written: 0, evaluations: 0 }
  #patches: RecordableHistogram = createHistogram()

  private constructor(settings: LiveSettings, clients: number) {
    this.#settings = settings
    this.#client = new HttpClient(settings.origin, clients)
  }

  static async open(settings: LiveSettings, { clients }: LoadOptions): Promise<LiveWorkload> {
    const workload = new LiveWorkload(settings, clients)
    const { origin, rooms, subscribers, perSocket } = settings
    const all = Array.from({ length: rooms * subscribers }, (_, at) => at % rooms)
    const ofSockets = Array.from({ length: Math.ceil(all.length / perSocket) }, (_, at) =>
      all.slice(at * perSocket, (at + 1) * perSocket),
    )
    const atOnce = Math.ceil(OPENED_AT_ONCE / perSocket)
    for (let at = 0; at < ofSockets.length; at += atOnce) {
      const some = ofSockets.slice(at, at + atOnce)
      const opened = some.map((ofOne) => subscribeTo(origin, ofOne, () => workload.#reader()))
      workload.#sockets.push(...(await Promise.all(opened)))
    }
    workload.#counted.evaluations = await workload.#evaluations()
    return workload
  }

  async operate(_client: number, _sequence: number, intendedMs: number): Promise<void> {
    const { rooms, subscribers } = this.#settings
    this.#written += 1
    const number = this.#written
    const place = placeOf(number, rooms)
    const { promise, resolve } = Promise.withResolvers<void>()
    const ticks = this.#underWay.get(place) ?? []
    ticks.push({ number, intendedMs, missing: subscribers, listener: resolve })
    this.#underWay.set(place, ticks)
    const params = [tickName(number), place % rooms, Math.floor(place / rooms)]
    const body = JSON.stringify({ sql: WRITE_MESSAGE, params })
    await this.#retries.run(() => this.#client.ask('/v1/query', body))
    const gone = this.#sockets.find(({ isClosed }) => isClosed)
    if (gone !== undefined) throw new Error('The server has closed a socket.')
    if (subscribers > 0) await promise
  }

  async takeFigures(): Promise<Record<string, number>> {
    const residentMiB = mebibytesOf(this.#settings.pid, 'VmRSS')
    const { count, p50, p99 } = latencyOf(this.#patches)
    this.#patches = createHistogram()
    const counted = { written: this.#written, evaluations: await this.#evaluations() }
    const before = this.#counted
    this.#counted = counted
    const commits = counted.written - before.written
    return {
      ...(count > 0 && { frameP50Ms: p50, frameP99Ms: p99 }),
      evaluationsPerCommit: (counted.evaluations - before.evaluations) / commits,
      residentMiB,
      retries: this.#retries.take(),
    }
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.close()
    this.#client.close()
  }

  /** Of all windows. Those who ask for one share its evaluations. */
  async #evaluations(): Promise<number> {
    const limit = Math.min(this.#settings.rooms, 1_000)
    const answer = await this.#client.ask(`/v1/subscriptions?limit=${limit}`)
    const { subscriptions } = JSON.parse(answer) as {
      subscriptions: ReadonlyArray<{ result: { evaluations: number } }>
    }
    return subscriptions.reduce((sum, { result }) => sum + result.evaluations, 0)
  }

  /** What a socket does with its patches: a number also tells of those that it has replaced in its row. */
  #reader(): (number: number) => void {
    const { rooms } = this.#settings
    const newest = new Map<number, number>()
    return (number) => {
      const place = placeOf(number, rooms)
      const before = newest.get(place) ?? 0
      if (number <= before) return
      newest.set(place, number)
      const ticks = this.#underWay.get(place) ?? []
      for (const tick of ticks) {
        if (tick.number <= before || tick.number > number) continue
        recordMs(this.#patches, performance.now() - tick.intendedMs)
        tick.missing -= 1
        if (tick.missing === 0) tick.listener()
      }
      this.#underWay.set(
        place,
        ticks.filter(({ missing }) => missing > 0),
      )
    }
  }
}

/** The room and the row in it. */
function placeOf(number: number, rooms: number): number {
  return number % (rooms * ROOM_ROWS)
}

/** Resolves when all of the subscriptions have their first state. */
export async function subscribeTo(
  origin: string,
  rooms: readonly number[],
  reader: () => (number: number) => void,
): Promise<RawSocket> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const readers = rooms.map(reader)
  let missing = rooms.length
  const socket = await RawSocket.open(origin, (buffer, start, end) => {
    if (buffer.compare(PATCH, 0, PATCH.length, start, start + PATCH.length) === 0) {
      return readPatch(buffer, start, end, readers)
    }
    const { type, detail } = JSON.parse(buffer.toString('utf8', start, end))
    if (type === 'error') reject(new Error(detail))
    if (type === 'snapshotEnd') missing -= 1
    if (missing === 0) resolve()
  })
  rooms.forEach((room, id) => {
    const asked = { sql: NEWEST_MESSAGES, params: [room], mode: 'result' }
    socket.send({ type: 'subscribe', id: `${id}`, ...asked })
  })
  await promise
  return socket
}

function readPatch(
  buffer: Buffer,
  start: number,
  end: number,
  readers: ReadonlyArray<(number: number) => void>,
): void {
  const text = buffer.toString('latin1', start + PATCH.length, end)
  const read = readers[Number(text.slice(0, text.indexOf('"')))]
  for (let at = text.indexOf(NUMBER); at >= 0; at = text.indexOf(NUMBER, at + 1)) {
    read?.(Number(text.slice(at + NUMBER.length, at + NUMBER.length + DIGITS)))
  }
}

export function openWorkload(settings: LiveSettings, options: LoadOptions): Promise<Workload> {
  return LiveWorkload.open(settings, options)
}
