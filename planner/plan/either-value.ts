// SPDX-License-Identifier: Apache-2.0
import type { Expression } from '../../parser/ast.ts'
import type { TableDefinition } from '../../storage/tables/tables.ts'
import { conjunctText, expressionText } from '../expressions/expression-text.ts'
import { conjunctsOf } from '../keys/key-condition.ts'

/** What is better written otherwise, so that it bounds a key; undefined where nothing of the kind is there. */
export function whereHint(
  table: TableDefinition,
  where: Expression | undefined,
): string | undefined {
  return eitherValueHint(where) ?? behindRowHint(table, conjunctsOf(where))
}

/**
 * `a > 1 OR (a = 1 AND b > 2)`, the rows behind one, is written `(a, b) > (1, 2)`, which bounds a key by both: a choice
 * bounds it by `a`. Only where no column may be NULL: rows with NULL are behind none.
 */
export function behindRowHint(
  table: TableDefinition,
  conjuncts: readonly Expression[],
): string | undefined {
  const found = conjuncts.map((each) => behindRow(table, each)).find((each) => each !== undefined)
  return found && `${found.written} is written ${found.row}, which bounds ${found.columns}`
}

function choiceText(operand: Expression): string {
  const conjuncts = conjunctsOf(operand).map(conjunctText).join(' AND ')
  return operand.kind === 'logical' ? `(${conjuncts})` : conjuncts
}

function behindRow({ columns }: TableDefinition, condition: Expression) {
  if (condition.kind !== 'logical' || condition.operator !== 'OR') return undefined
  const names: string[] = []
  const values: string[] = []
  let operator = ''
  for (const operand of condition.operands) {
    const before = conjunctsOf(operand)
    const last = before.at(-1)
    const equal = names.map((name, index) => `${name} = ${values[index]}`)
    const same = before.slice(0, -1).map(expressionText)
    if (last?.kind !== 'binary' || last.first.kind !== 'column') return undefined
    if (same.join(' AND ') !== equal.join(' AND ')) return undefined
    const { name } = last.first
    if (!columns.some((column) => column.name === name && column.notNull)) return undefined
    const [comparison] = last.rest
    const written = comparison?.operator ?? ''
    if (!/^[<>]=?$/.test(written) || !written.startsWith(operator)) return undefined
    operator = written
    names.push(expressionText(last.first))
    values.push(expressionText(comparison?.operand as Expression))
  }
  return {
    columns: names.join(', '),
    written: condition.operands.map(choiceText).join(' OR '),
    row: `(${names.join(', ')}) ${operator} (${values.join(', ')})`,
  }
}

/** More values than this are nothing to write down in a hint. */
const VALUES_MAX = 20

/**
 * `id = 'a' OR id = 'b'` is written `id IN ('a', 'b')`, which bounds a key. Undefined where the condition holds no
 * such choice among values of one column.
 */
export function eitherValueHint(where: Expression | undefined): string | undefined {
  const choice = where === undefined ? undefined : choiceIn(where)
  if (choice === undefined) return undefined
  const { column, values } = choice
  const texts = values.map(expressionText)
  const either = texts.map((text) => `${column} = ${text}`).join(' OR ')
  return `${either} is written ${column} IN (${texts.join(', ')})`
}

type Choice = {
  readonly column: string
  readonly values: readonly Expression[]
}

function choiceIn(where: Expression): Choice | undefined {
  if (where.kind !== 'logical') return undefined
  if (where.operator === 'AND') {
    for (const operand of where.operands) {
      const found = choiceIn(operand)
      if (found !== undefined) return found
    }
    return undefined
  }
  const equated = where.operands.slice(0, VALUES_MAX + 1).map(equation)
  const [first] = equated
  if (first === undefined || equated.length > VALUES_MAX) return undefined
  const values: Expression[] = []
  for (const each of equated) {
    if (each === undefined || each.column !== first.column) return undefined
    values.push(each.value)
  }
  return { column: first.column, values }
}

/** column = value, either way round. */
function equation(
  expression: Expression,
): { readonly column: string; readonly value: Expression } | undefined {
  if (expression.kind !== 'binary' || expression.rest.length !== 1) return undefined
  const [{ operator, operand } = { operator: '' }] = expression.rest
  if (operator !== '=' || operand === undefined) return undefined
  const [column, value] =
    expression.first.kind === 'column' ? [expression.first, operand] : [operand, expression.first]
  if (column.kind !== 'column') return undefined
  if (value.kind !== 'literal' && value.kind !== 'parameter') return undefined
  return { column: expressionText(column), value }
}
