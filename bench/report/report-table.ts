// SPDX-License-Identifier: Apache-2.0

import type { Sample } from '../harness/sample.ts'
import type { FittedLine } from './line-fit.ts'
import type { Report, ReportedContender, ReportedExperiment } from './report.ts'
import type { Spread } from './statistics.ts'
import type { JudgedGoal } from './verdict.ts'

/** The report as text: what the machine is, then for each experiment its figures and its goals. */
export function formatReport(report: Report): string {
  return [
    ...headOf(report),
    ...report.experiments.flatMap((experiment) => ['', ...experimentLines(experiment)]),
    ...goalTable(report.experiments),
    '',
  ].join('\n')
}

function headOf(report: Report): string[] {
  const { machine, versions, source, settings } = report
  const disk =
    machine.disk === undefined
      ? 'unknown disk'
      : `${machine.disk.fileSystem} on ${machine.disk.device}`
  const commit =
    source === undefined
      ? 'no commit known'
      : `commit ${source.commit.slice(0, 12)}${source.changed ? ', changed' : ''}`
  const set = Object.entries(settings).map(([name, value]) => `${name} ${value}`)
  return [
    report.title,
    '',
    `${machine.processor}, ${machine.cores} cores, ${machine.memoryMiB} MiB, ${machine.system}, ${disk}`,
    `node ${versions.node}, SQLite ${versions.sqlite}, percolite ${versions.percolite}, ${commit}`,
    `${report.startedAt}, ${set.join(', ')}`,
    ...report.notes.flatMap((note) => ['', note]),
  ]
}

function experimentLines(experiment: ReportedExperiment): string[] {
  const { name, title, unit, contenders, notes, fits } = experiment
  const lines = [`${name}: ${title}`]
  const rows = contenders.map((contender) => contenderRow(contender))
  const heads = ['', `${unit}/s`, 'min - max', 'CPU µs each', 'further']
  lines.push(...alignColumns([heads, ...rows]))
  const found = contenders.flatMap(({ name: of, samples }) => findingLines(of, samples))
  const fitted = fits.map((line) => `  A line through 0. ${fitWords(line)}`)
  return [...lines, ...found, ...fitted, ...notes.map((note) => `  ${note}`)]
}

/** What the last sample of a contender has found out, and what is wrong with any of them. */
function findingLines(name: string, samples: readonly Sample[]): string[] {
  const last = samples.at(-1)?.findings
  if (last === undefined) return []
  const failures = samples.flatMap(({ findings }) => findings?.failures ?? [])
  return ['', `  ${name}`, ...[...last.lines, ...failures].map((line) => `    ${line}`)]
}

function contenderRow({ name, figures }: ReportedContender): string[] {
  const rate = figures.operationsPerSecond
  const cpu = figures.cpuMicrosPerOperation
  const further = Object.entries(figures)
    .filter(([figure]) => figure.includes('.') || figure.startsWith('driver'))
    .map(([figure, spread]) => `${figureLabel(figure)} ${shortNumber(spread.median)}`)
  return [
    name,
    rate === undefined ? '' : shortNumber(rate.median),
    rate === undefined ? '' : range(rate),
    cpu === undefined ? '' : shortNumber(cpu.median),
    further.join(', '),
  ]
}

/** `latency.p99` -> `p99 ms`; other figures say their unit in their own name. */
function figureLabel(figure: string): string {
  if (figure === 'driverCpuMicrosPerOperation') return 'driver CPU µs'
  const field = figure.slice(figure.indexOf('.') + 1)
  if (!figure.startsWith('latency.')) return field
  return field === 'p999' ? 'p99.9 ms' : `${field} ms`
}

function goalTable(experiments: readonly ReportedExperiment[]): string[] {
  const goals = experiments.flatMap((experiment) => experiment.goals)
  if (goals.length === 0) return []
  const heads = [
    'what',
    'measured',
    'half lie in',
    'min - max',
    'by CPU',
    'must',
    'aim',
    'paper',
    'verdict',
  ]
  return ['', 'Goals', ...alignColumns([heads, ...goals.map(goalRow)])]
}

function goalRow(goal: JudgedGoal): string[] {
  const unit = goal.unit ?? 'x'
  const { measured } = goal
  const sign = goal.smallerIsBetter === true ? '<= ' : '>= '
  const bound = (value: number | undefined) =>
    value === undefined ? '' : sign + shortNumber(value)
  return [
    goal.what,
    `${shortNumber(measured.median)} ${unit}`,
    `${shortNumber(measured.lower)} - ${shortNumber(measured.upper)}`,
    range(measured),
    goal.byCpu === undefined ? '' : shortNumber(goal.byCpu.median),
    bound(goal.must),
    bound(goal.aim),
    goal.paper === undefined ? '' : shortNumber(goal.paper),
    goal.verdict,
  ]
}

/** `TR/s per core used: 21.6, R² 0.98`. */
export function fitWords({ fit, slope, r2 }: FittedLine): string {
  return `${fit.what}: ${shortNumber(slope)}${r2 === undefined ? '' : `, R² ${shortNumber(r2)}`}`
}

function range({ min, max }: Spread): string {
  return `${shortNumber(min)} - ${shortNumber(max)}`
}

/** Three significant digits, with thousands as k and millions as M. */
export function shortNumber(value: number): string {
  const size = Math.abs(value)
  if (size >= 999_500) return `${Number((value / 1e6).toPrecision(3))} M`
  if (size >= 9_995) return `${Number((value / 1e3).toPrecision(3))} k`
  if (size >= 100) return String(Math.round(value))
  return String(Number(value.toPrecision(3)))
}

/** The first and the last column to the left, the others to the right; the last is not padded. */
export function alignColumns(rows: ReadonlyArray<readonly string[]>): string[] {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  )
  return rows.map((row) => {
    const cells = row.map((cell, column) => {
      const isLast = column === row.length - 1
      if (isLast) return cell
      const width = widths[column] as number
      return column === 0 ? cell.padEnd(width) : cell.padStart(width)
    })
    return `  ${cells.join('  ')}`.trimEnd()
  })
}
