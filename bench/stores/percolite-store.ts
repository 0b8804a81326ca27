// SPDX-License-Identifier: Apache-2.0
import { QuerySocket } from '../brokerage/engines/percolite/query-socket.ts'
import { HttpClient, Retries } from '../load/http-client.ts'
import { sqlTexts } from './sql-store.ts'
import {
  type FieldChange,
  type Fields,
  missingRecord,
  type Store,
  type StoreRecord,
  type Table,
  type Value,
} from './store.ts'

type Answer = {
  readonly results: readonly { readonly rows: readonly Readonly<Record<string, Value>>[] }[]
  readonly attempts: number
}
type Statement = { readonly sql: string; readonly params: Readonly<Record<string, Value>> }
type Request = Statement | { readonly statements: readonly Statement[] } | { readonly sql: string }

/** Where requests are sent; rejects with an error that is `retryable` when one may be sent again. */
type Connection = { ask(request: Request): Promise<Answer>; close(): Promise<void> }

/** Over HTTP, a connection for each client. */
export function overHttp(origin: string, clients: number): Connection {
  const http = new HttpClient(origin, clients)
  return {
    ask: async (request) => JSON.parse(await http.ask('/v1/query', JSON.stringify(request))),
    close: async () => http.close(),
  }
}

/** Over WebSockets, as many as clients. */
export function overSockets(origin: string, clients: number): Connection {
  const sockets = Array.from({ length: clients }, () => new QuerySocket(origin))
  let next = 0
  return {
    ask: (request) => (sockets[next++ % clients] as QuerySocket).ask<Answer>(request),
    async close() {
      await Promise.all(sockets.map((socket) => socket.close()))
    },
  }
}

/**
 * One request for each operation. A read-modify-write is a GET and a SET in one request: the
 * new text does not depend on the old one in YCSB, and a write in between is a conflict.
 */
export function openPercoliteStore(connection: Connection, table: Table): Store {
  const retries = new Retries()
  const ask = async (request: Request): Promise<Answer> => {
    const answer = await retries.run(() => connection.ask(request))
    retries.add(answer.attempts - 1)
    return answer
  }
  const { name, key: keyName, fields: names } = table
  const columns = names.join(', ')
  const get = (key: string): Statement => {
    return { sql: `GET ${columns} FROM ${name} WHERE ${keyName} = :key`, params: { key } }
  }
  const insert = ({ key, fields }: StoreRecord): Statement => {
    const sql = `INSERT INTO ${name} (${keyName}, ${columns}) VALUES (:key, ${names.map((one) => `:${one}`).join(', ')})`
    return { sql, params: paramsOf(table, { key }, [...fields.entries()]) }
  }
  const fieldsOf = ({ results }: Answer, key: string): Fields => {
    const row = results[0]?.rows[0]
    if (row === undefined) throw missingRecord(key)
    return names.map((one) => row[one] as Value)
  }
  const scan = `SCAN ${keyName}, ${columns} FROM ${name} WHERE ${keyName} >= :key ORDER BY ${keyName} LIMIT`
  return {
    get: async (_client, key) => fieldsOf(await ask(get(key)), key),
    async put(_client, { key, fields }) {
      await ask(setStatement(table, key, [...fields.entries()]))
    },
    async insert(_client, record) {
      await ask(insert(record))
    },
    async update(_client, key, changes) {
      await ask(setStatement(table, key, changes))
    },
    async scan(_client, key, count) {
      const answer = await ask({ sql: `${scan} ${count}`, params: { key } })
      return answer.results[0]?.rows ?? []
    },
    async modify(_client, key, changes) {
      fieldsOf(await ask({ statements: [get(key), setStatement(table, key, changes)] }), key)
    },
    async transfer(_client, from, to) {
      await ask(transferRequest(table, from, to))
    },
    takeRetries: () => retries.take(),
    async create() {
      await ask({ sql: sqlTexts(table, () => '?').create })
    },
    async insertMany(records) {
      await ask({ statements: records.map(insert) })
    },
    close: () => connection.close(),
  }
}

/** Texts differ only by the fields they name: at most eleven, and so the server plans them once. */
export function setStatement(
  table: Table,
  key: string,
  changes: readonly FieldChange[],
): Statement {
  const { name, key: keyName, fields } = table
  const assignments = changes.map(([index]) => `${fields[index]} = :${fields[index]}`).join(', ')
  return {
    sql: `SET ${assignments} ON ${name} WHERE ${keyName} = :${keyName}`,
    params: paramsOf(table, { [keyName]: key }, changes),
  }
}

/** Each SET reads its row and writes it; together they are one transaction, which the server retries. */
export function transferRequest(
  { name, key, fields: [field] }: Table,
  from: string,
  to: string,
): { readonly statements: readonly Statement[] } {
  const move = (sign: '-' | '+', id: string): Statement => {
    const sql = `SET ${field} = ${field} ${sign} :n ON ${name} WHERE ${key} = :id`
    return { sql, params: { n: 1, id } }
  }
  return { statements: [move('-', from), move('+', to)] }
}

function paramsOf(
  { fields }: Table,
  key: Readonly<Record<string, string>>,
  changes: readonly FieldChange[],
): Record<string, Value> {
  const params: Record<string, Value> = { ...key }
  for (const [index, value] of changes) params[fields[index] as string] = value
  return params
}
