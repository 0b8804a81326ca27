// SPDX-License-Identifier: Apache-2.0
import type { TestContext } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { MemoryCellStore } from '../../storage/cells/memory/memory-cell-store.ts'
import { openGateway, type Storage } from '../../storage/storage.ts'
import { ShiftedClock } from './shifted-clock.ts'
import { type AnswerBody, startTestServer, type TestServer } from './test-server.ts'

export const HOUR_MS = 3_600_000

/** Servers over one store with the table `job`, whose observer is `report`; a test sets their clocks. */
export class ScheduledServers {
  readonly clock = new ShiftedClock()
  readonly servers: TestServer[] = []
  readonly #t: Pick<TestContext, 'after'>
  readonly #cellStore = new MemoryCellStore()
  readonly #storages: Storage[] = []

  private constructor(t: Pick<TestContext, 'after'>) {
    this.#t = t
  }

  static async start(t: Pick<TestContext, 'after'>, count: number): Promise<ScheduledServers> {
    const scheduled = new ScheduledServers(t)
    for (let server = 0; server < count; server += 1) await scheduled.add()
    await scheduled.run(
      'CREATE TABLE job (schedule TEXT, at TIMESTAMP, note TEXT, PRIMARY KEY (schedule, at))',
    )
    await scheduled.run('CREATE OBSERVER report ON job (note)')
    return scheduled
  }

  async add(): Promise<TestServer> {
    const storage = await openGateway(this.#cellStore)
    const deps = { storage, clock: this.clock }
    const server = await startTestServer(this.#t, { deps })
    this.#storages.push(storage)
    this.servers.push(server)
    return server
  }

  /** As when a process dies: what it had begun stays as it is. */
  async kill(server: number): Promise<void> {
    await this.#storages[server]?.close()
    this.servers.splice(server, 1)
    this.#storages.splice(server, 1)
  }

  run(sql: string): Promise<AnswerBody[]> {
    return (this.servers[0] as TestServer).rows(sql)
  }

  /** The times that have rows, in milliseconds, ascending. */
  async times(schedule: string): Promise<number[]> {
    const rows = await this.run(`SCAN at FROM job WHERE schedule = '${schedule}'`)
    return rows.map(({ at }) => Date.parse(at))
  }

  async shown(schedule: string): Promise<AnswerBody> {
    const rows = await this.run('SHOW SCHEDULES')
    return rows.find(({ name }) => name === schedule)
  }

  /** Waits until so many times have rows, and then for one who would insert more. */
  async until(schedule: string, count: number): Promise<number[]> {
    while ((await this.times(schedule)).length < count) await setTimeout(20)
    await setTimeout(1_500)
    return await this.times(schedule)
  }

  /** What a server says of the schedules of `report`. */
  async figures(server: TestServer, schedule: string): Promise<AnswerBody> {
    const { body } = await server.get('/v1/observers')
    const [{ schedules }] = body.observers
    return schedules.find((one: AnswerBody) => one.schedule === schedule)
  }
}
