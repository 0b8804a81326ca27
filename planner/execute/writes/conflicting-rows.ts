// SPDX-License-Identifier: Apache-2.0
import type { IndexDefinition, StoredRow } from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { identityOfBytes } from '../../expressions/value-work.ts'
import type { InsertPlan, KeyConflict } from '../../plan/plan.ts'
import { PlanError } from '../../plan-error.ts'
import type { ExecutionContext } from '../rows/execution-context.ts'
import { entriesByKeys, rowsByKeys } from '../rows/rows-by-keys.ts'
import { uniqueViolation } from './duplicate-row.ts'
import { alreadyExists, type NewRow } from './inserted-rows.ts'

export type UpsertPlan = InsertPlan & { readonly onConflict: KeyConflict }

export function isUpsert(plan: InsertPlan): plan is UpsertPlan {
  return plan.onConflict !== undefined && plan.onConflict.kind !== 'skipAll'
}

type Key = readonly SqlValue[]
/** A new row, and the one that is there by the key that the statement names. */
export type Met = { readonly row: NewRow; readonly found: StoredRow | null }

/**
 * The new rows in their order, with those that they meet. Throws PlanError already_exists where the primary key is
 * taken and is not the key of the statement, and for two new rows of one key, unless those are to be left out.
 */
export async function* rowsMet(
  plan: UpsertPlan,
  context: ExecutionContext,
  rows: readonly NewRow[],
): AsyncGenerator<readonly Met[], void, undefined> {
  const { key } = plan.onConflict
  const distinct = distinctRows(plan, rows)
  const owners = key.index && (await ownersOf(plan, context, { rows: distinct, index: key.index }))
  const keys = distinct.map((row, at) => owners?.[at] ?? row.key)
  const added = new Set<string>()
  let next = 0
  const wanted = { columns: plan.onConflict.reads }
  for await (const batch of rowsByKeys(context.transaction, plan.table, keys, wanted)) {
    yield batch.map(({ found }): Met => {
      const at = next++
      const row = distinct[at] as NewRow
      const isMet = owners === undefined ? found !== null : owners[at] != null
      const isTaken = (found !== null && !isMet) || (!isMet && added.has(row.identity))
      if (isTaken) throw alreadyExists(plan, row)
      if (!isMet) added.add(row.identity)
      return { row, found }
    })
  }
}

/** One row for each key of the statement: the second of two is left out, or an error. */
function distinctRows(plan: UpsertPlan, rows: readonly NewRow[]): readonly NewRow[] {
  const { key, kind } = plan.onConflict
  const seen = new Set<string>()
  return rows.filter((row) => {
    const values = key.parts.map((part) => part.valueIn(row.row))
    // Of a unique index: values with a NULL are those of no other row.
    if (values.includes(null)) return true
    const identity = identityOfBytes(key.encode(values))
    const isFirst = !seen.has(identity)
    seen.add(identity)
    if (isFirst || kind === 'skip') return isFirst
    throw metTwice(plan, row)
  })
}

function metTwice(plan: UpsertPlan, row: NewRow): PlanError {
  const { table, onConflict } = plan
  const { index } = onConflict.key
  const error =
    index === undefined
      ? alreadyExists(plan, row)
      : uniqueViolation(onConflict.key, table, index.name, row)
  const { code, message, position, fields } = error
  const hint = 'Two rows of one INSERT … DO UPDATE cannot meet the same row: it is changed once.'
  return new PlanError(code, message, { position, hint, fields })
}

/** The primary key of the row that has the values of each new row in the index; null where there is none. */
async function ownersOf(
  { table, onConflict }: UpsertPlan,
  { transaction }: ExecutionContext,
  { rows, index }: { readonly rows: readonly NewRow[]; readonly index: IndexDefinition },
): Promise<ReadonlyArray<Key | null>> {
  const owners: Array<Key | null> = []
  const requested = rows.map(({ row }) => onConflict.key.parts.map((part) => part.valueIn(row)))
  const known = requested.filter((values) => !values.includes(null))
  const found: Array<Key | null> = []
  for await (const batch of entriesByKeys(transaction, table, index, known)) {
    for (const { found: entry } of batch) found.push(entry?.primaryKey ?? null)
  }
  let next = 0
  for (const values of requested)
    owners.push(values.includes(null) ? null : (found[next++] as Key | null))
  return owners
}
