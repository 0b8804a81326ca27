// SPDX-License-Identifier: Apache-2.0
import { constants, setPriority } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'
import type { Browser, Page } from 'playwright-core'
import type { HttpSettings } from '../../../bench/load/http-workload.ts'
import { LoadProcess } from '../../../bench/load/load-process.ts'
import { endMisused, scriptFlags } from '../../../tools/script-flags.ts'
import { chromiumSkipReason, launchChromium } from '../../browser/chromium.ts'
import { longestTasks } from '../../browser/task-times.ts'
import { testFolder } from '../../test-folder.ts'
import { buildConsole } from '../built-console.ts'
import { BUSY_VIEWS, type BusyView } from './busy-views.ts'

const USAGE = `npm run test:console [-- --only View] [--seconds 10]

The console in Chromium, in each of its views, at a server with 100,000 rows in a table, 1,000 changes of them a second
and 10,000 subscriptions. Prints the longest task of the page's main thread, and the p99 of GETs by primary key, in an
open loop, without the page and with it, one pair for each view, the order turned round from pair to pair. Fails by its
exit code where a task is longer than 100 ms. Needs Chromium: test/browser/chromium.sh.

  --only     one view: ${BUSY_VIEWS.map(({ title }) => title).join(', ')}
  --seconds  for how long each view is looked at, and each p99 taken`

const TASK_MS_MAX = 100
const GETS_PER_SECOND = 200
const CONNECTIONS = 16
/** After a page has come or gone. */
const SETTLE_MS = 1_000

const { values } = scriptFlags(USAGE, {
  only: { type: 'string' },
  seconds: { type: 'string', default: '10' },
})
const seconds = Number(values.seconds)
const views = BUSY_VIEWS.filter(({ title }) => values.only === undefined || title === values.only)
if (views.length === 0) endMisused(USAGE, `There is no --only ${values.only}.`)
if (!(seconds > 0)) endMisused(USAGE, '--seconds is a number above 0.')
const missing = chromiumSkipReason()
if (missing !== false) endMisused(USAGE, missing)

type Looked = { readonly view: BusyView; readonly tasks: readonly number[] } & Pair
type Pair = { readonly without: number; readonly with: number }

const { CHANGES_PER_SECOND, LoadedServer, ROWS, SUBSCRIPTIONS } = await import('./loaded-server.ts')
await using cleaning = new AsyncDisposableStack()
buildConsole()
const folder = await testFolder({ after: (clean) => cleaning.defer(clean) }, 'console-load')
const server = await LoadedServer.start(folder)
cleaning.defer(() => server.stop())
await server.fill()
const settings: HttpSettings = { origin: server.url, request: 'get', rows: ROWS }
const gets = await LoadProcess.open({
  module: new URL('../../../bench/load/http-workload.ts', import.meta.url).href,
  settings,
  clients: CONNECTIONS,
  seed: 1,
})
cleaning.defer(() => gets.close())
// Of this thread and of what it starts: browser, writer and subscribers stand for other machines, and must not take the
// processor of what is measured.
setPriority(constants.priority.PRIORITY_LOW)
await server.subscribe()
server.change()
const browser = await launchChromium()
cleaning.defer(() => browser.close())
const said = `${count(ROWS)} rows, ${count(CHANGES_PER_SECOND)} changes a second, ${count(SUBSCRIPTIONS)} subscriptions`
console.log(`${said}; longest tasks of ${seconds} s, p99 of ${GETS_PER_SECOND} GETs a second\n`)
await p99()
const looked: Looked[] = []
for (const [at, view] of views.entries()) {
  looked.push(await lookAt(browser, view, at % 2 === 0))
  print(looked.at(-1) as Looked)
}
sum(looked)

/** One view, and a pair of figures of the server: first without the page, or first with it. */
async function lookAt(from: Browser, view: BusyView, isBare: boolean): Promise<Looked> {
  const before = isBare ? await p99() : undefined
  const changes = server.changes
  const startedMs = performance.now()
  const { page, tasks } = await open(from, view)
  const both = { view, tasks, with: await p99() }
  await page.context().close()
  const rate = (1_000 * (server.changes - changes)) / (performance.now() - startedMs)
  if (rate < CHANGES_PER_SECOND / 2) console.log(`only ${Math.round(rate)} changes a second`)
  return { ...both, without: before ?? (await p99()) }
}

/** The page when it has been worked with, and its longest tasks meanwhile, in milliseconds. */
async function open(from: Browser, { hash, work }: BusyView) {
  const context = await from.newContext({
    locale: 'en-US',
    viewport: { width: 1280, height: 800 },
  })
  const page: Page = await context.newPage()
  const tasks = await longestTasks(page, async () => {
    await page.goto(`${server.url}/console/${hash}`)
    await Promise.all([work(page), delay(1_000 * seconds)])
  })
  return { page, tasks }
}

/** Of GETs, in milliseconds, from when each should have begun. */
async function p99(): Promise<number> {
  await delay(SETTLE_MS)
  const order = { seconds, ratePerSecond: GETS_PER_SECOND }
  const { latency } = await gets.run(order, AbortSignal.timeout(10_000 * seconds))
  return latency?.p99 ?? Number.NaN
}

function print({ view, tasks, without, with: together }: Looked): void {
  const longest = tasks.slice(0, 3).map((ms) => Math.round(ms))
  const ratio = (together / without).toFixed(2)
  console.log(
    `${view.title.padEnd(14)} tasks ${longest.join(', ').padEnd(16)} ms   p99 ` +
      `${ms(without)} without, ${ms(together)} with the page: ${ratio}`,
  )
}

function sum(all: readonly Looked[]): void {
  const ratios = all.map((one) => one.with / one.without).toSorted((a, b) => a - b)
  const median = ratios[ratios.length >> 1] as number
  const spread = `${ratios[0]?.toFixed(2)} to ${ratios.at(-1)?.toFixed(2)}`
  console.log(
    `\np99 with the page / without: ${median.toFixed(2)} (${spread}, ${all.length} pairs)`,
  )
  const long = all.filter(({ tasks }) => Number(tasks[0]) > TASK_MS_MAX)
  for (const { view, tasks } of long) console.log(`FAULT ${view.title}: a task of ${tasks[0]} ms`)
  if (long.length > 0) process.exitCode = 1
}

function ms(value: number): string {
  return `${value.toFixed(1)} ms`
}

function count(value: number): string {
  return value.toLocaleString('en')
}
