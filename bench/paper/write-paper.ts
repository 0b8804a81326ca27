// SPDX-License-Identifier: Apache-2.0
import type { Sample } from '../harness/sample.ts'
import type { Report } from '../report/report.ts'
import { writeWithPlots } from '../report/write-report.ts'
import { paperPage } from './page/paper-page.ts'

/** A report as it is kept in the repository: a line for each value, for diffs, and few spaces. */
export function keptJson(report: Report): string {
  return `${JSON.stringify(report, null, 1)}\n`
}

/** Writes the trimmed report, its page and its plots; returns the names of the files. */
export async function writePaper(folder: string, report: Report): Promise<string[]> {
  const kept = trimmed(report)
  return await writeWithPlots(folder, kept, [
    ['report.json', keptJson(kept)],
    ['paper.html', await paperPage(kept)],
  ])
}

/** The report without what the page does not show: it is the one that is kept beside the page. */
export function trimmed(report: Report): Report {
  // Where the sources lie is of this machine.
  const { tree: _, ...settings } = report.settings
  return {
    ...report,
    settings,
    experiments: report.experiments.map((experiment) => ({
      ...experiment,
      contenders: experiment.contenders.map((contender) => ({
        ...contender,
        samples: contender.samples.map((sample, at, all) =>
          trimSample(sample, at + 1 === all.length),
        ),
      })),
    })),
  }
}

/** How it went on is drawn of the last one only; of findings, only what is wrong counts here. */
function trimSample({ findings, overTime, ...sample }: Sample, isLast: boolean): Sample {
  const { failures = [] } = findings ?? {}
  return {
    ...sample,
    ...(overTime === undefined || !isLast ? {} : { overTime }),
    ...(failures.length === 0 ? {} : { findings: { lines: [], data: null, failures } }),
  }
}
