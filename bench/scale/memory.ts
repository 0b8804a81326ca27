// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import type { Contender, Experiment, Surroundings } from '../harness/experiment.ts'
import type { Sample } from '../harness/sample.ts'

const MAIN = fileURLToPath(new URL('./memory-main.ts', import.meta.url))
const NAME = 'load, then scan'

/** What the child process writes, one JSON object a line; the last one has `peakMiB`. */
export type MemoryReport = {
  readonly rows: number
  readonly loadSeconds?: number
  readonly scanSeconds?: number
  readonly peakMiB?: number
  readonly cpuSeconds?: number
}

/** The resident set of a process that loads a table and scans it, and does nothing else. */
export function memory(rows: number): Experiment {
  return {
    name: 'memory',
    title: `Resident memory while ${rows.toLocaleString('en')} rows of 100 bytes are loaded and scanned`,
    unit: 'rows',
    repetitions: 1,
    warmUpSeconds: 0,
    contenders: [loadAndScan(rows)],
    goals: [
      {
        what: `${rows.toLocaleString('en')} rows loaded and scanned, resident set`,
        ...{ of: NAME, figure: 'figures.peakMiB' as const, unit: 'MiB' },
        ...{ must: 400, aim: 200, smallerIsBetter: true },
      },
    ],
    plots: [],
  }
}

function loadAndScan(rows: number): Contender {
  return {
    name: NAME,
    async open(surroundings) {
      return { run: (_, signal) => runChild(rows, surroundings, signal), close: async () => {} }
    },
  }
}

async function runChild(
  rows: number,
  { temporaryFolder, say }: Surroundings,
  signal: AbortSignal,
): Promise<Sample> {
  const folder = await temporaryFolder('memory')
  const child = spawn(process.execPath, [MAIN, folder, String(rows)], {
    stdio: ['ignore', 'pipe', 'inherit'],
    // The child gets a Ctrl-C of the terminal too; this ends it when only we are told.
    signal,
  })
  let failure: Error | undefined
  child.once('error', (error) => {
    failure = error
  })
  // Also when it was stopped: its folder is removed next, and nobody may be writing there.
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve))
  const reading = (async () => {
    let last: MemoryReport | undefined
    for await (const line of createInterface(child.stdout)) {
      last = JSON.parse(line) as MemoryReport
      say(`${last.rows.toLocaleString('en')} rows`)
    }
    return last
  })()
  const [code, report] = await Promise.all([ended, reading])
  signal.throwIfAborted()
  if (failure !== undefined) throw failure
  if (code !== 0 || report?.peakMiB === undefined) {
    throw new Error(`The process that loads and scans ended with ${code}.`)
  }
  const { loadSeconds = 0, scanSeconds = 0, cpuSeconds = 0, peakMiB } = report
  return {
    operations: rows,
    seconds: loadSeconds + scanSeconds,
    cpuSeconds,
    figures: {
      peakMiB,
      loadRowsPerSecond: rows / loadSeconds,
      scanRowsPerSecond: rows / scanSeconds,
    },
  }
}
