// SPDX-License-Identifier: Apache-2.0
import { setTimeout as delay } from 'node:timers/promises'
import { readConfig } from '../../server/config.ts'
import { createServer } from '../../server/server.ts'
import { MemoryCellStore } from '../../storage/cells/memory/memory-cell-store.ts'
import { openGateway } from '../../storage/storage.ts'
import { AwayStore } from '../gateways/away-store.ts'
import { Bystanders } from './bystanders.ts'

const CLIENTS = 100
const AWAY_MS = 12_000
/** Ten seconds for a call, and the turn of the others. */
const LONGEST_MS = 15_000

const ASKED = [
  'GET * FROM small WHERE id = 1',
  'SET n = n + 1 ON small WHERE id = 1',
  'INSERT INTO small (id, n) VALUES (2, 2)',
  'SCAN * FROM small USE PRIMARY KEY',
  'BEGIN',
]
const LOOKS = ['/metrics', '/v1/status', '/v1/running', '/v1/activity', '/readyz']

export type BesideAwayStore = {
  readonly sent: number
  /** The longest wait for health. */
  readonly healthMs: number
  readonly faults: readonly string[]
}

/** A hundred clients without a pause at a server whose store hangs, and what everybody is told meanwhile. */
export async function besideAwayStore(): Promise<BesideAwayStore> {
  const store = new AwayStore(new MemoryCellStore())
  const storage = await openGateway(store)
  const server = await createServer(readConfig({ engine: 'memory', port: '0' }), { storage })
  const { url } = await server.listen()
  const faults = new Set<string>()
  let sent = 0
  const ask = async (path: string, sql?: string) => {
    const began = performance.now()
    const options = sql === undefined ? {} : { method: 'POST', body: sql }
    const answer = await fetch(url + path, options)
    const text = await answer.text()
    sent += 1
    if (performance.now() - began > LONGEST_MS) faults.add(`${sql ?? path}: took too long`)
    return { status: answer.status, text }
  }
  await ask('/v1/query', 'CREATE TABLE small (id INTEGER PRIMARY KEY, n INTEGER)')
  await ask('/v1/query', 'INSERT INTO small (id, n) VALUES (1, 1)')
  const bystanders = new Bystanders(url)
  let isOver = false
  const client = async (_: unknown, at: number) => {
    for (let turn = at; !isOver; turn += 1) {
      const sql = ASKED[turn % ASKED.length] as string
      const { status, text } = await ask('/v1/query', sql)
      const isTold = /"code":"(store_unavailable|commit_outcome_unknown)"/.test(text)
      if (!isOver && !(status === 503 && isTold)) faults.add(`${sql}: ${status} ${text}`)
    }
  }
  const look = async (path: string) => {
    for (; !isOver; await delay(100)) {
      const { status } = await ask(path)
      const isRight = status === 200 || (path === '/readyz' && status === 503)
      if (!isRight) faults.add(`${path}: ${status}`)
    }
  }
  store.hang()
  bystanders.forgetWaits()
  const working = [...Array.from({ length: CLIENTS }, client), ...LOOKS.map(look)]
  await delay(AWAY_MS)
  const { longestMs: healthMs } = bystanders
  isOver = true
  store.answer()
  await Promise.all(working)
  const { status, text } = await ask('/v1/query', ASKED[0])
  if (status !== 200) faults.add(`afterwards a row is ${status} ${text}`)
  await bystanders.end()
  await server.close()
  return { sent, healthMs, faults: [...faults] }
}
