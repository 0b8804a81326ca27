// SPDX-License-Identifier: Apache-2.0
import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { drawPlots } from './plot.ts'
import type { Report } from './report.ts'
import { formatReport } from './report-table.ts'

/** Writes `report.json`, `report.txt`, a plot for each experiment and further files; returns their names. */
export async function writeReport(
  folder: string,
  report: Report,
  further: ReadonlyMap<string, string> = new Map(),
): Promise<string[]> {
  const files = new Map([
    ['report.json', jsonOf(report)],
    ['report.txt', formatReport(report)],
    ...further,
  ])
  for (const experiment of report.experiments) {
    const plots = await drawPlots(experiment)
    for (const [name, svg] of plots) files.set(`${name}.svg`, svg)
  }
  for (const [name, text] of files) await writeInto(join(folder, name), text)
  return [...files.keys()]
}

export async function writeJson(file: string, report: Report): Promise<void> {
  await writeInto(file, jsonOf(report))
}

async function writeInto(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, text)
}

function jsonOf(report: Report): string {
  return `${JSON.stringify(report, null, 2)}\n`
}
