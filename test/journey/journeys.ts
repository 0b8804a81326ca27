// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events'
import { Agent, request } from 'node:http'

type Sent = { readonly method?: string; readonly path: string; readonly body?: unknown }

/** One keep-alive connection to a server, as a client has it that sends one request after the other. */
class Connection {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  readonly #url: string
  readonly #token: string | undefined

  constructor(url: string, token?: string) {
    this.#url = url
    this.#token = token
  }

  /** The JSON of the response; rejects with Error where it is none of success. */
  send({ method = 'POST', path, body }: Sent): Promise<Record<string, unknown>> {
    const isText = typeof body === 'string'
    const payload = isText ? body : body && JSON.stringify(body)
    const headers = {
      ...(payload ? { 'content-type': isText ? 'text/plain' : 'application/json' } : {}),
      ...(this.#token && { authorization: `Bearer ${this.#token}` }),
    }
    return new Promise((resolve, reject) => {
      const sent = request(new URL(path, this.#url), { agent: this.#agent, method, headers })
      sent.on('error', reject).on('response', (response) => {
        let text = ''
        response.setEncoding('utf8').on('data', (chunk) => {
          text += chunk
        })
        response.on('end', () => {
          if (response.statusCode === 200 || response.statusCode === 201) resolve(JSON.parse(text))
          else reject(new Error(`${path}: ${response.statusCode} ${text}`))
        })
      })
      sent.end(payload)
    })
  }

  query(sql: string, params?: object): Promise<Record<string, unknown>> {
    return this.send({ path: '/v1/query', body: { sql, ...(params && { params }) } })
  }
}

const GET = 'GET * FROM account WHERE id = :id'
const ROWS = 20
/** From then on a server writes through the redo log, see `RedoUse`. */
const WRITES_BEFORE = 1_500

/** Closes the server to those without a token. Returns a connection for a role that may read what `rule` says. */
async function closedTo(url: string, admin: Connection | undefined, role: string, rule: string) {
  const made = async (by: Connection, name: string, role: string) => {
    const sql = `CREATE TOKEN ${name} ROLE ${role} EXPIRES IN 1 DAY`
    const { results } = (await by.query(sql)) as TokenAnswer
    return new Connection(url, results[0].rows[0].token)
  }
  const root = admin ?? (await made(new Connection(url), 'root', 'admin'))
  await root.query(`CREATE ROLE ${role}; GRANT READ ON account TO ${role} ${rule}`)
  return { root, reader: await made(root, `of_${role}`, role) }
}

type TokenAnswer = {
  readonly results: readonly [{ readonly rows: readonly [{ readonly token: string }] }]
}

/**
 * Makes the table of the journeys. Returns them by their names; each sends what the name says. Those with tokens come
 * last: from the first of them on nobody is let in without one.
 */
export async function prepareJourneys(url: string) {
  const connection = new Connection(url)
  await connection.query('CREATE TABLE account (id TEXT PRIMARY KEY, balance INTEGER NOT NULL)')
  for (let row = 0; row < ROWS; row += 1) {
    await connection.query(`INSERT INTO account (id, balance) VALUES ('r${row}', 1)`)
  }
  for (let write = 0; write < WRITES_BEFORE; write += 1) {
    await connection.query('SET balance = :balance ON account WHERE id = :id', {
      balance: 1,
      id: 'r0',
    })
  }
  const { transaction } = await connection.query('BEGIN')
  const inTransaction = `/v1/transactions/${transaction}/query`
  const socket = new WebSocket(new URL('/v1/socket', url.replace('http', 'ws')))
  await once(socket, 'message')
  let asked = 0
  let written = 0
  let root: Connection | undefined
  const readers = new Map<string, Connection>()
  const getAs = async (rule: string) => {
    if (!readers.has(rule)) {
      const closed = await closedTo(url, root, `reader${readers.size}`, rule)
      root = closed.root
      readers.set(rule, closed.reader)
    }
    return await readers.get(rule)?.query(GET, { id: 'r3' })
  }
  return {
    get: () => connection.query(GET, { id: 'r3' }),
    getOfNoRow: () => connection.query(GET, { id: 'none' }),
    getText: () =>
      connection.send({ path: '/v1/query', body: "GET * FROM account WHERE id = 'r3'" }),
    getOfNewText: () => {
      asked += 1
      return connection.query(`GET * FROM account WHERE id = 'r3' -- ${asked}`)
    },
    getWithOption: () => {
      const body = { sql: GET, params: { id: 'r3' }, integers: 'string' }
      return connection.send({ path: '/v1/query', body })
    },
    getInside: () =>
      connection.send({ path: inTransaction, body: { sql: GET, params: { id: 'r3' } } }),
    getBySocket: async () => {
      asked += 1
      socket.send(
        JSON.stringify({ type: 'query', id: `q${asked}`, sql: GET, params: { id: 'r3' } }),
      )
      const [{ data }] = (await once(socket, 'message')) as [{ readonly data: string }]
      if (JSON.parse(data).type !== 'result') throw new Error(data)
    },
    rowGet: () => connection.send({ method: 'GET', path: '/v1/tables/account/rows/r3' }),
    blindSet: () => {
      written += 1
      const params = { balance: written, id: 'r3' }
      return connection.query('SET balance = :balance ON account WHERE id = :id', params)
    },
    readingSet: () =>
      connection.query('SET balance = balance + 1 ON account WHERE id = :id', { id: 'r3' }),
    transfer: () =>
      connection.query(
        "BEGIN; SET balance = balance - 1 ON account WHERE id = 'r1'; SET balance = balance + 1 ON account WHERE id = 'r2'; COMMIT",
      ),
    scan: () => connection.query("SCAN * FROM account WHERE id >= 'r1'"),
    health: () => connection.send({ method: 'GET', path: '/healthz' }),
    getWithToken: () => getAs(''),
    getByRuleOfKey: () => getAs("WHERE id >= 'r'"),
    getByRule: () => getAs('WHERE balance > 0'),
  }
}

export type JourneyName = keyof Awaited<ReturnType<typeof prepareJourneys>>
