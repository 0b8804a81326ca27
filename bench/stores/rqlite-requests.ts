// SPDX-License-Identifier: Apache-2.0
import { HttpClient } from '../load/http-client.ts'
import type { SqlServer, SqlStatement } from './sql-over-http-store.ts'
import type { Fields } from './store.ts'

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
