// SPDX-License-Identifier: Apache-2.0
import type { OpenContender, Surroundings } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import type { Shared } from '../harness/shared.ts'
import type { PeerContender } from '../servers/installed-peers.ts'
import { type MeasuredServer, serverCpuDuring } from '../servers/measured-server.ts'
import { LoadProcess } from './load-process.ts'
import type { WorkloadOrder } from './workload.ts'

/** What is asked of a server; `settings` are what the module's `openWorkload` takes. */
export type Load = Pick<WorkloadOrder, 'module' | 'settings'>

export type LoadedContender<Server extends MeasuredServer> = {
  readonly name: string
  readonly point?: PeerContender['point']
  /** The server's program, where it may not be installed. */
  readonly program?: string
  readonly server: Shared<Server>
  readonly load: (server: Server) => Load
  /** Of the closed loop; in an open one, connections. Divided among the drivers. */
  readonly clients: number
  readonly ratePerSecond?: number
  /** One load process unless given. */
  readonly drivers?: number
  /** Units of work in one operation: 100 where a request has 100 statements. */
  readonly unitsPerOperation?: number
  /** Asked by one client without pause during the run, but neither counted nor timed. */
  readonly beside?: (server: Server) => Load
  /** Where a sample is more than the load's, which is taken by `run`. */
  readonly sample?: (sampling: Sampling<Server>) => Promise<Sample>
}

export type Sampling<Server extends MeasuredServer> = {
  readonly server: Server
  readonly seconds: number
  readonly signal: AbortSignal
  readonly say: Surroundings['say']
  readonly run: (seconds: number, signal: AbortSignal) => Promise<Sample>
}

const SEED = 20_061_106

/** A contender whose server is a process of its own, asked by load processes. */
export function loadedContender<Server extends MeasuredServer>(
  order: LoadedContender<Server>,
): PeerContender {
  const { name, point, program } = order
  return {
    name,
    program,
    ...(point === undefined ? {} : { point }),
    async open(surroundings: Surroundings): Promise<OpenContender> {
      const opened: LoadProcess[] = []
      const close = async () => {
        for (const load of opened.splice(0)) await load.close()
        await order.server.release()
      }
      try {
        const server = await order.server.acquire(surroundings)
        const { drivers = 1 } = order
        const clients = Math.ceil(order.clients / drivers)
        for (let driver = 0; driver < drivers; driver += 1) {
          const seed = SEED + driver
          opened.push(await LoadProcess.open({ ...order.load(server), clients, seed }))
        }
        const beside = order.beside?.(server)
        if (beside !== undefined) {
          opened.push(await LoadProcess.open({ ...beside, clients: 1, seed: SEED }))
        }
        const runLoads: Sampling<Server>['run'] = (...length) =>
          run(order, server, opened, ...length)
        const { sample } = order
        const { say } = surroundings
        return {
          run: (seconds, signal) =>
            sample === undefined
              ? runLoads(seconds, signal)
              : sample({ server, seconds, signal, say, run: runLoads }),
          close,
        }
      } catch (error) {
        await close()
        throw error
      }
    },
  }
}

async function run<Server extends MeasuredServer>(
  order: LoadedContender<Server>,
  server: Server,
  loads: readonly LoadProcess[],
  seconds: number,
  signal: AbortSignal,
): Promise<Sample> {
  const { drivers = 1, ratePerSecond, unitsPerOperation = 1 } = order
  const runAll = () =>
    Promise.all(
      loads.map((load, index) => {
        const isMeasured = index < drivers
        const inOpenLoop = isMeasured && ratePerSecond !== undefined
        const rate = inOpenLoop ? { ratePerSecond: ratePerSecond / drivers } : {}
        return load.run({ seconds, ...rate }, signal)
      }),
    )
  const { result: samples, cpuSeconds } = await serverCpuDuring(server, runAll)
  const [first, ...others] = samples.slice(0, drivers) as [Sample, ...Sample[]]
  const sum = (of: (sample: Sample) => number) =>
    others.reduce((total, one) => total + of(one), of(first))
  return {
    operations: sum((one) => one.operations) * unitsPerOperation,
    seconds: Math.max(first.seconds, ...others.map((one) => one.seconds)),
    cpuSeconds,
    driverCpuSeconds: samples.reduce((total, one) => total + one.cpuSeconds, 0),
    // Percentiles of several drivers cannot be put together.
    ...(others.length === 0 && first.latency !== undefined ? { latency: first.latency } : {}),
    ...(first.figures === undefined ? {} : { figures: first.figures }),
  }
}
