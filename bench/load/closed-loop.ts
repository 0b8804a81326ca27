// SPDX-License-Identifier: Apache-2.0
import { createHistogram } from 'node:perf_hooks'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { type Latency, latencyOf, recordMs, type Sample, type WorkDone } from '../harness/sample.ts'

export type ClosedLoop = {
  /** How many operations are under way at once. */
  readonly clients: number
  readonly seconds: number
  readonly signal: AbortSignal
  /** The clock is read once in so many operations of a client: for work of a few microseconds. */
  readonly operationsPerLook?: number
  /** Take each operation's latency too; its own cost is two looks at the clock. */
  readonly takesLatency?: boolean
  /** One unit of work; `sequence` counts up from 0 over all clients and never repeats in a run. */
  readonly operation: (sequence: number, client: number) => Promise<unknown>
}

/** The event loop gets a turn at least this often, for timers, signals and the progress line. */
const TURN_MS = 20

/**
 * Each client starts its next operation when its last has ended. That is right for throughput; of
 * latency it hides what clients would have felt who do not wait for each other (`runOpenLoop`).
 * The first failure of an operation ends the loop and is thrown.
 */
export async function runClosedLoop(
  loop: ClosedLoop,
): Promise<{ readonly operations: number; readonly latency?: Latency }> {
  const { clients, signal, operation, operationsPerLook = 1, takesLatency = false } = loop
  const deadlineMs = performance.now() + loop.seconds * 1000
  const histogram = takesLatency ? createHistogram() : undefined
  let sequence = 0
  let operations = 0
  const failures: unknown[] = []
  const isOver = () => signal.aborted || failures.length > 0

  const client = async (number: number): Promise<void> => {
    let turnMs = performance.now()
    for (let nowMs = turnMs; nowMs < deadlineMs && !isOver(); nowMs = performance.now()) {
      if (nowMs - turnMs > TURN_MS) {
        await nextTurn()
        turnMs = performance.now()
      }
      for (let count = 0; count < operationsPerLook; count += 1) {
        const beganMs = histogram === undefined ? 0 : performance.now()
        await operation(sequence++, number)
        if (histogram !== undefined) recordMs(histogram, performance.now() - beganMs)
        operations += 1
      }
    }
  }
  const noteFailure = (error: unknown) => void failures.push(error)
  // All are waited for, also after a failure: what they work on is about to be closed.
  await Promise.all(
    Array.from({ length: clients }, (_, number) => client(number).catch(noteFailure)),
  )
  if (failures.length > 0) throw failures[0]
  return { operations, ...(histogram === undefined ? {} : { latency: latencyOf(histogram) }) }
}

/** Runs `work` and takes the time and this process' CPU time, that of all its threads, around it. */
export async function measureHere(work: () => Promise<WorkDone>): Promise<Sample> {
  const cpuBefore = process.cpuUsage()
  const startedMs = performance.now()
  const done = await work()
  const seconds = (performance.now() - startedMs) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  return { ...done, seconds, cpuSeconds: (user + system) / 1e6 }
}
