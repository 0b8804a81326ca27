// SPDX-License-Identifier: Apache-2.0
import { useMemo, useSyncExternalStore } from 'react'
import type { Database } from '../database.ts'
import type { AfterHook, RowOfText, Texts } from '../requests/statement-types.ts'
import type { Tables } from '../requests/table-types.ts'
import { encodeParameters, type Parameters } from '../values.ts'
import { type Live, LiveStore, LOADING } from './live-store.ts'

// The door of `@percolite/client/react`.

export type { Live } from './live-store.ts'

/**
 * The rows of a GET or SCAN as they are, for as long as the component is mounted: `loading` until they have come, then
 * rendered again after each commit that changes them. Parameters are compared by their values, so that they may be
 * written in the call; those that cannot be sent are a TypeError. On a server that renders, it is `loading`.
 */
export function useLive<
  Known extends Tables<Known>,
  Sql extends string,
  Said extends Texts<Said> = object,
>(
  db: Database<Known, Said>,
  sql: Sql,
  ...more: AfterHook<Said, Sql>
): Live<RowOfText<Known, Said, Sql>>
export function useLive<R>(db: LiveDatabase, sql: string, params?: Parameters): Live<R>
export function useLive<R>(db: LiveDatabase, sql: string, params?: Parameters): Live<R> {
  // As they are sent: what has the same form there has the same rows.
  const sent = params === undefined ? undefined : JSON.stringify(encodeParameters(params))
  // biome-ignore lint/correctness/useExhaustiveDependencies: `sent` stands for the parameters.
  const store = useMemo(
    () => new LiveStore<R>((options) => (db as Database).live<R>(sql, params, options)),
    [db, sql, sent],
  )
  return useSyncExternalStore(store.subscribe, store.shown, () => LOADING)
}

/** A database, whatever its tables. */
type LiveDatabase = { live(...call: never): unknown }
