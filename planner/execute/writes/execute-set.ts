// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../../parser/ast.ts'
import { andThen, type MaybePromise } from '../../../storage/storage.ts'
import {
  type ColumnDefinition,
  changeRows,
  emptyRow,
  getRow,
  guardRow,
  type RowChange,
  type SqlRow,
  type StoredRow,
  type TableDefinition,
} from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import type { SetPlan } from '../../plan/plan.ts'
import { PlanError } from '../../plan-error.ts'
import { AnswerRows } from '../rows/answer-rows.ts'
import {
  type Execute,
  type ExecutionContext,
  type StatementResult,
  scopeOf,
} from '../rows/execution-context.ts'
import { mayMeetRule, meetsRule } from '../rows/row-visibility.ts'
import { assignedRow, checkedRow } from './checked-row.ts'
import { writtenRows } from './duplicate-row.ts'
import { defaultOf, keyToJson, notNullViolation, requireKey, ruleViolated } from './new-row.ts'

/**
 * Changes one row, or makes it: a SET whose expressions need no row is an upsert of the columns it
 * names, and a new row takes the defaults of the others. Inside coalesce the columns of an absent
 * row are NULL, but for those of its key. An IF that is not met leaves everything as it is.
 */
export const executeSet: Execute<SetPlan> = (plan, context) => {
  const scope = scopeOf(plan.slots, context)
  scope.work.beginRow(plan.position)
  const key = requireKey(plan, scope)
  const mayBeSeen = plan.rowRule === undefined || mayMeetRule(plan, key, scope)
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
  found: KeyedRow,
): MaybePromise<StatementResult> {
  const { table, precondition } = plan
  const { scope, key, stored, isHidden } = found
  const before = { ...scope, row: stored?.row ?? emptyRow(table, key) } satisfies Scope
  if (precondition !== undefined) {
    // Whatever the condition turns out to be, the commit depends on its staying so.
    if (precondition.kind === 'condition' && !isHidden) guardRow(context.transaction, table, key)
    const unmet = unmetBy(precondition, stored !== null, before)
    if (unmet !== undefined) {
      return { ...new AnswerRows(plan.returning, plan.position, context).result(), unmet }
    }
  }
  if (stored === null) requireNoRow(plan, key)
  if (stored !== null || plan.numbered === undefined) {
    return writeAssigned(plan, context, { ...found, before, number: undefined })
  }
  return andThen(scope.functions.nextNumbers(table, 1), ([number]) =>
    writeAssigned(plan, context, { ...found, before, number }),
  )
}

function writeAssigned(
  plan: SetPlan,
  context: ExecutionContext,
  found: KeyedRow & { readonly before: Scope; readonly number: bigint | undefined },
): MaybePromise<StatementResult> {
  const { scope, key, stored, isHidden, before, number } = found
  const { table, assignments } = plan
  const isNew = stored === null
  const row = assignedRow(table, assignments, before)
  if (isNew) {
    const { functions } = scope
    for (const position of plan.defaults) {
      row[position] = defaultOf(table.columns[position] as ColumnDefinition, functions, number)
    }
    requireNotNull(plan, row)
  }
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
    changeRows(context.transaction, table, [change]),
  )
  const { returning } = plan
  if (returning === undefined && !(written instanceof Promise)) {
    return { columns: [], rows: [], rowsAffected: 1 }
  }
  return andThen(written, () => {
    const answer = new AnswerRows(returning, position, context)
    if (returning !== undefined) answer.add({ ...scope, row })
    return answer.result(1)
  })
}

/** A condition that names columns outside of coalesce needs the row, as an expression does. */
function unmetBy(
  precondition: NonNullable<SetPlan['precondition']>,
  exists: boolean,
  before: Scope,
): StatementResult['unmet'] {
  switch (precondition.kind) {
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
  { table, assignments, isBlind, isOfGeneratedKey, position }: SetPlan,
  key: readonly SqlValue[],
): void {
  if (isOfGeneratedKey) throw noSuchNumber(table, key, position)
  if (isBlind) return
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

function requireNotNull({ table, position }: SetPlan, row: SqlRow): void {
  for (let index = 0; index < row.length; index += 1) {
    const column = table.columns[index] as ColumnDefinition
    if (column.notNull && row[index] === null) throw notNullViolation(table, column, position)
  }
}
