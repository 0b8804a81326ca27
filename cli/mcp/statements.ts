// SPDX-License-Identifier: Apache-2.0
import { type Database, PercoliteError, type Schemas } from '../../client-sdk/client.ts'
import { exactJson } from './exact-json.ts'

type Column = { readonly name: string; readonly type: string }

export type Row = Readonly<Record<string, unknown>>

export type Result = {
  readonly columns: readonly Column[]
  readonly rows: readonly Row[]
  readonly rowsAffected: number
}

export type Answer = {
  readonly results: readonly Result[]
  readonly readTimestamp: number
  readonly commitTimestamp?: number
  readonly cursor?: string
}

export type Request = {
  readonly sql: string
  readonly params?: unknown
  readonly asOf?: unknown
  readonly pageSize?: number
  readonly cursor?: unknown
}

/** The answer of the server, with every digit. Rejects with PercoliteError. */
export async function ask(db: Database, request: Request, signal: AbortSignal): Promise<Answer> {
  const answer = await db.open('POST', '/v1/query', request, { signal })
  return exactJson<Answer>(await answer.text())
}

export type Described = Schemas['DescribedStatement']

/** What a text of one statement is; undefined for a text of several. Rejects with PercoliteError. */
export async function described(
  db: Database,
  sql: string,
  signal: AbortSignal,
): Promise<Described | undefined> {
  try {
    return await db.request<Described>('POST', '/v1/describe', { sql }, { signal })
  } catch (error) {
    if (isOfSeveral(error)) return undefined
    throw error
  }
}

function isOfSeveral(error: unknown): boolean {
  if (!(error instanceof PercoliteError) || error.code !== 'invalid_request') return false
  const { parameter, in: place, actual } = error.fields
  return parameter === 'sql' && place === 'body' && typeof actual === 'number' && actual > 1
}

/** What stands before and behind a text, on lines of their own, so that no comment of it takes them in. */
type Enclosing = { readonly before: string; readonly behind?: string; readonly statements: number }

/** As `ask`, with the text within others; places and numbers of statements are those of the text itself. */
export async function askWithin(
  db: Database,
  { before, behind, statements }: Enclosing,
  request: Request,
  signal: AbortSignal,
): Promise<Answer> {
  try {
    const sql = [before, request.sql, ...(behind === undefined ? [] : [behind])].join('\n')
    return await ask(db, { ...request, sql }, signal)
  } catch (error) {
    if (!(error instanceof PercoliteError)) throw error
    const { line, statement } = error.fields
    throw new PercoliteError({
      code: error.code,
      message: error.message,
      httpStatus: error.httpStatus,
      retryable: error.retryable,
      retryAfterMs: error.retryAfterMs,
      fields: {
        ...error.fields,
        ...(typeof line === 'number' && { line: Math.max(1, line - 1) }),
        ...(typeof statement === 'number' && { statement: Math.max(0, statement - statements) }),
      },
      cause: error,
    })
  }
}
