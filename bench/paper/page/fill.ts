// SPDX-License-Identifier: Apache-2.0
import type { Report } from '../../report/report.ts'
import { shortNumber } from '../../report/report-table.ts'
import { PAPER_NUMBERS, type PaperNumberName, paperText } from '../paper-numbers.ts'

/**
 * A sentence of the page, in which a number has a name instead of digits:
 *
 *     {paper: raw reads}                            of the table of the paper's numbers
 *     {goal: Figure 8, read / raw read}             the median of this goal, of whatever experiment
 *     {figure: scanning | teleports | places}       the median of a contender whose name has this in it
 */
export type Sentence = string

/** The sentence with its numbers; undefined when one of them was not measured. Throws for a name that is wrong. */
export function fill(sentence: Sentence, report: Report): string | undefined {
  let isKnown = true
  const filled = sentence.replaceAll(/\{(paper|goal|figure): ([^}]+)\}/g, (_, kind, name) => {
    const text = kind === 'paper' ? ofPaper(name) : measured(kind, name, report)
    if (text === undefined) isKnown = false
    return text ?? ''
  })
  return isKnown ? filled : undefined
}

function ofPaper(name: string): string {
  if (!Object.hasOwn(PAPER_NUMBERS, name)) throw new Error(`The paper has no number "${name}".`)
  return paperText(name as PaperNumberName)
}

function measured(kind: string, name: string, { experiments }: Report): string | undefined {
  if (kind === 'goal') {
    const goal = experiments.flatMap(({ goals }) => goals).find(({ what }) => what === name)
    return goal === undefined ? undefined : shortNumber(goal.measured.median)
  }
  const [experimentName, contenderName, figure] = name.split(' | ') as [string, string, string]
  const experiment = experiments.find((one) => one.name === experimentName)
  const contender = experiment?.contenders.find((one) => one.name.includes(contenderName))
  const spread = contender?.figures[figure] ?? contender?.figures[`figures.${figure}`]
  return spread === undefined ? undefined : shortNumber(spread.median)
}
