// SPDX-License-Identifier: Apache-2.0
import type { Check } from './check.ts'
import type { ExportReport } from './export.ts'
import type { LoadReport } from './load.ts'
import type { Hit } from './search.ts'

const HITS_SHOWN = 5
const DIFFERENCES_SHOWN = 10

export function loaded(report: LoadReport, crawlers: number): void {
  const { fetches, crawlSeconds, restSeconds, statuses } = report
  console.log(`crawled ${fetches} pages in ${seconds(crawlSeconds)} with ${crawlers} crawlers`)
  console.log(`the observers were at rest ${seconds(restSeconds)} later:`)
  console.log(`  ${'observer'.padEnd(18)}${['runs', 'conflicts', 'failures'].map(wide).join('')}`)
  for (const { observer, runs, conflicts, failures } of statuses) {
    console.log(`  ${observer.padEnd(18)}${[runs, conflicts, failures].map(wide).join('')}`)
  }
}

export function found(words: readonly string[], hits: readonly Hit[]): void {
  const pages = hits.length === 1 ? 'one page' : `${hits.length} pages`
  console.log(`search ${words.join(' ')}: ${pages}`)
  for (const { url, title, count, rank, copies } of hits.slice(0, HITS_SHOWN)) {
    const alike = copies === 0 ? '' : `, ${copies} like it`
    console.log(`  ${url}  "${title}", words ${count} x rank ${(rank / 1000).toFixed(3)}${alike}`)
  }
}

export function changed(url: string, text: string, ms: number): void {
  console.log(`change ${url}: found by "${text}" ${Math.round(ms)} ms after its commit`)
}

export function checked({ rows, differences }: Check): void {
  console.log(`rows: ${[...rows].map(([table, count]) => `${count} ${table}`).join(', ')}`)
  if (differences.length === 0) {
    console.log('check: every table equals a recomputation of everything')
    return
  }
  console.log(`check: ${differences.length} differences from a recomputation of everything`)
  for (const line of differences.slice(0, DIFFERENCES_SHOWN)) console.log(`  ${line}`)
}

export function exported({ clusters, messages }: ExportReport): void {
  console.log(
    `export: the receiver of the relay has these ${clusters} clusters, by ${messages} messages`,
  )
}

function seconds(count: number): string {
  return `${count.toFixed(1)} s`
}

function wide(value: number | string): string {
  return String(value).padStart(11)
}
