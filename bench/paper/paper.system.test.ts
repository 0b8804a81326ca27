// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { access, readFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { before, describe, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { testFolder } from '../../test/test-folder.ts'
import { readCall } from '../harness/command-line.ts'
import { figure8 } from '../micro/figure-8.ts'
import { oneCommit } from '../notifications/one-commit.ts'
import { scanning } from '../notifications/scanning.ts'
import { gatherFacts, makeReport, type Report } from '../report/report.ts'
import { shortNumber } from '../report/report-table.ts'
import { runShortly } from '../servers/peer-tests.ts'
import { HEADLINES } from './page/headlines.ts'
import { paperPage } from './page/paper-page.ts'
import { SECTIONS } from './page/sections.ts'
import { PAPER_NUMBERS, type PaperNumberName, paperText } from './paper-numbers.ts'
import { paperSuite } from './paper-suite.ts'
import { keptJson, trimmed, writePaper } from './write-paper.ts'

const KEPT = fileURLToPath(new URL('../../docs/paper', import.meta.url))
const KEPT_BYTES_MAX = 300_000
const NUMBER = /\d+(,\d{3})*(\.\d+)?/g

/** Every number that a report has, as the page writes it, and all that stand in its texts. */
function numbersOf(value: unknown, found = new Set<string>()): Set<string> {
  if (typeof value === 'number') {
    for (const [text] of shortNumber(value).matchAll(NUMBER)) found.add(text)
    found.add(String(value))
  } else if (typeof value === 'string') {
    for (const [text] of value.matchAll(NUMBER)) found.add(text)
  } else if (Array.isArray(value)) {
    found.add(String(value.length))
    for (const one of value) numbersOf(one, found)
  } else if (value !== null && typeof value === 'object') {
    for (const [name, one] of Object.entries(value)) {
      numbersOf(name, found)
      numbersOf(one, found)
    }
  }
  return found
}

function numbersOfPaper(): Set<string> {
  const found = new Set<string>()
  for (const name of Object.keys(PAPER_NUMBERS) as PaperNumberName[]) {
    found.add(paperText(name))
    numbersOf(PAPER_NUMBERS[name].where, found)
  }
  return found
}

/** What a reader sees as text, without the plots, whose axes have numbers of their own. */
function textOf(page: string): string {
  return page
    .replaceAll(/<(style|svg)\b.*?<\/\1>/gs, ' ')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll('&amp;', '&')
}

function strangersOn(page: string, report: Report): string[] {
  const known = new Set([...numbersOf(report), ...numbersOfPaper()])
  return [...textOf(page).matchAll(NUMBER)].flatMap(([text]) => (known.has(text) ? [] : text))
}

describe('the page of a small run', () => {
  let report: Report
  let page: string

  before(async () => {
    const size = { rows: 2_000, dirty: 500, seconds: 0.6, repetitions: 1 }
    const experiments = [scanning(size), oneCommit(), figure8(1_000)]
    const measured = []
    for (const experiment of experiments) measured.push(await runShortly(experiment))
    const facts = await gatherFacts('paper', { quick: 'yes', tree: '/somewhere' }, tmpdir())
    report = trimmed(makeReport(facts, paperSuite, measured))
    page = await paperPage(report)
  })

  test('is the same text, made again of the JSON that was written', async () => {
    assert.equal(await paperPage(trimmed(JSON.parse(keptJson(report)))), page)
  })

  test('has no number that is neither in its JSON nor of the paper', () => {
    assert.deepEqual(strangersOn(page, report), [])
    const [goal] = report.experiments.at(-1)?.goals ?? []
    assert.ok(goal)
    const changed = page.replace(`<b>${shortNumber(goal.measured.median)}`, '<b>98.765')
    assert.deepEqual(strangersOn(changed, report), ['98.765'])
  })

  test('asks for nothing, runs nothing, and names nothing twice', () => {
    assert.doesNotMatch(page, /<script|<link|<img|@import|url\((?!#)|\son\w+=/)
    const deps = [...page.matchAll(/(?:src|href)="([^"]*)"/g)].map(([, to = '']) => to)
    assert.ok(deps.length > 0 && deps.every((to) => to.startsWith('#')), deps.join(' '))
    const ids = [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => id)
    assert.deepEqual(ids.toSorted(), [...new Set(ids)].toSorted())
    for (const to of deps) assert.ok(ids.includes(to.slice(1)), to)
  })

  test('is written with its report and its plots, and then written again from there', async (t) => {
    const folder = await testFolder(t, 'paper-test')
    const files = await writePaper(folder, report)
    assert.deepEqual(files.slice(0, 3), ['report.json', 'paper.html', 'scanning-places.svg'])
    const text = await readFile(join(folder, 'report.json'), 'utf8')
    const again = join(folder, 'again')
    await writePaper(again, JSON.parse(text))
    for (const file of files) {
      const texts = [folder, again].map((one) => readFile(join(one, file), 'utf8'))
      const [first, second] = await Promise.all(texts)
      assert.equal(second, first, file)
    }
  })

  test('says what a sample must have and did not, at its experiment', async () => {
    const { contenders = [], ...experiment } = report.experiments.at(-1) ?? {}
    const [first, ...others] = contenders
    const findings = { lines: [], data: null, failures: ['a sum is wrong'] }
    const samples = first?.samples.map((sample) => ({ ...sample, findings }))
    const failed = { ...experiment, contenders: [{ ...first, samples }, ...others] }
    const changed = await paperPage({ ...report, experiments: [failed] } as Report)
    assert.match(changed, /must have, and did not:<\/p>\s*<ul><li>.*: a sum is wrong<\/li>/)
    assert.doesNotMatch(page, /must have, and did not/)
  })

  test('says what was not measured, and does not say where the sources lay', () => {
    assert.match(page, /This was not measured in this run\./)
    assert.doesNotMatch(page + keptJson(report), /somewhere/)
    assert.doesNotMatch(page, /NaN|undefined|Infinity/)
  })
})

test('sentences of the page have no digits of their own', () => {
  for (const { section, what, paper, here } of HEADLINES) {
    assert.ok(
      SECTIONS.some(({ id }) => id === section),
      section,
    )
    for (const sentence of [what, paper, ...here]) {
      assert.doesNotMatch(sentence.replaceAll(/\{[^}]*\}/g, ''), /\d/, section)
    }
  }
  for (const { id, title, paper, here, found, apart } of SECTIONS) {
    for (const sentence of [title, ...paper, ...here, ...found, ...apart]) {
      assert.doesNotMatch(sentence.replaceAll(/\{[^}]*\}/g, ''), /\d/, id)
    }
  }
})

test('every experiment of the suite has its section, in both sizes', () => {
  const beginnings = SECTIONS.flatMap(({ experiments }) => Object.keys(experiments))
  for (const flags of [[], ['--quick']]) {
    const names = readCall(flags, paperSuite).experiments.map(({ name }) => name)
    assert.equal(new Set(names).size, names.length)
    const homeless = names.filter((name) => !beginnings.some((one) => name.startsWith(one)))
    assert.deepEqual(homeless, [])
    for (const one of beginnings)
      assert.ok(
        names.some((name) => name.startsWith(one)),
        one,
      )
  }
})

test('each goal and each contender that a sentence names is one of an experiment, or of the kept run', async (t) => {
  const known = [[], ['--quick']].flatMap((flags) => readCall(flags, paperSuite).experiments)
  const notes = known.flatMap((experiment) => experiment.notes ?? [])
  const leftOut = notes.find((note) => note.startsWith('Left out'))
  if (leftOut !== undefined && process.env.CI !== 'true') return t.skip(leftOut)
  const kept = JSON.parse(await readFile(join(KEPT, 'report.json'), 'utf8')) as Report
  const goals = [...known, ...kept.experiments].flatMap((one) => one.goals.map(({ what }) => what))
  const sentences = [
    ...SECTIONS.flatMap(({ found }) => found),
    ...HEADLINES.flatMap(({ here }) => here),
  ]
  const named = [...sentences.join(' ').matchAll(/\{goal: ([^}]+)\}/g)]
  for (const [, what = ''] of named) assert.ok(goals.includes(what), what)
  const figures = SECTIONS.flatMap(({ found }) => [
    ...found.join(' ').matchAll(/\{figure: ([^|}]+) \| ([^|}]+) \| [^}]+\}/g),
  ])
  for (const [text, name, contender = ''] of figures) {
    const experiment = known.find((one) => one.name === name)
    assert.ok(
      experiment?.contenders.some((one) => one.name.includes(contender)),
      text,
    )
  }
})

test('the page that is kept is that of the report beside it', async (t) => {
  const file = join(KEPT, 'report.json')
  const isThere = await access(file).then(
    () => true,
    () => false,
  )
  if (!isThere) return t.skip('no run is kept in docs/paper')
  const text = await readFile(file, 'utf8')
  const report = JSON.parse(text) as Report
  const page = await readFile(join(KEPT, 'paper.html'), 'utf8')
  assert.ok(text.length < KEPT_BYTES_MAX, `${text.length} bytes`)
  assert.equal(keptJson(trimmed(report)), text)
  assert.equal(await paperPage(report), page)
  assert.deepEqual(strangersOn(page, report), [])
})
