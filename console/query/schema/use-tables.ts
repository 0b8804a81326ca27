// SPDX-License-Identifier: Apache-2.0
import { useRef } from 'preact/hooks'
import type { Database, Schemas } from '../../../client-sdk/client.ts'
import { usePolling } from '../../page/use-polling.ts'

const EVERY_MS = 10_000

/**
 * The tables that this principal sees, asked for again when `answered` is another one: a statement may have made some.
 * Undefined while that is not known. While `isHeld`, nothing is asked: the first token of a server closes it, and who
 * is refused then is asked for a token, in place of the page that shows it this once.
 */
export function useTables(
  db: Database,
  answered: unknown,
  isHeld: boolean,
): readonly Schemas['Table'][] | undefined {
  const known = useRef<readonly Schemas['Table'][] | undefined>(undefined)
  const ask = async (signal: AbortSignal) => {
    if (isHeld) return known.current
    const list = await db.request<Schemas['TableList']>('GET', '/v1/tables', undefined, { signal })
    known.current = list.tables
    return list.tables
  }
  return usePolling(ask, EVERY_MS, answered).value
}
