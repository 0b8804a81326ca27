// SPDX-License-Identifier: Apache-2.0
import { type IntegerForm, readStamp } from '../../../../planner/planner.ts'
import { requireTable } from '../../../../storage/tables/tables.ts'
import type { Turns } from '../../../guard/budgets/turns.ts'
import type { AnswerWriter } from '../../../requests/answers/answer-text.ts'
import { readKeyPath } from '../../../requests/rows/key-path.ts'
import type { RowSnapshot, RowTransaction } from '../../../requests/rows/row-transactions.ts'
import type { RowForm, RowTarget } from '../../../requests/rows/row-writes.ts'
import type { CheckedRequest } from '../openapi/binding.ts'

// What the parameters of the operations on rows mean.

type GivenParameters = CheckedRequest['parameters']

/** The row that the path names; a path without a key names the table alone. */
export function targetOf(rows: RowTransaction, parameters: GivenParameters): RowTarget {
  const table = requireTable(rows.catalog, String(parameters.table))
  const key = parameters.key === undefined ? [] : readKeyPath(table, String(parameters.key))
  return { rows, table, key }
}

export function integersOf({ integers }: GivenParameters): IntegerForm {
  return integers === 'string' ? 'string' : 'number'
}

/** How a row is answered. */
export function formOf(writer: AnswerWriter, parameters: GivenParameters, turns: Turns): RowForm {
  const isDescribed = parameters.described === true
  const isMinimal = isMinimalPreferred(parameters.Prefer)
  return { writer, integers: integersOf(parameters), isDescribed, isMinimal, turns }
}

/** Whether `return=minimal` is preferred; the first of several counts, and unknown ones mean nothing (RFC 7240, 2). */
function isMinimalPreferred(prefer: unknown): boolean {
  if (typeof prefer !== 'string') return false
  for (const preference of prefer.split(',')) {
    const [, value] = /^\s*return\s*=\s*"?([^";\s]*)"?\s*(?:;|$)/i.exec(preference) ?? []
    if (value !== undefined) return value === 'minimal'
  }
  return false
}

export function snapshotOf(parameters: GivenParameters): RowSnapshot {
  const { asOf } = parameters
  const past = asOf === undefined ? {} : { asOf: readStamp('AS OF', asOf) }
  return { ...past, ...minTimestampOf(parameters) }
}

export function minTimestampOf(parameters: GivenParameters): Pick<RowSnapshot, 'minTimestamp'> {
  const minTimestamp = parameters['Percolite-Min-Timestamp']
  return minTimestamp === undefined ? {} : { minTimestamp: Number(minTimestamp) }
}
