// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../../parser/ast.ts'
import {
  andThen,
  type ColumnDefinition,
  changeRows,
  emptyRow,
  getRow,
  guardRow,
  type MaybePromise,
  type RowChange,
  type SqlRow,
  type SqlValue,
  type StoredRow,
  type TableDefinition,
} from '../../../storage/storage.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import type { SetPlan } from '../../plan/plan.ts'
import { PlanError } from '../../plan-error.ts'
import { AnswerRows } from '../rows/answer-rows.ts'
import { type ExecutionContext, type StatementResult, scopeOf } from '../rows/execution-context.ts'
import { mayMeetRule, meetsRule } from '../rows/row-visibility.ts'
import { assignedRow } from './assigned-row.ts'
import { checkedRow } from './checked-row.ts'
import { writtenRows } from './duplicate-row.ts'
import { defaultOf, keyToJson, notNullViolation } from './new-row.ts'
import { requireKey } from './one-row.ts'
import { ruleViolated } from './rule-violated.ts'

/**
 * Changes one row, or makes it: a SET whose expressions need no row is an upsert of the columns it
 * names, and a new row takes the defaults of the others. Inside coalesce the columns of an absent
 * row are NULL, but for those of its key. An IF that is not met leaves everything as it is.
 */
export function executeSet(
  plan: SetPlan,
  context: ExecutionContext,
): MaybePromise<StatementResult> {
  const scope = scopeOf(plan.slots, context)
  scope.work.beginRow(plan.position)
  const key = requireKey(plan, scope)
  const mayBeSeen = mayMeetRule(plan, key, scope)
  if (plan.isBlind || !mayBeSeen) {
    return writeRow(plan, context, { scope, key, stored: null, isHidden: !mayBeSeen })
  }
  return andThen(getRow(context.transaction, plan.table, key, plan.reads), (found) => {
    const isHidden = found !== null && !meetsRule(plan, found.row, scope)
    return writeRow(plan, context, { scope, key, stored: isHidden ? null : found, isHidden })
  })
}

type KeyedRow = {
  readonly scope: Scope
  readonly key: readonly SqlValue[]
  /** Null where there is no row, or where it makes no difference whether there is. */
  readonly stored: StoredRow | null
  /** By the rule of whoever asks, for whom there is no such row. */
  readonly isHidden: boolean
}

function writeRow(
  plan: SetPlan,
  context: ExecutionContext,
  { scope, key, stored, isHidden }: KeyedRow,
): MaybePromise<StatementResult> {
  const { table } = plan
  const { transaction } = context
  const answer = new AnswerRows(plan.returning, plan.position, context)
  const existing = stored?.row
  const before = { ...scope, row: existing ?? emptyRow(table, key) } satisfies Scope
  // Whatever the condition turns out to be, the commit depends on its staying so.
  if (plan.precondition?.kind === 'condition' && !isHidden) guardRow(transaction, table, key)
  const unmet = unmetBy(plan, existing !== undefined, before)
  if (unmet !== undefined) return { ...answer.result(), unmet }
  if (existing === undefined) requireNoRow(plan, key)
  const isNumbered = existing === undefined && plan.numbered !== undefined
  const numbers = isNumbered ? scope.functions.nextNumbers(plan.table, 1) : []
  return andThen(numbers, ([number]) =>
    writeAssigned(plan, context, answer, { scope, key, stored, isHidden, before, number }),
  )
}

function writeAssigned(
  plan: SetPlan,
  { transaction }: ExecutionContext,
  answer: AnswerRows,
  found: KeyedRow & { readonly before: Scope; readonly number: bigint | undefined },
): MaybePromise<StatementResult> {
  const { scope, key, stored, isHidden, before, number } = found
  const { table, assignments } = plan
  const isNew = stored === null
  const row = assignedRow(table, assignments, before)
  if (isNew) fillDefaults(plan, row, scope, number)
  if (isNew) requireNotNull(plan, row)
  const { ruleAfter } = plan
  const isLeft = ruleAfter !== undefined && !ruleAfter.keeps({ ...scope, row })
  if (isHidden || isLeft) throw ruleViolated(plan, key)
  const checked = checkedRow(plan, { ...scope, row }, { isNew })
  const change: RowChange =
    stored === null
      ? { before: null, after: row }
      : {
          before: stored.row,
          after: row,
          columns: assignments.map(({ column }) => column),
          key: stored.key,
        }
  const { position } = plan
  const written = writtenRows(table, [{ row: checked, position }], () =>
    changeRows(transaction, table, [change]),
  )
  return andThen(written, () => {
    if (plan.returning !== undefined) answer.add({ ...scope, row })
    return answer.result(1)
  })
}

/** A condition that names columns outside of coalesce needs the row, as an expression does. */
function unmetBy(
  { precondition }: SetPlan,
  exists: boolean,
  before: Scope,
): StatementResult['unmet'] {
  switch (precondition?.kind) {
    case undefined:
      return undefined
    case 'exists':
      return exists ? undefined : 'missing'
    case 'notExists':
      return exists ? 'exists' : undefined
    case 'condition': {
      const { condition } = precondition
      if (!exists && condition.needsRow) return 'missing'
      return condition.evaluate(before) === true ? undefined : 'condition'
    }
  }
}

function requireNoRow(
  { table, assignments, isOfGeneratedKey, position }: SetPlan,
  key: readonly SqlValue[],
): void {
  if (isOfGeneratedKey) throw noSuchNumber(table, key, position)
  const needing = assignments.find(({ value }) => value.needsRow)
  if (needing === undefined) return
  const shown = JSON.stringify(keyToJson(table, key))
  throw new PlanError(
    'row_not_found',
    `The table ${table.name} has no row ${shown} to compute from.`,
    {
      position: needing.value.position,
      hint: 'Put the column in coalesce(column, …) to say what to take when there is no row.',
      fields: { table: table.name, key: keyToJson(table, key) },
    },
  )
}

/** The key of a new row is for the store to say. */
function noSuchNumber(
  table: TableDefinition,
  key: readonly SqlValue[],
  position: Position,
): PlanError {
  const json = keyToJson(table, key)
  const message = `The table ${table.name} has no row ${JSON.stringify(json)}, and its key is GENERATED ALWAYS.`
  return new PlanError('row_not_found', message, {
    position,
    hint: 'INSERT makes a row, which has the next number.',
    fields: { table: table.name, key: json },
  })
}

function fillDefaults(
  { table, defaults }: SetPlan,
  row: SqlValue[],
  { functions }: Scope,
  number: bigint | undefined,
): void {
  for (const position of defaults) {
    row[position] = defaultOf(table.columns[position] as ColumnDefinition, functions, number)
  }
}

function requireNotNull({ table, position }: SetPlan, row: SqlRow): void {
  table.columns.forEach((column, index) => {
    if (column.notNull && row[index] === null) throw notNullViolation(table, column, position)
  })
}
