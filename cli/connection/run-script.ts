// SPDX-License-Identifier: Apache-2.0
import {
  type Database,
  PercoliteError,
  type Schemas,
  type ScriptAnswer,
} from '../../client-sdk/client.ts'

/**
 * What the server has done of a text of definitions and other statements, and why it stopped before its end, if it did.
 * Rejects with the reason of the signal.
 */
export async function runScript(
  db: Database,
  sql: string,
  signal?: AbortSignal,
): Promise<{ readonly ran?: ScriptAnswer; readonly failure?: PercoliteError }> {
  try {
    return { ran: await db.script(sql, signal && { signal }) }
  } catch (failure) {
    if (!(failure instanceof PercoliteError)) throw failure
    const stop = stopOf(failure)
    if (stop === undefined) return { failure }
    const results = stop.results.map(({ rows, ...result }) =>
      Object.assign(db.resultOf({ rows, ...result }), result),
    )
    return { failure, ran: { ...stop, results } }
  }
}

/** A line for each statement of which more rows were found than are shown. */
export function moreRowsText({ results }: ScriptAnswer, path: string): string {
  const cut = results.filter(({ moreRows }) => moreRows)
  const lines = cut.map(({ line, rows }) => {
    const shown = `${path}:${line}: ${rows.length} rows are shown, and there are more`
    return `${shown}: the statement alone shows them.\n`
  })
  return lines.join('')
}

/** What was done of a script before this error; undefined where none of it was run, or nobody knows. */
export function stopOf(error: unknown): Schemas['ScriptAnswer'] | undefined {
  if (!(error instanceof PercoliteError)) return undefined
  const { done, total, results } = error.fields as Partial<Schemas['ScriptAnswer']>
  if (done === undefined || total === undefined || results === undefined) return undefined
  return { done, total, results }
}

/** Whether the server refuses a text as one transaction, and says that it is a script. */
export function isOfScript(error: unknown): boolean {
  return (
    error instanceof PercoliteError && error.code === 'script_mixture' && error.hint !== undefined
  )
}

/** `accounts.sql:3:9`, or the path alone where the error has no place in the text. */
export function placeIn(path: string, error: unknown): string {
  const { line, column } = error instanceof PercoliteError ? error.fields : {}
  return typeof line === 'number' && typeof column === 'number' ? `${path}:${line}:${column}` : path
}

/** `3 of 9 statements are done, and stay.` */
export function doneText({ done, total }: Pick<ScriptAnswer, 'done' | 'total'>): string {
  return `${done} of ${total} statements are done, and stay.`
}
