// SPDX-License-Identifier: Apache-2.0
import type { OpenContender } from '../harness/experiment.ts'
import type { PeerContender } from '../servers/executable.ts'
import type { BrokerageOptions } from './brokerage-options.ts'
import { checkAll } from './checks/all-checks.ts'
import { BrokerageDriver } from './driver/brokerage-driver.ts'
import type { Engine } from './engine.ts'
import { ENGINE_KINDS, type EngineName, programOf } from './engines/engine-kinds.ts'
import { loadPopulation } from './loading/load-population.ts'
import { verifyLoad } from './loading/verify-load.ts'
import type { Population } from './population/population.ts'
import { CpuMeter } from './report/cpu-meter.ts'
import { type RunSummary, sampleOf } from './report/run-sample.ts'

/** On which engine, which population trades how fast. */
export type Trading = {
  readonly name: string
  readonly kind: EngineName
  readonly population: Population
  /** Trade results per second; as fast as the users can when absent. */
  readonly pace: number | undefined
}

/** An engine with a population of its own, ready for one run after the other. */
export function brokerageContender(options: BrokerageOptions, trading: Trading): PeerContender {
  const { name, kind, population } = trading
  return {
    name,
    program: programOf(kind),
    async open(surroundings): Promise<OpenContender> {
      const engine: Engine = await ENGINE_KINDS[kind].open({
        folder: await surroundings.temporaryFolder(kind),
        percolite: options.percolite,
        connections: 2 * options.users,
      })
      try {
        await engine.load(async (loader) => {
          await loadPopulation(loader, population, surroundings)
        })
        const problems = kind === 'null' ? [] : await verifyLoad(engine, population)
        // What is wrong before a run can never be right after it.
        if (problems.length > 0) throw new Error(`${name}: ${problems.join('\n')}`)
        const driver = await BrokerageDriver.open({ engine, ...options, ...trading })
        const run = { engine, driver, ...options, ...trading }
        return {
          run: async (seconds, signal) => sampleOf(await runBrokerage(run, seconds, signal)),
          async close() {
            try {
              await driver.close()
            } finally {
              await engine.close()
            }
          },
        }
      } catch (error) {
        await engine.close()
        throw error
      }
    },
  }
}

type BrokerageRun = BrokerageOptions &
  Trading & { readonly engine: Engine; readonly driver: BrokerageDriver }

/** One run: clean-up, a period of the price curve to warm up, the measured time, and the checks. */
async function runBrokerage(
  run: BrokerageRun,
  seconds: number,
  signal: AbortSignal,
): Promise<RunSummary> {
  const { engine, driver, population } = run
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
  // Without a database there is nothing that can be checked.
  const check = async () =>
    run.kind === 'null' ? [] : await checkAll(engine, population, driver.facts)
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
