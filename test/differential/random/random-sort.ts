// SPDX-License-Identifier: Apache-2.0
import {
  joined,
  listed,
  type NamedParameters,
  parametersOf,
  same,
  type TwoTexts,
} from './joined-texts.ts'
import { perhapsParameter } from './random-parameter.ts'
import { aggregate, conditionsOf, hintOf, named, projection } from './random-statement.ts'
import type { Chooser, RandomColumn, RandomTable } from './random-table.ts'
import { expression, simpleCondition } from './two-texts.ts'

/** A SCAN that is sorted, or whose groups any key or none gives. */
export type SortStatement = {
  readonly ours: string
  readonly theirs: string
  readonly parameters: NamedParameters
  /** Both texts say in which order the rows come. */
  readonly isOrdered: boolean
}

type Clauses = {
  readonly distinct?: boolean
  readonly projection: TwoTexts
  readonly groupBy?: readonly TwoTexts[]
  readonly having?: TwoTexts
  readonly orderBy: readonly TwoTexts[]
  /** What the dialect orders by where the ORDER BY does not tell. */
  readonly ties: readonly string[]
  readonly limit: TwoTexts | undefined
}

export function randomSort(choose: Chooser, table: RandomTable): SortStatement {
  const clauses = choose.oneOf([sortedRows, sortedRows, groups, groups, distinct])(choose, table)
  const where = conditionsOf(choose, table)
  const hint = choose.percent(60) ? ' USE PRIMARY KEY' : hintOf(choose, table)
  const { projection: projected, groupBy = [], having, orderBy, ties, limit } = clauses
  const parts = [
    { ours: 'SCAN', theirs: 'SELECT' },
    ...(clauses.distinct ? [same('DISTINCT')] : []),
    projected,
    { ours: `FROM ${table.name}${hint}`, theirs: `FROM ${table.name}` },
    ...where.map((each, place) => joined`${same(place === 0 ? 'WHERE' : 'AND')} (${each})`),
    ...(groupBy.length > 0 ? [joined`GROUP BY ${listed(groupBy)}`] : []),
    ...(having === undefined ? [] : [joined`HAVING ${having}`]),
  ]
  const ordered = [
    joined`ORDER BY ${listed(orderBy)}`,
    { ours: '', theirs: ties.map((tie) => `, ${tie}`).join('') },
  ]
  const all = [
    ...parts,
    ...(orderBy.length > 0 ? ordered : []),
    ...(limit === undefined ? [] : [joined`LIMIT ${limit}`]),
  ]
  return {
    ours: all.map(({ ours }) => ours).join(' '),
    theirs: all.map(({ theirs }) => theirs).join(' '),
    parameters: parametersOf(all),
    isOrdered: orderBy.length > 0,
  }
}

function sortedRows(choose: Chooser, table: RandomTable): Clauses {
  const orderBy = Array.from({ length: 1 + choose.below(2) }, () =>
    directed(choose, ofRow(choose, table.terms)),
  )
  const ties = table.primaryKey.map(({ column, descending }) => {
    return `${column.name}${descending ? ' DESC' : ''}`
  })
  const projected = projection(choose, table.terms)
  return { projection: projected, orderBy, ties, limit: limitOf(choose) }
}

function groups(choose: Chooser, { terms: columns }: RandomTable): Clauses {
  const groupBy = Array.from({ length: 1 + choose.below(2) }, () => ofRow(choose, columns))
  const aggregates = Array.from({ length: 1 + choose.below(2) }, () =>
    choose.percent(50) ? aggregate(choose, columns) : someOf(choose, columns),
  )
  const isOrdered = choose.percent(60)
  const orderBy = isOrdered ? [directed(choose, choose.oneOf([...groupBy, ...aggregates]))] : []
  const having = joined`COUNT(*) ${same(choose.oneOf(['>', '<=']))} ${same(String(choose.below(4)))}`
  return {
    projection: named([...groupBy, ...aggregates]),
    groupBy,
    ...(choose.percent(40) ? { having } : {}),
    orderBy,
    ties: groupBy.map((_, place) => `r${place}`),
    limit: isOrdered ? limitOf(choose) : undefined,
  }
}

function distinct(choose: Chooser, { terms: columns }: RandomTable): Clauses {
  const items = Array.from({ length: 1 + choose.below(2) }, () => ofRow(choose, columns))
  const isOrdered = choose.percent(50)
  const ties = items.map((_, place) => `r${place}`)
  const orderBy = isOrdered ? [directed(choose, same(choose.oneOf(ties)))] : []
  const limit = isOrdered ? limitOf(choose) : undefined
  return { distinct: true, projection: named(items), orderBy, ties, limit }
}

/** A column or an expression that names one: what is the same for all rows is refused, or a place in SQLite. */
function ofRow(choose: Chooser, columns: readonly RandomColumn[]): TwoTexts {
  const { name, type } = choose.oneOf(columns)
  const any = choose.percent(45) ? same(name) : expression(choose, columns, type)
  return /\bc\d/.test(any.ours) ? any : same(name)
}

function directed(choose: Chooser, part: TwoTexts): TwoTexts {
  return joined`${part}${same(choose.oneOf(['', '', ' DESC', ' ASC']))}`
}

/** Of different values, or of some rows. */
function someOf(choose: Chooser, columns: readonly RandomColumn[]): TwoTexts {
  const { name } = choose.oneOf(columns)
  const of = choose.oneOf([same('COUNT(*)'), same(`COUNT(DISTINCT ${name})`), same(`MAX(${name})`)])
  if (choose.percent(30)) return of
  return joined`${of} FILTER (WHERE ${simpleCondition(choose, choose.oneOf(columns))})`
}

function limitOf(choose: Chooser): TwoTexts {
  return perhapsParameter(choose, same(String(choose.below(12))))
}
