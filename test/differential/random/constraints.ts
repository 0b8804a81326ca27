// SPDX-License-Identifier: Apache-2.0
import { joined, parametersOf, type TwoTexts } from './joined-texts.ts'
import {
  type Chooser,
  comparedColumns,
  type RandomCheck,
  type RandomColumn,
  type RandomIndex,
  type RandomTable,
  type StoredColumn,
} from './random-table.ts'
import { condition, simpleCondition } from './two-texts.ts'

/** The table, perhaps with a UNIQUE and CHECKs in its definition. */
export function constrained(choose: Chooser, table: RandomTable): RandomTable {
  const indexes = choose.percent(30)
    ? [randomUnique(choose, table), ...table.indexes]
    : table.indexes
  const count = choose.oneOf([0, 0, 1, 1, 2])
  const checks = Array.from({ length: count }, (_, place) => randomCheck(choose, table, place))
  return { ...table, indexes, checks }
}

/** One or two columns that a SET may name, often those that a CHECK names. */
export function columnsToSet(choose: Chooser, table: RandomTable): readonly StoredColumn[] {
  const inKey = new Set<StoredColumn>(table.primaryKey.map(({ column }) => column))
  const free = table.columns.filter((column) => !inKey.has(column))
  const checked = free.filter(({ name }) => {
    return table.checks?.some(({ condition: { ours } }) => new RegExp(`\\b${name}\\b`).test(ours))
  })
  const columns = checked.length > 0 && choose.percent(60) ? checked : free
  return choose.some(columns, 1 + choose.below(2))
}

/** One beside a column has the name that the dialect gives it. */
function randomUnique(choose: Chooser, table: RandomTable): RandomIndex {
  const { name } = table
  const columns = comparedColumns(table)
  const unique = { unique: true, storing: [] }
  if (choose.percent(40)) {
    const column = choose.oneOf(columns)
    const parts = [{ column, descending: false }]
    return { ...unique, name: `${name}_${column.name}_key`, parts, inTable: 'column' }
  }
  const parts = choose.some(columns, 1 + choose.below(2)).map((column) => {
    return { column, descending: choose.percent(30) }
  })
  return { ...unique, name: 'u0', parts, inTable: 'table' }
}

/** Of the columns of one family and those of the key. */
function randomCheck(choose: Chooser, table: RandomTable, place: number): RandomCheck {
  const inKey = table.primaryKey.map(({ column }) => column)
  const compared = comparedColumns(table)
  const inFamily = new Set(table.families.flat())
  const [asked = []] = choose.some(table.families, 1)
  const family = compared.filter((column) => asked.includes(column))
  const others = compared.filter((column) => !inKey.includes(column) && !inFamily.has(column))
  const ownFamily = choose.percent(40) && family.length > 0 ? family : others
  const columns = [...inKey, ...ownFamily]
  const written = () => withoutParameters(() => condition(choose, columns))
  const met = choose.oneOf([
    () => joined`NOT (${written()})`,
    () => joined`(${written()} OR ${written()})`,
    () =>
      withoutParameters(() =>
        rangeOf(choose, choose.oneOf(ownFamily.length > 0 ? ownFamily : inKey)),
      ),
  ])()
  const column = choose.percent(40) ? choose.oneOf(columns) : undefined
  const name = choose.percent(50) ? `k${place}` : undefined
  return { condition: met, ...(column && { column }), ...(name && { name }) }
}

/** Rows that are written fail it now and then. */
function rangeOf(choose: Chooser, column: RandomColumn): TwoTexts {
  const made = simpleCondition(choose, column)
  return made.ours.includes(' = ') ? joined`NOT (${made})` : made
}

/** A definition has no parameters, and a CHECK names a column. */
function withoutParameters(make: () => TwoTexts): TwoTexts {
  for (;;) {
    const made = make()
    if (/\bc\d\b/.test(made.ours) && Object.keys(parametersOf([made])).length === 0) return made
  }
}
