// SPDX-License-Identifier: Apache-2.0

import { HttpClient } from '../load/http-client.ts'
import { fieldsOf, type SqlRow, type SqlStatement, sqlStore, sqlTexts } from './sql-store.ts'
import type { Store, Table } from './store.ts'

/** A server that takes SQLite's SQL over HTTP. */
export type SqlServer = {
  /** The rows of each statement; several are one transaction. */
  ask(statements: readonly SqlStatement[]): Promise<ReadonlyArray<readonly SqlRow[]>>
  /** How often a request had to be sent again, since the last call. */
  takeRetries(): number
  close(): void
}

/** One request for each operation. */
export function sqlOverHttpStore(server: SqlServer, table: Table): Store {
  const { name, key: keyName, fields } = table
  const texts = sqlTexts(table, () => '?')
  const move = (sign: '-' | '+', key: string): SqlStatement => {
    const [field] = fields
    const sql = `UPDATE ${name} SET ${field} = ${field} ${sign} 1 WHERE ${keyName} = ?`
    return { sql, values: [key] }
  }
  return {
    ...sqlStore(
      texts,
      async (_client, sql, values) => (await server.ask([{ sql, values }]))[0] ?? [],
    ),
    async modify(_client, key, changes) {
      const get = { sql: texts.get, values: [key] }
      const [rows = []] = await server.ask([get, texts.update(key, changes)])
      fieldsOf(rows, key)
    },
    async transfer(_client, from, to) {
      await server.ask([move('-', from), move('+', to)])
    },
    takeRetries: () => server.takeRetries(),
    async insertMany(records) {
      await server.ask(
        records.map(({ key, fields }) => ({ sql: texts.insert, values: [key, ...fields] })),
      )
    },
    close: async () => server.close(),
  }
}

type Result = { readonly values?: readonly SqlRow[]; readonly error?: string }

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
