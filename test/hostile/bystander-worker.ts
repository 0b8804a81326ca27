// SPDX-License-Identifier: Apache-2.0
import { Agent, request } from 'node:http'
import { createHistogram } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

/**
 * Runs in a thread of its own: asks the server how it is without a pause, and is its second client, with an
 * address of its own, which writes a row and reads it. What is shared with the main thread, as doubles:
 *
 *     0 the longest wait for health    1 when the wait that is going on began (0: none)
 *     2 health asked    3 small requests served    4 those that were not served    5 whether to end
 *
 * `bystanders.ts` reads them. At its end it posts how long 99 of 100 waits for health were at most, in milliseconds.
 */
const { url, shared } = workerData as { url: string; shared: SharedArrayBuffer }
const figures = new Float64Array(shared)

const now = () => performance.timeOrigin + performance.now()

function ask(agent: Agent, method: string, path: string, body?: string): Promise<[number, string]> {
  const { promise, resolve, reject } = Promise.withResolvers<[number, string]>()
  const headers = body === undefined ? {} : { 'content-type': 'application/json' }
  const sent = request(new URL(path, url), { method, agent, headers }, (response) => {
    let text = ''
    response.setEncoding('utf8').on('data', (chunk) => {
      text += chunk
    })
    response.on('end', () => resolve([response.statusCode ?? 0, text]))
    response.on('error', reject)
  })
  sent.on('error', reject)
  sent.end(body)
  return promise
}

const isGoingOn = () => figures[5] === 0
const add = (index: number) => {
  figures[index] = (figures[index] ?? 0) + 1
}

const waits = createHistogram()

/** Through a connection that stays, and one time in ten as somebody who has just come. */
async function askHealth(): Promise<void> {
  const localAddress = '127.0.0.3'
  const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress })
  const newcomer = new Agent({ keepAlive: false, localAddress })
  for (let times = 1; isGoingOn(); times += 1) {
    const began = now()
    figures[1] = began
    const isWell = await ask(times % 10 === 0 ? newcomer : agent, 'GET', '/healthz').then(
      ([status]) => status === 200,
      () => false,
    )
    figures[1] = 0
    const waitedMs = now() - began
    figures[0] = Math.max(figures[0] ?? 0, isWell ? waitedMs : Number.POSITIVE_INFINITY)
    waits.record(Math.ceil(waitedMs * 1_000))
    add(2)
    await sleep(2)
  }
  agent.destroy()
}

async function workAsOthers(): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: 1, localAddress: '127.0.0.2' })
  for (let id = 1; isGoingOn(); id += 1) {
    const served = await (async () => {
      const insert = `INSERT INTO small (id, n) VALUES (${id}, ${id})`
      const [written] = await ask(agent, 'POST', '/v1/query', JSON.stringify({ sql: insert }))
      const [read, text] = await ask(agent, 'GET', `/v1/tables/small/rows/${id}`)
      return written === 200 && read === 200 && JSON.parse(text).n === id
    })().catch(() => false)
    add(served ? 3 : 4)
    await sleep(20)
  }
  agent.destroy()
}

await Promise.all([askHealth(), workAsOthers()])
parentPort?.postMessage({ healthP99Ms: waits.percentile(99) / 1_000 })
parentPort?.close()
