// SPDX-License-Identifier: Apache-2.0
import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import type { Fault } from './attacker.ts'

/** Another client than those that look on. */
const ADDRESS = '127.0.0.4'
/** So long the connections of one door repeat what they ask. */
const REPEATED_MS = 3_000
const CONNECTIONS = [24, 200]

const TEXT = 'a'.repeat(8_000)
/** About a tenth of a second for one row, and just within what a row may cost. */
const COSTLY = [1, 2, 3].map((n) => `t LIKE '%_${'a'.repeat(800 + n)}b%'`)
const CHECKED = `NOT (t LIKE '%_${'a'.repeat(1_500)}b%')`
const GET = `GET ${COSTLY.map((each, n) => `${each} AS c${n}`).join(', ')} FROM costly WHERE id = 1`
const WHERE = `id = 1 AND (${COSTLY.join(' OR ')})`
const SCAN = `SCAN id FROM costly WHERE ${WHERE}`
const JSON_TYPE = 'application/json'

type Request = {
  readonly method: string
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Texts that the server knows, whose work takes long, repeated on many connections at one door. */
export type CostlyText = {
  readonly name: string
  readonly connections: number
  /** Sent over HTTP; a frame is sent through a socket. */
  readonly asked: Request | { readonly frame: string }
}

const typed = (type: string, body: string, more = {}): Omit<Request, 'path'> => ({
  ...{ method: 'POST', body },
  headers: { 'content-type': type, ...more },
})
const query = (sql: string, more = {}): Request => ({
  path: '/v1/query',
  ...typed(JSON_TYPE, JSON.stringify({ sql }), more),
})
const rows = '/v1/tables/costly/rows'
const row = typed(JSON_TYPE, JSON.stringify({ t: TEXT, n: 1 }))
const where = encodeURIComponent(WHERE)
const snapshot = `/v1/changes?snapshot=true&sql=${encodeURIComponent(SCAN)}`

/** The doors at which a statement runs. */
const DOORS: Readonly<Record<string, CostlyText['asked']>> = {
  'GET as JSON': query(GET),
  'GET as text': { path: '/v1/query', ...typed('text/plain', GET) },
  'GET with one key': query(GET, { 'idempotency-key': 'costly' }),
  'GET in a transaction of its own': query(`BEGIN; ${GET}; COMMIT`),
  'GET in a script': { path: '/v1/scripts', ...typed(JSON_TYPE, JSON.stringify({ sql: GET })) },
  'SET IF json_length': query('SET n = 1 ON costly WHERE id = 1 IF json_length(j) = 0'),
  'rows by a condition': { method: 'GET', path: `${rows}?where=${where}` },
  'PUT of a row': { path: `${rows}/2`, ...row, method: 'PUT' },
  'PATCH of a row': { path: `${rows}/3`, ...row, method: 'PATCH' },
  'changes since now': { method: 'GET', path: snapshot },
  'frames with a query': { frame: JSON.stringify({ type: 'query', id: 'a', sql: GET }) },
}

export function* costlyTexts(): Generator<CostlyText> {
  for (const [door, asked] of Object.entries(DOORS)) {
    for (const connections of CONNECTIONS) {
      yield { name: `${door}, ${connections} connections`, connections, asked }
    }
  }
}

/** What has to be there: statements, in their order. */
export const COSTLY_TABLE: readonly string[] = [
  `CREATE TABLE costly (id INTEGER PRIMARY KEY, n INTEGER, j JSON, t TEXT CHECK (${CHECKED}))`,
  `INSERT INTO costly (id, t, j) VALUES (1, '${TEXT}', '[${'1,'.repeat(499_999)}1]'),
    (2, 'a', NULL), (3, 'a', NULL)`,
]

/** Repeats it on all connections at once for a while. None of its answers may be a fault of the server. */
export async function repeatCostly(url: string, text: CostlyText): Promise<Fault> {
  const agent = new Agent({ keepAlive: true, localAddress: ADDRESS })
  const statuses = new Map<number | string, number>()
  const counted = (status: number | string) => statuses.set(status, (statuses.get(status) ?? 0) + 1)
  const until = performance.now() + REPEATED_MS
  const { asked } = text
  const ends = Array.from({ length: text.connections }, () =>
    'frame' in asked
      ? overSocket(url, asked.frame, until, counted)
      : overHttp(url, asked, { until, agent, counted }),
  )
  await sleep(REPEATED_MS)
  for (const end of ends) end()
  agent.destroy()
  // What is still under way is no fault of what comes next.
  await new Promise((resolve) => request(`${url}/healthz`, { agent: false }, resolve).end())
  const isFault = [...statuses.keys()].some((status) => status === 500 || status === 'internal')
  if (isFault) return 'an internal error'
  return statuses.has(200) ? undefined : `nothing was answered: ${JSON.stringify([...statuses])}`
}

type Counted = (status: number | string) => void

/** One connection that asks again when it has been answered. Returns what ends it. */
function overHttp(
  url: string,
  { method, path, headers, body }: Request,
  { until, agent, counted }: { until: number; agent: Agent; counted: Counted },
): () => void {
  const { hostname, port } = new URL(url)
  const length = body && { 'content-length': String(Buffer.byteLength(body)) }
  const again = () => {
    if (performance.now() >= until) return
    const sent = request(
      { ...{ method, path, hostname, port, agent }, headers: { ...headers, ...length } },
      (response) => {
        counted(response.statusCode ?? 0)
        // A stream of changes goes on for ever.
        if (path.startsWith('/v1/changes')) response.once('data', () => response.destroy())
        response.resume().once('close', again)
      },
    )
    sent.on('error', () => undefined)
    sent.end(body)
  }
  again()
  return () => undefined
}

function overSocket(url: string, frame: string, until: number, counted: Counted): () => void {
  const options = { localAddress: ADDRESS }
  const socket = new WebSocket(`${url.replace('http', 'ws')}/v1/socket`, 'percolite.v1', options)
  socket.on('open', () => socket.send(frame))
  socket.on('error', () => undefined)
  socket.on('message', (data) => {
    const { type, code } = JSON.parse(String(data)) as { type: string; code?: string }
    if (type === 'welcome') return
    counted(type === 'result' ? 200 : (code ?? type))
    if (performance.now() < until) socket.send(frame)
  })
  return () => socket.terminate()
}
