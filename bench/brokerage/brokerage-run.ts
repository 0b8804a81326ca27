// SPDX-License-Identifier: Apache-2.0
import { checkAll } from './checks/all-checks.ts'
import type { BrokerageDriver } from './driver/brokerage-driver.ts'
import type { Engine } from './engine.ts'
import type { Population } from './population/population.ts'
import { CpuMeter } from './report/cpu-meter.ts'
import type { RunSummary } from './report/run-summary.ts'

export type BrokerageRun = {
  readonly engine: Engine
  readonly driver: BrokerageDriver
  readonly population: Population
  readonly users: number
  readonly pace: number | undefined
  readonly kills: boolean
  readonly moves: boolean
  /** Whether there is a database whose contents can be checked. */
  readonly isChecked: boolean
}

/** One run: clean-up, a period of the price curve to warm up, the measured time, and the checks. */
export async function runBrokerage(
  run: BrokerageRun,
  seconds: number,
  signal: AbortSignal,
): Promise<RunSummary> {
  const { engine, driver, population, isChecked } = run
  const { profile } = population
  const cancelledBefore = await driver.cleanUp()
  driver.start()
  // Limit orders wait for their price, so results come as fast as orders only after a period.
  await driver.letRun(profile.pricePeriodMs, signal)
  driver.takeTally()
  const meter = new CpuMeter(engine)
  // Where processes end in the middle, so do their counts.
  const isCounted = !run.kills && !run.moves
  const sentBefore = isCounted ? await engine.storeRequests?.() : undefined
  const startedMs = performance.now()
  await measure(run, meter, seconds, signal)
  const transactions = driver.takeTally().figures()
  const measuredSeconds = (performance.now() - startedMs) / 1000
  const cpu = meter.read()
  const sentAfter = sentBefore === undefined ? undefined : await engine.storeRequests?.()
  const { waiting } = driver
  await driver.finish()
  const check = async () => (isChecked ? await checkAll(engine, population, driver.facts) : [])
  const checks = await check()
  const cancelledAfter = await driver.cleanUp()
  return {
    engine: { name: engine.name, description: engine.description },
    seconds: measuredSeconds,
    users: run.users,
    nominal: profile.customers / profile.scaleFactor,
    isPaced: run.pace !== undefined,
    ...{ transactions, cpu, waiting, cancelledBefore, cancelledAfter, checks },
    ...(sentBefore === undefined || sentAfter === undefined
      ? {}
      : { storeRequests: sentAfter - sentBefore }),
    diskBytes: await engine.diskBytes(),
    killed: run.kills && engine.killAndRestart !== undefined,
    checksAfterCleanup: await check(),
  }
}

async function measure(
  { engine, driver, kills, moves }: BrokerageRun,
  meter: CpuMeter,
  seconds: number,
  signal: AbortSignal,
): Promise<void> {
  const half = (seconds * 1000) / 2
  await driver.letRun(half, signal)
  const change = (kills && engine.killAndRestart) || (moves && engine.moveAway)
  if (change) {
    await driver.whileDown(async () => {
      meter.beforeKill()
      await change.call(engine)
    })
  }
  await driver.letRun(half, signal)
}
