// SPDX-License-Identifier: Apache-2.0
import type { NewObserver, NewTable } from '../../../storage/tables/tables.ts'

export const WATCHED = 'watched'

/** One column in each family, so that what a write notifies can be told by the columns that it commits. */
export const WATCHED_TABLE: NewTable = {
  name: WATCHED,
  columns: [
    { name: 'id', type: 'INTEGER', notNull: true },
    { name: 'text', type: 'TEXT', notNull: false },
    { name: 'visits', type: 'INTEGER', notNull: false },
  ],
  primaryKey: [{ column: 'id', descending: false }],
  families: [{ name: 'counters', columns: ['visits'] }],
}

/** The cells of a row in which the observed column of these stands. */
export const OBSERVED_CELL: Readonly<Record<string, string>> = { text: '0', visits: '1' }

export const WATCHERS: readonly NewObserver[] = [
  { name: 'reader', table: WATCHED, isWeak: false, columns: ['text'] },
  { name: 'counter', table: WATCHED, isWeak: false, columns: ['visits'] },
  { name: 'watcher', table: WATCHED, isWeak: true, columns: ['visits'] },
]

/** Where a run of an observer writes what it has seen of a row. */
export function seenRowName(observer: string, rowText: string): string {
  return `\u0001seen/${observer}/${rowText}`
}
