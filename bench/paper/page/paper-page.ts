// SPDX-License-Identifier: Apache-2.0
import type { Plot } from '../../harness/experiment.ts'
import { drawPlots, subtitleOf } from '../../report/plot.ts'
import { failuresOf, type Report, type ReportedExperiment } from '../../report/report.ts'
import { shortNumber } from '../../report/report-table.ts'
import { fill, type Sentence } from './fill.ts'
import { HEADLINES } from './headlines.ts'
import { type Html, html, raw } from './html.ts'
import { PAGE_STYLE } from './page-style.ts'
import { type PaperSection, SECTIONS } from './sections.ts'
import { factsTable, figuresTable, goalsTable, headlinesTable, paperTable } from './tables.ts'

const TITLE = 'The evaluation of the Percolator paper, measured again'

/**
 * One HTML file of what was measured, in the order of the paper: it asks for nothing and runs no script.
 * The same report gives the same text.
 */
export async function paperPage(report: Report): Promise<string> {
  const sections: Html[] = []
  for (const section of SECTIONS) sections.push(await sectionHtml(section, report))
  const beginnings = SECTIONS.flatMap((section) => Object.keys(section.experiments))
  const others = report.experiments.filter(
    ({ name }) => !beginnings.some((beginning) => name.startsWith(beginning)),
  )
  const further: Html[] = []
  for (const experiment of others) further.push(await experimentHtml(experiment, []))
  const page = html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${TITLE}</title>
<style>${raw(PAGE_STYLE)}</style>
</head>
<body>
<header>
<h1>${TITLE}</h1>
<p>Daniel Peng and Frank Dabek described Percolator in “Large-scale Incremental Processing Using Distributed Transactions and Notifications”, and measured it. Percolite is a database server on the same protocol. Here it does what they did, as far as one machine goes: each part says what they found, what was done here, what came of it, and what of that must not be compared.</p>
<p>Each figure is the median of its repetitions; the two numbers under it are the least and the most of them. Ratios are taken between neighbours in time, in each repetition, before the median is. Where a plot has marks for must and aim, these are goals that Percolite has set itself, and not of the paper.</p>
</header>
<nav aria-label="parts"><ul>${SECTIONS.map(({ id, title, place }) => html`<li><a href="#${id}">${title}</a> <span class="soft">${place}</span></li>`)}</ul></nav>
<main>
<h2>In short</h2>
${headlinesTable(HEADLINES, report)}
${sections}${further.length === 0 ? html`` : html`<h2>Further</h2>${further}`}
${runHtml(report)}
</main>
</body>
</html>
`
  return page.html
}

async function sectionHtml(section: PaperSection, report: Report): Promise<Html> {
  const { id, title, place, paper, here, found, apart, numbers, experiments } = section
  const measured: Html[] = []
  // What several experiments of a section say stands at the first of them.
  const said = new Set<string>()
  for (const [beginning, columns] of Object.entries(experiments)) {
    for (const experiment of report.experiments) {
      if (!experiment.name.startsWith(beginning)) continue
      const notes = experiment.notes.filter((note) => !said.has(note))
      for (const note of notes) said.add(note)
      measured.push(await experimentHtml({ ...experiment, notes }, columns))
    }
  }
  const findings = measured.length === 0 ? ['This was not measured in this run.'] : found
  return html`<section id="${id}">
<h2><span class="place">${place}</span>${title}</h2>
<h3>What the paper found</h3>
${paragraph(paper, report)}
${numbers.length === 0 ? html`` : paperTable(numbers)}
<h3>What was done here</h3>
${paragraph(here, report)}
<h3>What came of it</h3>
${paragraph(findings, report)}
${measured}
<div class="apart"><h3>Not comparable</h3>
<ul>${apart.map((sentence) => html`<li>${fill(sentence, report) ?? ''}</li>`)}</ul></div>
</section>
`
}

function paragraph(sentences: readonly Sentence[], report: Report): Html {
  const filled = sentences.flatMap((sentence) => fill(sentence, report) ?? [])
  return filled.length === 0 ? html`` : html`<p>${filled.join(' ')}</p>`
}

async function experimentHtml(
  experiment: ReportedExperiment,
  columns: readonly string[],
): Promise<Html> {
  const { name, title, goals, notes, plots, contenders, tookSeconds } = experiment
  const drawn = await drawPlots(experiment, 'page')
  const figures = plots.flatMap((plot) => {
    const svg = drawn.get(plot.name)
    return svg === undefined ? [] : [figureHtml(plot, svg)]
  })
  const samples = Math.max(0, ...contenders.map((contender) => contender.samples.length))
  const took = tookSeconds === undefined ? '' : ` It took ${shortNumber(tookSeconds)} s.`
  return html`<h4>${title}</h4>
${failuresHtml(failuresOf({ experiments: [experiment] }))}
${goals.length === 0 ? html`` : goalsTable(goals)}
${figuresTable(experiment, columns)}
${figures}
<p class="soft">Experiment ${name}, repetitions: ${shortNumber(samples)}.${took}</p>
${notes.length === 0 ? html`` : html`<ul class="soft">${notes.map((note) => html`<li>${withCode(note.replace(/^[-\s]+/, ''))}</li>`)}</ul>`}
`
}

/** Before the figures, so that nobody takes them for what they are not. */
function failuresHtml(failures: readonly string[]): Html {
  if (failures.length === 0) return html``
  return html`<div class="apart"><p>What this run must have, and did not:</p>
<ul>${failures.map((failure) => html`<li>${failure}</li>`)}</ul></div>`
}

/** Names stand between backquotes in notes. */
function withCode(note: string): Html[] {
  return note
    .split('`')
    .map((part, at) => (at % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

/** As one picture: Vega names each of its marks. Ids are of one plot, and a page has several. */
function figureHtml(plot: Plot, svg: string): Html {
  const { title, name } = plot
  const picture = html` role="img" aria-label="${title}"`.html
  const inline = svg
    .replaceAll(/ (role|aria-\w+)="[^"]*"/g, '')
    .replace(/ width="\d+(\.\d+)?" height="\d+(\.\d+)?"/, () => picture)
    .replaceAll(/(?<= id="|url\(#)own-/g, `${name}-`)
  return html`<figure>${raw(inline)}<figcaption>${title}: ${subtitleOf(plot)}</figcaption></figure>
`
}

function runHtml(report: Report): Html {
  const { machine, versions, source, settings, startedAt, endedAt, notes } = report
  const { disk } = machine
  const commit = source === undefined ? 'unknown' : source.commit
  const list = (values: Readonly<Record<string, string | number>>) =>
    Object.entries(values)
      .filter(([, value]) => value !== '')
      .map(([name, value]) => `${name} ${value}`)
      .join(', ')
  return html`<section id="run"><h2>The run</h2>
${factsTable([
  ['processor', machine.processor],
  ['cores', String(machine.cores)],
  ['memory, MiB', String(machine.memoryMiB)],
  ['system', machine.system],
  ['load when it began', shortNumber(machine.load)],
  ['disk', disk === undefined ? 'unknown' : `${disk.fileSystem} on ${disk.device}`],
  ['commit', source?.changed === true ? `${commit}, changed` : commit],
  ['versions', list(versions)],
  ['settings', list(settings)],
  ['began', startedAt],
  ['ended', endedAt],
])}
${notes.map((note) => html`<p>${withCode(note)}</p>`)}
</section>`
}
