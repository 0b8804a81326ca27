// SPDX-License-Identifier: Apache-2.0
import {
  changeRows,
  keyOfRow,
  type RowChange,
  TakenEntries,
} from '../../../storage/tables/tables.ts'
import type { Scope } from '../../expressions/compiled-expression.ts'
import type { SetRowsPlan } from '../../plan/plan.ts'
import { AnswerRows } from '../rows/answer-rows.ts'
import { type Execute, scopeOf, TurnTaking } from '../rows/execution-context.ts'
import { assignedRow, type CheckedRow, checkedRow } from './checked-row.ts'
import { requireGivenUp, type WantedRow, writtenRows } from './duplicate-row.ts'
import { foundRows } from './found-rows.ts'
import { ruleViolated } from './new-row.ts'

/**
 * Changes the rows that it finds along a key, each computed from what it was before the statement. Values of a unique
 * index are compared at the end, as SQL asks: a row may take those that another one of the statement gives up.
 */
export const executeSetRows: Execute<SetRowsPlan> = async (plan, context) => {
  const { table, position } = plan
  const scope = scopeOf(plan.slots, context)
  const answer = new AnswerRows(plan.returning, position, context)
  const turns = new TurnTaking(context)
  const taken = new TakenEntries()
  const columns = plan.assignments.map(({ column }) => column)
  let rowsAffected = 0
  for await (const found of foundRows(plan, scope, context)) {
    const changes: RowChange[] = []
    const wanted: WantedRow<CheckedRow>[] = []
    for (const before of found) {
      if (turns.isDue()) await turns.pause()
      scope.work.beginRow(position)
      const row = changedRow(plan, { ...scope, row: before })
      changes.push({ before, after: row, columns })
      wanted.push({ row, position })
      answer.add({ ...scope, row })
    }
    await writtenRows(table, wanted, () =>
      changeRows(context.transaction, table, changes, { taken }),
    )
    rowsAffected += found.length
  }
  requireGivenUp(table, taken, (row) => ({ row, position }))
  return answer.result(rowsAffected)
}

function changedRow(plan: SetRowsPlan, before: Scope): CheckedRow {
  const { table, ruleAfter } = plan
  const row = assignedRow(table, plan.assignments, before)
  if (ruleAfter?.keeps({ ...before, row }) === false) throw ruleViolated(plan, keyOfRow(table, row))
  return checkedRow(plan, { ...before, row }, { isNew: false })
}
