// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { runSchedule, type ScheduleRun } from '../../server/live/observers/schedule-run.ts'
import { MemoryCellStore } from '../../storage/cells/memory/memory-cell-store.ts'
import { openGateway, type Storage, StorageError, type Transaction } from '../../storage/storage.ts'
import { SqlSession } from '../sql-session.ts'

/** A row of a schedule that a gateway is about to commit. */
export type Attempt = {
  readonly schedule: string
  readonly transaction: Transaction
  readonly run: ScheduleRun
}

/** Two gateways over one store, whose schedules run when a test says so, by the time that it says. */
export class ScheduleWorld {
  readonly sessions: readonly SqlSession[]
  /** The times of each schedule for which a row was committed, in the order of the commits. */
  readonly times = new Map<string, number[]>()

  private constructor(storages: readonly Storage[]) {
    this.sessions = storages.map((storage) => SqlSession.over(storage))
  }

  static async open(): Promise<ScheduleWorld> {
    const cellStore = new MemoryCellStore()
    const world = new ScheduleWorld([await openGateway(cellStore), await openGateway(cellStore)])
    await world.run('CREATE TABLE job (schedule TEXT, at TIMESTAMP, PRIMARY KEY (schedule, at))')
    await world.run('CREATE OBSERVER report ON job (at)')
    return world
  }

  /** By the first gateway. */
  async run(sql: string): Promise<readonly (readonly unknown[])[]> {
    return (await (this.sessions[0] as SqlSession).run(sql)).rows
  }

  /** The time that a schedule waits for. */
  async next(schedule: string): Promise<number> {
    const shown = await this.run('SHOW SCHEDULES')
    return Number(shown.find(([name]) => name === schedule)?.[7])
  }

  /** All of it but the commit; undefined where there is nothing to do. */
  async begin(gateway: number, schedule: string, now: number): Promise<Attempt | undefined> {
    const session = this.sessions[gateway] as SqlSession
    const transaction = await session.storage.begin()
    const catalog = await session.storage.catalog(transaction)
    const found = catalog.schedule(schedule)
    assert.ok(found !== undefined)
    const query = (sql: string, parameters: unknown) =>
      session.runIn(transaction, catalog, sql, { parameters: parameters as never })
    const run = await runSchedule(found, { transaction, tx: { query: query as never }, now })
    if (run.times.length > 0) return { schedule, transaction, run }
    transaction.rollback()
    return undefined
  }

  /** Whether it was the first. */
  async commit({ schedule, transaction, run }: Attempt): Promise<boolean> {
    try {
      await transaction.commit()
    } catch (error) {
      if (error instanceof StorageError && error.isWorthRerun) return false
      throw error
    } finally {
      transaction.rollback()
    }
    this.times.set(schedule, [...(this.times.get(schedule) ?? []), ...run.times])
    return true
  }

  async close(): Promise<void> {
    for (const session of this.sessions) {
      assert.deepEqual((await session.storage.checkConsistency()).problems, [])
      await session.close()
    }
  }
}
