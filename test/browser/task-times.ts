// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { Page } from 'playwright-core'

type TraceEvent = {
  readonly name: string
  readonly ph: string
  readonly pid: number
  readonly tid: number
  /** How long it took, and how much of that its thread ran, in microseconds. */
  readonly dur?: number
  readonly tdur?: number
  readonly args?: { readonly name?: string }
}

/**
 * The longest tasks of the page's main thread while `work` is under way, in milliseconds, the longest first. Of each
 * the time that the thread ran: a machine that does something else as well makes them late, and not long.
 */
export async function longestTasks(page: Page, work: () => Promise<unknown>): Promise<number[]> {
  const browser = page.context().browser()
  assert.ok(browser)
  await browser.startTracing(page, { categories: ['toplevel'] })
  let trace: Buffer
  try {
    await work()
  } finally {
    trace = await browser.stopTracing()
  }
  const { traceEvents } = JSON.parse(trace.toString()) as { readonly traceEvents: TraceEvent[] }
  const threadOf = ({ pid, tid }: TraceEvent) => `${pid} ${tid}`
  const main = new Set(
    traceEvents
      .filter(({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain')
      .map(threadOf),
  )
  const tasks = traceEvents.filter(
    (event) => event.ph === 'X' && /RunTask$/.test(event.name) && main.has(threadOf(event)),
  )
  assert.ok(tasks.length > 0, 'Chromium has told of its tasks')
  return tasks
    .map(({ dur = 0, tdur = dur }) => tdur / 1_000)
    .toSorted((a, b) => b - a)
    .slice(0, 10)
}
