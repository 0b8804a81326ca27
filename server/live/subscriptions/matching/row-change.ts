// SPDX-License-Identifier: Apache-2.0
import {
  type IntegerForm,
  type SubscriptionPlan,
  valueToJson,
  type WorkMeter,
} from '../../../../planner/planner.ts'
import {
  type ColumnDefinition,
  keyColumns,
  type SqlRow,
} from '../../../../storage/tables/tables.ts'
import type { AnswerWriter } from '../../../requests/answers/answer-text.ts'

/** A row as it was right before a commit that wrote it, and right after it; null where there is none. */
export type RowImages = { readonly before: SqlRow | null; readonly after: SqlRow | null }

export type ChangeOperation = 'insert' | 'update' | 'delete' | 'enter' | 'leave'

type Form = {
  readonly writer: AnswerWriter
  readonly integers: IntegerForm
  /** What the statement is computed of the row with. */
  readonly work: WorkMeter
}

/** What a commit did to a row, seen through a statement; undefined when it is not seen at all. */
export function operationOf(
  { matches }: Pick<SubscriptionPlan, 'matches'>,
  { before, after }: RowImages,
  work: WorkMeter,
): ChangeOperation | undefined {
  const matched = before !== null && matches(before, work)
  const isMatch = after !== null && matches(after, work)
  if (matched && isMatch) return 'update'
  if (matched) return after === null ? 'delete' : 'leave'
  if (isMatch) return before === null ? 'insert' : 'enter'
  return undefined
}

/**
 * The same as an element of `changes`; undefined as well. Throws PlanError for a row that the
 * statement cannot be computed of.
 */
export function changeText(
  plan: SubscriptionPlan,
  images: RowImages,
  form: Form,
): string | undefined {
  const op = operationOf(plan, images, form.work)
  if (op === undefined) return undefined
  const { before, after } = images
  const key = keyText(plan, (after ?? before) as SqlRow, form)
  if (op === 'delete' || op === 'leave') return `{"op":"${op}","key":${key}}`
  return `{"op":"${op}","key":${key},"row":${valuesText(plan, after as SqlRow, form)}}`
}

/** A row of a snapshot, as an element of `rows`. */
export function snapshotRowText(plan: SubscriptionPlan, row: SqlRow, form: Form): string {
  return `{"key":${keyText(plan, row, form)},"row":${valuesText(plan, row, form)}}`
}

function keyText({ table, keyOf }: SubscriptionPlan, row: SqlRow, form: Form): string {
  const columns = keyColumns(table)
  const values = keyOf(row).map((value, index) =>
    valueToJson((columns[index] as ColumnDefinition).type, value, form),
  )
  return JSON.stringify(values)
}

function valuesText(plan: SubscriptionPlan, row: SqlRow, form: Form): string {
  const { writer, integers, work } = form
  return writer.row(plan.columns, plan.project(row, work), integers)
}
