// SPDX-License-Identifier: Apache-2.0
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gatherFacts, makeReport, type Report } from '../report/report.ts'
import { writeJson, writeReport } from '../report/write-report.ts'
import type { BenchCall } from './command-line.ts'
import type { Suite } from './experiment.ts'
import { Progress } from './progress.ts'
import { type MeasuredExperiment, planExperiment, runExperiment } from './run-experiment.ts'

/** A suite whose report is shown by further files. */
export type RunnableSuite = Suite & {
  /** Their texts, by name. */
  readonly pages?: (report: Report) => Promise<ReadonlyMap<string, string>>
}

export type FinishedRun = {
  readonly report: Report
  readonly folder: string
  readonly files: readonly string[]
}

/** Runs the chosen experiments one after the other and writes the report. */
export async function runSuite(
  name: string,
  suite: RunnableSuite,
  call: BenchCall,
  deps: { readonly signal: AbortSignal; readonly progressTo: NodeJS.WriteStream },
): Promise<FinishedRun> {
  const { seconds, repetitions, dataFolder, options } = call
  const progress = new Progress(deps.progressTo)
  const facts = await gatherFacts(name, { seconds, repetitions, ...options }, dataFolder)
  const settings = { seconds, repetitions, dataFolder, progress, signal: deps.signal }
  for (const experiment of call.experiments) planExperiment(experiment, settings)
  const measured: MeasuredExperiment[] = []
  try {
    for (const experiment of call.experiments) {
      measured.push(await runExperiment(experiment, settings))
    }
  } finally {
    progress.end()
  }
  const report = makeReport(facts, suite, measured)
  const folder = call.out ?? join(RESULTS, `${facts.startedAt.replaceAll(':', '')}-${name}`)
  const files = await writeReport(folder, report, await suite.pages?.(report))
  if (call.json !== undefined) await writeJson(call.json, report)
  return { report, folder, files }
}

const RESULTS = fileURLToPath(new URL('../results', import.meta.url))
