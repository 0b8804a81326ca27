// SPDX-License-Identifier: Apache-2.0
import type { ColumnExpression, Expression, Projection } from '../../parser/ast.ts'
import type { SqlType } from '../../storage/values/values.ts'
import { isClaim, type ParameterSlot } from '../expressions/parameters.ts'
import type { PlannedStatement } from '../planned-statement.ts'
import { columnAt, partAt, type RowPart, requireColumnOf, rowOf } from '../row-parts.ts'
import type { DataPlan, Plan, ResultColumn } from './plan.ts'
import { projectedExpressions } from './projection.ts'

/** What is known of a statement before it runs. */
export type StatementDescription = {
  /** Of the rows that it answers; absent where they are made as it runs. */
  readonly columns?: readonly DescribedColumn[]
  /** In the order in which they first stand in the text. */
  readonly parameters: readonly DescribedParameter[]
  /** Whether it changes rows. */
  readonly writes: boolean
}

/** `nullable` is absent where only the values would tell. */
type DescribedColumn = ResultColumn & { readonly nullable?: boolean }

type DescribedParameter = {
  /** `id` for `:id`, 1 for `$1`. */
  readonly name: string | number
  /** Absent where it stands in places of several types, or where a moment is asked for. */
  readonly type?: SqlType
  /** It is an array of values of that type. */
  readonly list?: true
}

/** Of a statement and its plan; reads nothing. */
export function describePlanned(statement: PlannedStatement, plan: Plan): StatementDescription {
  switch (statement.kind) {
    case 'explain': {
      if (plan.kind !== 'explain') break
      const { parameters } = describePlanned(statement.statement, plan.plan)
      const columns = [
        { name: 'text', type: 'TEXT', nullable: false },
        { name: 'plan', type: 'JSON', nullable: false },
      ] as const
      return { columns, parameters, writes: false }
    }
    case 'get':
    case 'scan': {
      if (!('projection' in plan)) break
      const { projection, alias, asOf } = statement
      const looked = 'lookups' in plan ? plan.lookups : undefined
      const parts = [...rowOf(plan.table, alias), ...(looked ?? []).map(({ part }) => part)]
      const columns = describedColumns(parts, projection, plan.projection.columns)
      return { columns, parameters: describedParameters(plan.slots, asOf), writes: false }
    }
    case 'set':
    case 'insert':
    case 'delete': {
      if (!('slots' in plan)) break
      const columns = returnedColumns(statement.returning, plan as DataPlan)
      return { columns, parameters: describedParameters(plan.slots), writes: true }
    }
    case 'check':
    case 'notify': {
      if (!('slots' in plan)) break
      const parameters = describedParameters(plan.slots)
      return { columns: [], parameters, writes: statement.kind === 'notify' }
    }
  }
  return { parameters: [], writes: false }
}

function returnedColumns(
  projection: Projection | undefined,
  plan: DataPlan,
): readonly DescribedColumn[] {
  const returning = 'returning' in plan ? plan.returning : undefined
  if (projection === undefined || returning === undefined) return []
  return describedColumns(rowOf(plan.table), projection, returning.columns)
}

function describedColumns(
  parts: readonly RowPart[],
  projection: Projection,
  columns: readonly ResultColumn[],
): readonly DescribedColumn[] {
  const items = projectedExpressions(parts, projection)
  return columns.map((column, index) => {
    const nullable = nullableOf(parts, items[index]?.expression)
    return nullable === undefined ? column : { ...column, nullable }
  })
}

/** Undefined where it would take the values to know. */
function nullableOf(
  parts: readonly RowPart[],
  expression: Expression | undefined,
): boolean | undefined {
  switch (expression?.kind) {
    case 'column':
      return isNullable(parts, expression)
    case 'literal':
      return expression.type === 'null'
    case 'aggregate':
      return expression.function === 'count' ? false : undefined
    case 'isNull':
      return false
    default:
      return undefined
  }
}

function isNullable(parts: readonly RowPart[], column: ColumnExpression): boolean {
  const position = requireColumnOf(parts, column)
  return partAt(parts, position).isOptional === true || !columnAt(parts, position).notNull
}

/** Each parameter of the client once; rules ask for claims, which are no parameters of a client. */
function describedParameters(
  slots: readonly ParameterSlot[],
  moment?: Expression,
): readonly DescribedParameter[] {
  const described = new Map<string | number, DescribedParameter>()
  const inText = slots.toSorted((a, b) => a.position.offset - b.position.offset)
  for (const { key: name, type, list } of inText) {
    if (isClaim(name)) continue
    const known = described.get(name)
    const isSame = known === undefined || (known.type === type && (known.list ?? false) === list)
    described.set(name, isSame ? { name, type, ...(list ? { list } : {}) } : { name })
  }
  if (moment?.kind === 'parameter') described.set(moment.key, { name: moment.key })
  return [...described.values()]
}
