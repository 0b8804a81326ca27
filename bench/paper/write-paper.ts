// SPDX-License-Identifier: Apache-2.0
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { drawPlots } from '../report/plot.ts'
import type { Report } from '../report/report.ts'
import { paperPage } from './page/paper-page.ts'
import { trimmed } from './trimmed-report.ts'

/** A report as it is kept in the repository: a line for each value, for diffs, and few spaces. */
export function keptJson(report: Report): string {
  return `${JSON.stringify(report, null, 1)}\n`
}

/** Writes the trimmed report, its page and its plots; returns the names of the files. */
export async function writePaper(folder: string, report: Report): Promise<string[]> {
  const kept = trimmed(report)
  const files = new Map([
    ['report.json', keptJson(kept)],
    ['paper.html', await paperPage(kept)],
  ])
  for (const experiment of kept.experiments) {
    for (const [name, svg] of await drawPlots(experiment)) files.set(`${name}.svg`, svg)
  }
  await mkdir(folder, { recursive: true })
  for (const [name, text] of files) await writeFile(join(folder, name), text)
  return [...files.keys()]
}
