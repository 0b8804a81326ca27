// SPDX-License-Identifier: Apache-2.0

import { HttpClient } from '../load/http-client.ts'
import { createText, sqlTexts } from './sql-texts.ts'
import {
  type FieldChange,
  type Fields,
  missingRecord,
  type Store,
  type StoreRecord,
  type Table,
  type Value,
} from './store.ts'

export type SqlStatement = { readonly sql: string; readonly values: readonly Value[] }

/** A server that takes SQLite's SQL over HTTP. */
export type SqlServer = {
  /** The rows of each statement; several are one transaction. */
  ask(statements: readonly SqlStatement[]): Promise<ReadonlyArray<readonly Fields[]>>
  /** How often a request had to be sent again, since the last call. */
  takeRetries(): number
  close(): void
}

/** One request for each operation. */
export function sqlOverHttpStore(server: SqlServer, table: Table): Store {
  const { name, key: keyName, fields: names } = table
  const texts = sqlTexts(table, () => '?')
  const get = (key: string): SqlStatement => ({ sql: texts.get(1), values: [key] })
  const insert = ({ key, fields }: StoreRecord): SqlStatement => {
    return { sql: texts.insert, values: [key, ...fields] }
  }
  const update = (key: string, changes: readonly FieldChange[]): SqlStatement => {
    const indexes = changes.map(([index]) => index)
    return { sql: texts.update(indexes), values: [...changes.map(([, value]) => value), key] }
  }
  const move = (sign: '-' | '+', key: string): SqlStatement => {
    const [field] = names
    return {
      sql: `UPDATE ${name} SET ${field} = ${field} ${sign} 1 WHERE ${keyName} = ?`,
      values: [key],
    }
  }
  const fieldsOf = (answers: ReadonlyArray<readonly Fields[]>, key: string): Fields => {
    const row = answers[0]?.[0]
    if (row === undefined) throw missingRecord(key)
    return row.slice(1)
  }
  return {
    get: async (_client, key) => fieldsOf(await server.ask([get(key)]), key),
    async put(_client, { key, fields }) {
      await server.ask([{ sql: texts.put, values: [key, ...fields] }])
    },
    async insert(_client, record) {
      await server.ask([insert(record)])
    },
    async update(_client, key, changes) {
      await server.ask([update(key, changes)])
    },
    async scan(_client, key, count) {
      return (await server.ask([{ sql: texts.scan, values: [key, count] }]))[0] ?? []
    },
    async modify(_client, key, changes) {
      fieldsOf(await server.ask([get(key), update(key, changes)]), key)
    },
    async transfer(_client, from, to) {
      await server.ask([move('-', from), move('+', to)])
    },
    takeRetries: () => server.takeRetries(),
    async create() {
      await server.ask([{ sql: createText(table), values: [] }])
    },
    async insertMany(records) {
      await server.ask(records.map(insert))
    },
    close: async () => server.close(),
  }
}

type Result = { readonly values?: readonly Fields[]; readonly error?: string }

/** rqlite's own HTTP API; reads are answered by the leader without a round of Raft, as by default. */
export function rqliteRequests(origin: string, clients: number): SqlServer {
  const http = new HttpClient(origin, clients)
  return {
    async ask(statements) {
      const body = JSON.stringify(statements.map(({ sql, values }) => [sql, ...values]))
      const { results } = JSON.parse(await http.ask(pathOf(statements), body))
      return (results as Result[]).map(({ values = [], error }) => {
        if (error !== undefined) throw new Error(`rqlite answered: ${error}`)
        return values
      })
    },
    // It runs one write after the other.
    takeRetries: () => 0,
    close: () => http.close(),
  }
}

function pathOf(statements: readonly SqlStatement[]): string {
  const reads = statements.filter(({ sql }) => sql.startsWith('SELECT')).length
  if (reads === statements.length) return '/db/query'
  return reads === 0 ? '/db/execute?transaction' : '/db/request?transaction'
}
