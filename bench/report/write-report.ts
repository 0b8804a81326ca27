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
  return await writeWithPlots(folder, report, [
    ['report.json', jsonOf(report)],
    ['report.txt', formatReport(report)],
    ...further,
  ])
}

/** Writes these files and the plots of the report; returns the names of all. */
export async function writeWithPlots(
  folder: string,
  { experiments }: Report,
  texts: Iterable<readonly [name: string, text: string]>,
): Promise<string[]> {
  const files = new Map(texts)
  for (const experiment of experiments) {
    for (const [name, svg] of await drawPlots(experiment)) files.set(`${name}.svg`, svg)
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
