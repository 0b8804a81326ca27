// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'

const TREE = new URL('../..', import.meta.url).href
const INSPECTOR = new URL('open-inspector.ts', import.meta.url).href
const SAMPLES = 5
/** Requests after which what is made once for a text, a connection or a role is there. */
const WARM_REQUESTS = 200
const SETTLE_MS = 50

/** What one request runs through on the main thread: files, functions and calls of this project. */
export type Journey = {
  readonly files: number
  readonly functions: number
  readonly calls: number
  /** Each function as `path#name@offset`, with how often it was called. */
  readonly counts: ReadonlyMap<string, number>
}

type Coverage = {
  readonly result: ReadonlyArray<{
    readonly url: string
    readonly functions: ReadonlyArray<{
      readonly functionName: string
      readonly ranges: ReadonlyArray<{ readonly startOffset: number; readonly count: number }>
    }>
  }>
}

/** A real server whose calls are counted by V8. */
export class CountedServer {
  readonly url: string
  readonly #inspector: WebSocket
  #id = 0

  private constructor(url: string, inspector: WebSocket) {
    this.url = url
    this.#inspector = inspector
  }

  static async start(t: Pick<TestContext, 'after'>): Promise<CountedServer> {
    const folder = await testFolder(t, 'journey')
    const server = await ServerProcess.start(folder, [], { preloaded: INSPECTOR })
    t.after(() => server.killNine())
    const address = /ws:\/\/\S+/.exec(server.said)?.[0]
    if (address === undefined) throw new Error(`there is no inspector:\n${server.said}`)
    const inspector = new WebSocket(address)
    await once(inspector, 'open')
    t.after(() => inspector.close())
    const counted = new CountedServer(server.url, inspector)
    await counted.#call('Profiler.enable')
    await counted.#call('Profiler.startPreciseCoverage', { callCount: true, detailed: false })
    return counted
  }

  /**
   * What every run of `request` goes through once it is warm. A function counts that ran in each of the samples, with
   * its smallest number of calls, so nothing of the background is in it.
   */
  async journeyOf(request: () => Promise<unknown>): Promise<Journey> {
    for (let warmed = 0; warmed < WARM_REQUESTS; warmed += 1) await request()
    let common = await this.#sample(request)
    for (let sample = 1; sample < SAMPLES; sample += 1) {
      const counts = await this.#sample(request)
      common = new Map(
        [...common].flatMap(([name, count]) => {
          const other = counts.get(name)
          return other === undefined ? [] : [[name, Math.min(count, other)] as const]
        }),
      )
    }
    const files = new Set([...common.keys()].map((name) => name.split('#')[0]))
    const calls = [...common.values()].reduce((sum, count) => sum + count, 0)
    return { files: files.size, functions: common.size, calls, counts: common }
  }

  async #sample(request: () => Promise<unknown>): Promise<ReadonlyMap<string, number>> {
    await settled()
    await this.#takeCounts()
    await request()
    await settled()
    return await this.#takeCounts()
  }

  /** Calls since the last time, of the functions of this project; the module itself is none. */
  async #takeCounts(): Promise<ReadonlyMap<string, number>> {
    const { result } = (await this.#call('Profiler.takePreciseCoverage')) as Coverage
    const counts = new Map<string, number>()
    for (const { url, functions } of result) {
      if (!url.startsWith(TREE) || /\/(node_modules|test)\//.test(url)) continue
      for (const { functionName, ranges } of functions) {
        const [{ startOffset = 0, count = 0 } = {}] = ranges
        if (count === 0 || (functionName === '' && startOffset === 0)) continue
        counts.set(
          `${fileURLToPath(url).slice(fileURLToPath(TREE).length)}#${functionName}@${startOffset}`,
          count,
        )
      }
    }
    return counts
  }

  async #call(method: string, params: object = {}): Promise<unknown> {
    this.#id += 1
    const id = this.#id
    this.#inspector.send(JSON.stringify({ id, method, params }))
    for (;;) {
      const [{ data }] = (await once(this.#inspector, 'message')) as [{ readonly data: string }]
      const answer = JSON.parse(data)
      if (answer.id === id) return answer.result
    }
  }
}

/** What follows an answer has been done as well: the rest of its turn, secondaries, timers that are due at once. */
function settled(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, SETTLE_MS))
}
