// SPDX-License-Identifier: Apache-2.0
import type { Plot } from '../../harness/experiment.ts'
import { drawPlots, subtitleOf } from '../../report/plot.ts'
import { failuresOf, type Report, type ReportedExperiment } from '../../report/report.ts'
import { shortNumber } from '../../report/report-table.ts'
import { fill, type Sentence } from './fill.ts'
import { HEADLINES } from './headlines.ts'
import { type Html, html, raw } from './html.ts'
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

const LIGHT =
  '--ink:#1c2024;--soft:#5c6670;--rule:#d9dee3;--page:#ffffff;--box:#f5f7f9;--bar:#3466a5;'
const DARK =
  '--ink:#e4e8ec;--soft:#9aa5b0;--rule:#39424b;--page:#15191d;--box:#1e242a;--bar:#6f9fdc;'

/** Of the whole page: both schemes, from 360 pixels on, and on paper. */
const PAGE_STYLE = `
:root{color-scheme:light dark;${LIGHT}}
@media (prefers-color-scheme:dark){:root{${DARK}}}
*{box-sizing:border-box}
body{margin:0 auto;padding:1.5rem 1rem 4rem;max-width:46rem;background:var(--page);color:var(--ink);
font:1rem/1.55 system-ui,sans-serif;overflow-wrap:break-word}
h1{font-size:1.7rem;line-height:1.2;margin:.5rem 0}
h2{font-size:1.35rem;line-height:1.25;margin:3rem 0 .75rem;padding-top:1rem;border-top:2px solid var(--rule)}
h2 .place,h3 .place{display:block;font-size:.85rem;font-weight:400;color:var(--soft)}
h3{font-size:1.05rem;margin:1.75rem 0 .4rem}
h4{font-size:.95rem;margin:1.25rem 0 .3rem}
p{margin:.5rem 0}
ul{padding-left:1.2rem;margin:.5rem 0}
nav ul{list-style:none;padding:0}
a{color:inherit;text-underline-offset:.15em}
.soft,figcaption,small{color:var(--soft)}
.soft,figcaption{font-size:.875rem}
.apart{background:var(--box);border-left:3px solid var(--bar);padding:.4rem 1rem;margin:1rem 0}
.apart h3{margin-top:.4rem}
.wide{overflow-x:auto;margin:.75rem 0}
table{border-collapse:collapse;font-size:.875rem;font-variant-numeric:tabular-nums}
th,td{text-align:right;vertical-align:top;padding:.3rem .6rem;border-bottom:1px solid var(--rule)}
th:first-child{text-align:left;padding-left:0;min-width:9rem}
th{font-weight:500}thead th{color:var(--soft);font-weight:400;vertical-align:bottom}
td.words,.words thead th{text-align:left}
tbody th a{text-decoration-color:var(--rule)}
td small{display:block;white-space:nowrap}
figure{margin:1.25rem 0}
figure svg{display:block;width:100%;max-width:36rem;height:auto}
code{font-size:.9em}
svg .background{fill:none}
svg>rect{fill:none}
svg text{fill:var(--ink)}
svg [stroke="#ddd"]{stroke:var(--rule)}
svg [stroke="#888"]{stroke:var(--soft)}
svg [stroke="black"]{stroke:var(--ink)}
svg [fill="#3466a5"]{fill:var(--bar)}
@media print{:root{color-scheme:light;${LIGHT}}body{max-width:none;padding:0;font-size:10pt}
h2,h3,h4{break-after:avoid}figure,tr,.apart{break-inside:avoid}.wide{overflow:visible}nav{display:none}}
`
