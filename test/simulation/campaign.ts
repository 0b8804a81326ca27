// SPDX-License-Identifier: Apache-2.0
import { Worker } from 'node:worker_threads'
import type { SimulationResult } from './simulation.ts'
import { Counters } from './sometimes.ts'
import type { Kind, Topology } from './swarm.ts'
import type { WorkerMessage, WorkerTask } from './worker-messages.ts'

export type CampaignOptions = {
  readonly from: number
  readonly seeds: number
  readonly workers: number
  readonly mutant?: string
  readonly kind?: Kind
  /** How many failing seeds end the campaign. */
  readonly failuresMax: number
  readonly onResult?: (result: SimulationResult, done: number) => void
}

export type CampaignReport = {
  readonly done: number
  readonly events: number
  readonly failures: readonly SimulationResult[]
  readonly counters: Readonly<Record<Topology, Counters>>
}

/** Runs seeds on several threads, each of which takes the next seed when it is done with one. */
export async function runCampaign(options: CampaignOptions): Promise<CampaignReport> {
  const { from, seeds, failuresMax, onResult } = options
  const counters = { gateways: new Counters(), embedded: new Counters() }
  const failures: SimulationResult[] = []
  let next = from
  let done = 0
  let events = 0
  const take = (result: SimulationResult) => {
    done += 1
    events += result.events
    counters[result.swarm.topology].add(result.counters)
    if (result.violations.length > 0) failures.push(result)
    onResult?.(result, done)
  }
  const isOver = () => next >= from + seeds || failures.length >= failuresMax
  const task: WorkerTask = {
    ...(options.mutant === undefined ? {} : { mutant: options.mutant }),
    ...(options.kind === undefined ? {} : { kind: options.kind }),
  }
  const run = () =>
    new Promise<void>((resolve, reject) => {
      const worker = new Worker(new URL('./simulation-worker.ts', import.meta.url), {
        workerData: task,
      })
      worker.on('message', ({ result, error }: WorkerMessage) => {
        if (error !== undefined) reject(new Error(error))
        if (result !== undefined) take(result)
        if (isOver()) return worker.postMessage(undefined)
        worker.postMessage(next)
        next += 1
      })
      worker.on('error', reject)
      worker.on('exit', () => resolve())
    })
  await Promise.all(Array.from({ length: Math.min(options.workers, seeds) }, run))
  return { done, events, failures, counters }
}
