// SPDX-License-Identifier: Apache-2.0
import type { OpenContender, Surroundings } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'
import type { Shared } from '../harness/shared.ts'
import type { PeerContender } from '../servers/executable.ts'
import { type MeasuredServer, serverCpuDuring } from '../servers/measured-server.ts'
import { LoadProcess } from './load-process.ts'
import type { WorkloadOrder } from './workload.ts'

/** What is asked of a server; `settings` are what the module's `openWorkload` takes. */
export type Load = Pick<WorkloadOrder, 'module' | 'settings'>

export type LoadedContender<Server extends MeasuredServer> = PeerFacts & {
  readonly server: Shared<Server>
  /** What is asked of it; or the load process that came with it, which its contenders share. */
  readonly load: (server: Server) => Load | LoadProcess
  /** Where a workload has several mixes of operations: which this one is of. */
  readonly mix?: string
  /** Of the closed loop; in an open one, connections. */
  readonly clients: number
  readonly ratePerSecond?: number
  /** Units of work in one operation: 100 where a request has 100 statements. */
  readonly unitsPerOperation?: number
  /** Asked by one client without pause during the run, but neither counted nor timed. */
  readonly beside?: (server: Server) => Load
  /** Where a sample is more than the load's, which is taken by `run`. */
  readonly sample?: (sampling: Sampling<Server>) => Promise<Sample>
}

type PeerFacts = Pick<PeerContender, 'name' | 'point' | 'program'>

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
  const { name, point, program, sample } = order
  return {
    name,
    program,
    ...(point === undefined ? {} : { point }),
    async open(surroundings: Surroundings): Promise<OpenContender> {
      const own: LoadProcess[] = []
      const openLoad = async (load: Load | LoadProcess, clients: number) => {
        if (load instanceof LoadProcess) return load
        const opened = await LoadProcess.open({ ...load, clients, seed: SEED })
        own.push(opened)
        return opened
      }
      const close = async () => {
        for (const load of own.splice(0)) await load.close()
        await order.server.release()
      }
      try {
        const server = await order.server.acquire(surroundings)
        const load = await openLoad(order.load(server), order.clients)
        const beside = order.beside?.(server)
        const loads = [load, ...(beside === undefined ? [] : [await openLoad(beside, 1)])]
        const runLoads: Sampling<Server>['run'] = (...length) =>
          runAll(order, server, loads, ...length)
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

/** What is measured by the first load; the other one runs beside it. */
async function runAll<Server extends MeasuredServer>(
  order: LoadedContender<Server>,
  server: Server,
  loads: readonly LoadProcess[],
  seconds: number,
  signal: AbortSignal,
): Promise<Sample> {
  const { clients, ratePerSecond, unitsPerOperation = 1, mix } = order
  const measured = {
    seconds,
    clients,
    ...(mix === undefined ? {} : { mix }),
    ...(ratePerSecond === undefined ? {} : { ratePerSecond }),
  }
  const { result: samples, cpuSeconds } = await serverCpuDuring(server, () =>
    Promise.all(loads.map((load, index) => load.run(index === 0 ? measured : { seconds }, signal))),
  )
  const [first] = samples as [Sample]
  const driverCpuSeconds = samples.reduce((total, one) => total + one.cpuSeconds, 0)
  return {
    operations: first.operations * unitsPerOperation,
    seconds: first.seconds,
    ...(server.inProcess === true
      ? { cpuSeconds: driverCpuSeconds }
      : { cpuSeconds, driverCpuSeconds }),
    ...(first.latency === undefined ? {} : { latency: first.latency }),
    ...(first.figures === undefined ? {} : { figures: first.figures }),
  }
}
