// SPDX-License-Identifier: Apache-2.0
import { HERMITAGE } from './hermitage.ts'
import { historyOf } from './history.ts'
import { PROMISES } from './promises.ts'
import type { Scenario } from './scenario.ts'
import { WRITE_SKEW } from './write-skew.ts'

/** The sections of `docs/isolation.md` that are made from the scenarios. */
const SECTIONS: Readonly<Record<string, readonly Scenario[]>> = {
  hermitage: HERMITAGE,
  'write-skew': WRITE_SKEW,
  promises: PROMISES,
}

/** The page with what is between each pair of marks made anew; the marks look like `<!-- hermitage -->`. */
export function withHistories(page: string): string {
  let written = page
  for (const [name, scenarios] of Object.entries(SECTIONS)) {
    const begin = `<!-- ${name} -->`
    const end = `<!-- end of ${name} -->`
    const [before, rest] = written.split(begin)
    const [, after] = rest?.split(end) ?? []
    if (before === undefined || after === undefined) throw new Error(`the page lacks ${begin}`)
    const histories = scenarios.map(historyOf).join('\n\n')
    written = `${before}${begin}\n\n${histories}\n\n${end}${after}`
  }
  return written
}
