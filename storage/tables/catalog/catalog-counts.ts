// SPDX-License-Identifier: Apache-2.0
import { limitExceeded } from '../../errors.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import type { Catalog } from './catalog.ts'

/**
 * Whether the catalog, which is kept in memory as a whole and told as a whole, may grow by so many tables
 * and parts of tables. Throws `limit_exceeded`. What a store has beyond a limit stays as it is.
 */
export function requireCatalogCounts(
  catalog: Catalog,
  {
    tables = 0,
    schedules = 0,
    parts,
  }: { readonly tables?: number; readonly schedules?: number; readonly parts: number },
): void {
  if (tables > 0) requireAtMost('tablesMax', 'tables', catalog.tables().length + tables)
  if (schedules > 0) {
    requireAtMost('schedulesMax', 'schedules', catalog.schedules().length + schedules)
  }
  const held = catalog.tables().reduce((sum, table) => sum + table.columns.length, 0)
  const beside = catalog.indexes().length + catalog.observers().length + catalog.schedules().length
  requireAtMost(
    'catalogPartsMax',
    'columns, indexes, observers and schedules',
    held + beside + parts,
  )
}

function requireAtMost(
  limit: 'tablesMax' | 'schedulesMax' | 'catalogPartsMax',
  what: string,
  actual: number,
): void {
  const limitValue = STORAGE_LIMITS[limit]
  if (actual <= limitValue) return
  throw limitExceeded(limit, actual, `A store has at most ${limitValue} ${what}, not ${actual}.`, {
    hint: limit === 'schedulesMax' ? MANY_TIMES : MANY_OWNERS,
  })
}

const MANY_OWNERS =
  'drop tables that nobody uses, or keep rows of many owners in one table, the owner first in its key'
const MANY_TIMES = 'times of your users are rows of a table, whose observer is DUE'
