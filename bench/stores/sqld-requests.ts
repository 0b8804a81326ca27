// SPDX-License-Identifier: Apache-2.0
import { HttpClient, Retries } from '../load/http-client.ts'
import type { SqlServer } from './sql-over-http-store.ts'
import type { SqlStatement } from './sql-store.ts'
import type { Value } from './store.ts'

type Typed = { readonly type: 'text' | 'integer'; readonly value: string }
type Result = { readonly rows: ReadonlyArray<readonly Typed[]> }
type Failure = { readonly code?: string; readonly message: string }

class SqldFailure extends Error {
  override readonly name = 'SqldFailure'
  readonly retryable: boolean

  constructor({ code = '', message }: Failure) {
    super(`sqld answered ${code}: ${message}`)
    this.retryable = code.startsWith('SQLITE_BUSY')
  }
}

/**
 * The protocol of libSQL's clients, Hrana over HTTP: one request, closed with its stream. Writes are sent one after the
 * other: with sixteen at once it stops to answer after some thousands.
 */
export function sqldRequests(origin: string, clients: number): SqlServer {
  const http = new HttpClient(origin, clients)
  const retries = new Retries()
  let lastWrite: Promise<unknown> = Promise.resolve()
  const send = async (request: object) => {
    const body = JSON.stringify({ requests: [request, { type: 'close' }] })
    const [{ response, error }] = JSON.parse(await http.ask('/v2/pipeline', body)).results
    if (error !== undefined) throw new SqldFailure(error)
    return response.result
  }
  const one = async (statement: SqlStatement): Promise<Result[]> => [
    await send({ type: 'execute', stmt: encoded(statement) }),
  ]
  const transaction = async (statements: readonly SqlStatement[]): Promise<Result[]> => {
    const batch = { steps: stepsOf(statements) }
    const { step_results, step_errors } = await send({ type: 'batch', batch })
    const failure = step_errors.find((error: Failure | null) => error !== null)
    if (failure !== undefined) throw new SqldFailure(failure)
    return step_results.slice(1, -2)
  }
  return {
    async ask(statements) {
      const [first] = statements as readonly [SqlStatement]
      const run = () =>
        retries.run(() => (statements.length === 1 ? one(first) : transaction(statements)))
      if (statements.every(({ sql }) => sql.startsWith('SELECT'))) return rowsOf(await run())
      const written = lastWrite.then(run)
      lastWrite = written.catch(() => {})
      return rowsOf(await written)
    },
    takeRetries: () => retries.take(),
    close: () => http.close(),
  }
}

/** Each step only after the one before it succeeded; what has not been committed is rolled back. */
function stepsOf(statements: readonly SqlStatement[]): readonly object[] {
  const texts = ['BEGIN IMMEDIATE', ...statements, 'COMMIT']
  const steps = texts.map((text, at) => ({
    stmt: typeof text === 'string' ? { sql: text } : encoded(text),
    ...(at === 0 ? {} : { condition: { type: 'ok', step: at - 1 } }),
  }))
  const isCommitted = { type: 'ok', step: steps.length - 1 }
  return [...steps, { stmt: { sql: 'ROLLBACK' }, condition: { type: 'not', cond: isCommitted } }]
}

function rowsOf(results: readonly Result[]): ReadonlyArray<readonly Value[][]> {
  return results.map(({ rows }) => rows.map((row) => row.map(decoded)))
}

function encoded({ sql, values }: SqlStatement): object {
  const args = values.map((value): Typed => {
    return { type: typeof value === 'number' ? 'integer' : 'text', value: String(value) }
  })
  return { sql, args }
}

function decoded({ type, value }: Typed): Value {
  return type === 'integer' ? Number(value) : value
}
