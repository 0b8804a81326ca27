// SPDX-License-Identifier: Apache-2.0
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { MeasuredExperiment } from '../harness/run-experiment.ts'
import { drawPlots } from './plot.ts'
import type { Report } from './report.ts'
import { formatReport } from './report-table.ts'

/** Writes `report.json`, `report.txt` and a plot for each experiment; answers the folder's files. */
export async function writeReport(
  folder: string,
  report: Report,
  measured: readonly MeasuredExperiment[],
): Promise<string[]> {
  await mkdir(folder, { recursive: true })
  const files = new Map([
    ['report.json', `${JSON.stringify(report, null, 2)}\n`],
    ['report.txt', formatReport(report)],
  ])
  for (const { experiment, samples } of measured) {
    for (const [name, svg] of await drawPlots(experiment, samples)) files.set(`${name}.svg`, svg)
  }
  for (const [name, text] of files) await writeFile(join(folder, name), text)
  return [...files.keys()]
}
