// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises'
import type { Report } from '../report/report.ts'
import { writePaper } from './write-paper.ts'

const USAGE = 'node bench/paper/render.ts REPORT.json FOLDER'

// Makes the page again of a report that was written before, with all that is kept beside it.
const [from, folder, ...further] = process.argv.slice(2)
if (from === undefined || folder === undefined || further.length > 0) {
  process.stderr.write(`${USAGE}\n`)
  process.exitCode = 2
} else {
  const report = JSON.parse(await readFile(from, 'utf8')) as Report
  process.stdout.write(`${folder}: ${(await writePaper(folder, report)).join(', ')}\n`)
}
