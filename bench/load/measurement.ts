// SPDX-License-Identifier: Apache-2.0
import type { Sample, WorkDone } from '../harness/sample.ts'

/** Runs `work` and takes the time and this process' CPU time, that of all its threads, around it. */
export async function measureHere(work: () => Promise<WorkDone>): Promise<Sample> {
  const cpuBefore = process.cpuUsage()
  const startedMs = performance.now()
  const done = await work()
  const seconds = (performance.now() - startedMs) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  return { ...done, seconds, cpuSeconds: (user + system) / 1e6 }
}
