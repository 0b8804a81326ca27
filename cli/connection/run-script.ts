// SPDX-License-Identifier: Apache-2.0
import { type Database, PercoliteError, type Schemas } from '../../client-sdk/client.ts'

/** A script ends when its connection does, so that there is no need to give up on one that is long. */
const SCRIPT_MS_MAX = 24 * 60 * 60 * 1000

/**
 * Has the server run a text of definitions and other statements. Rejects with PercoliteError, of which `stopOf` tells
 * how far it came, and with the reason of the signal.
 */
export async function runScript(
  db: Database,
  script: Schemas['ScriptRequest'],
  signal?: AbortSignal,
): Promise<Schemas['ScriptAnswer']> {
  const options = { timeoutMs: SCRIPT_MS_MAX, ...(signal && { signal }) }
  return await db.request<Schemas['ScriptAnswer']>('POST', '/v1/scripts', script, options)
}

/** What was done of a script before this error; undefined where none of it was run, or nobody knows. */
export function stopOf(error: unknown): Schemas['ScriptAnswer'] | undefined {
  if (!(error instanceof PercoliteError)) return undefined
  const { done, total, results } = error.fields as Partial<Schemas['ScriptAnswer']>
  if (done === undefined || total === undefined || results === undefined) return undefined
  return { done, total, results }
}

/** `accounts.sql:3:9`, or the path alone where the error has no place in the text. */
export function placeIn(path: string, error: unknown): string {
  const { line, column } = error instanceof PercoliteError ? error.fields : {}
  return typeof line === 'number' && typeof column === 'number' ? `${path}:${line}:${column}` : path
}

/** `3 of 9 statements are done, and stay.` */
export function doneText({ done, total }: Schemas['ScriptAnswer']): string {
  return `${done} of ${total} statements are done, and stay.`
}
