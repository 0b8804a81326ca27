// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../../parser/ast.ts'
import type { TableDefinition } from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'
import { PlanError } from '../../plan-error.ts'
import { keyToJson, rowNumber } from './new-row.ts'

/** A row to be written that is, or would become, none of those that whoever asks may write. */
export function ruleViolated(
  { table, position }: { readonly table: TableDefinition; readonly position: Position },
  key: readonly SqlValue[],
  number?: number,
): PlanError {
  const json = keyToJson(table, key)
  const message = `The rule of your role does not let the row ${JSON.stringify(json)} of ${table.name} be written like that.`
  return new PlanError('rule_violated', message, {
    position,
    fields: { table: table.name, key: json, ...rowNumber({ number }) },
  })
}
