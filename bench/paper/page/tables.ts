// SPDX-License-Identifier: Apache-2.0
import type { Report, ReportedExperiment } from '../../report/report.ts'
import { shortNumber } from '../../report/report-table.ts'
import type { Spread } from '../../report/statistics.ts'
import type { JudgedGoal } from '../../report/verdict.ts'
import { PAPER_NUMBERS, type PaperNumberName, paperText } from '../paper-numbers.ts'
import { fill } from './fill.ts'
import type { Headline } from './headlines.ts'
import { type Html, html } from './html.ts'

/** Contenders in rows: how often a second, and the further figures that a section asks for. */
export function figuresTable(
  { contenders, unit }: ReportedExperiment,
  further: readonly string[],
): Html {
  const columns = ['operationsPerSecond', ...further.map((name) => `figures.${name}`)].filter(
    (name) => contenders.some(({ figures }) => figures[name] !== undefined),
  )
  const heads = columns.map((name) => (name.includes('.') ? words(name) : `${unit} per second`))
  const rows = contenders.map(({ name, figures }) => {
    const cells = columns.map((column) => html`<td>${spreadCell(figures[column])}</td>`)
    return html`<tr><th scope="row">${name}</th>${cells}</tr>`
  })
  return table(['', ...heads], rows)
}

/** Of each ratio, and each figure that the paper has too. */
export function goalsTable(goals: readonly JudgedGoal[]): Html {
  const isInPaper = goals.some(({ paper }) => paper !== undefined)
  const rows = goals.map(({ what, measured, unit = 'x', paper }) => {
    const ofPaper = html`<td>${paper === undefined ? '' : shortNumber(paper)}</td>`
    return html`<tr><th scope="row">${what}</th><td>${spreadCell(measured, unit)}</td>${isInPaper ? ofPaper : html``}</tr>`
  })
  return table(['', 'measured', ...(isInPaper ? ['the paper'] : [])], rows)
}

export function paperTable(names: readonly PaperNumberName[]): Html {
  const rows = names.map((name) => {
    const { what, unit, where } = PAPER_NUMBERS[name]
    const value = unit === '' ? paperText(name) : `${paperText(name)} ${unit}`
    return html`<tr><th scope="row">${what}</th><td>${value}</td><td class="words">${where}</td></tr>`
  })
  return table(['in the paper', '', ''], rows)
}

/** What the paper says, and what came of it here; a row of which nothing was measured is left out. */
export function headlinesTable(headlines: readonly Headline[], report: Report): Html {
  const rows = headlines.flatMap(({ section, what, paper, here }) => {
    const found = here.flatMap((sentence) => fill(sentence, report) ?? [])
    if (found.length === 0) return []
    const lines = found.map((line) => html`<div>${line}</div>`)
    return html`<tr><th scope="row"><a href="#${section}">${what}</a></th><td class="words">${fill(paper, report) ?? ''}</td><td class="words">${lines}</td></tr>`
  })
  return table(['', 'the paper', 'here'], rows, 'words')
}

/** Two columns of words. */
export function factsTable(facts: ReadonlyArray<readonly [name: string, value: string]>): Html {
  const rows = facts.map(
    ([name, value]) => html`<tr><th scope="row">${name}</th><td class="words">${value}</td></tr>`,
  )
  return table([], rows)
}

/** What is wider than the page is moved by itself, also with the keyboard. */
function table(
  heads: readonly string[],
  rows: readonly Html[],
  holds: 'numbers' | 'words' = 'numbers',
): Html {
  const cells = heads.map((head) =>
    head === '' ? html`<td></td>` : html`<th scope="col">${head}</th>`,
  )
  const head = heads.length === 0 ? html`` : html`<thead><tr>${cells}</tr></thead>`
  return html`<div class="wide ${holds}" tabindex="0" role="group" aria-label="table"><table>${head}<tbody>${rows}</tbody></table></div>
`
}

function spreadCell(spread: Spread | undefined, unit = ''): Html {
  if (spread === undefined) return html``
  const { median, min, max } = spread
  const value = unit === '' ? shortNumber(median) : `${shortNumber(median)} ${unit}`
  if (shortNumber(min) === shortNumber(max)) return html`<b>${value}</b>`
  return html`<b>${value}</b> <small>${shortNumber(min)} – ${shortNumber(max)}</small>`
}

/** `figures.waitedP50Ms` -> `waited p50 ms`. */
function words(name: string): string {
  return name
    .slice(name.indexOf('.') + 1)
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])/g, ' ')
    .toLowerCase()
}
