// SPDX-License-Identifier: Apache-2.0
import { monitorEventLoopDelay } from 'node:perf_hooks'
import type { WorkDone } from '../harness/sample.ts'

const RESOLUTION_MS = 1

/** Adds to a sample's figures for how long the event loop of this process was kept from its timers. */
export async function withEventLoopDelay(work: () => Promise<WorkDone>): Promise<WorkDone> {
  const monitor = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  monitor.enable()
  const done = await work()
  monitor.disable()
  const delayMs = (ns: number) => Math.max(0, ns / 1e6 - RESOLUTION_MS)
  const figures = {
    ...done.figures,
    eventLoopDelayP99Ms: delayMs(monitor.percentile(99)),
    eventLoopDelayMaxMs: delayMs(monitor.max),
  }
  return { ...done, figures }
}
