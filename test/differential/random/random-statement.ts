// SPDX-License-Identifier: Apache-2.0

import { columnsToSet } from './constraints.ts'
import { joined, listed, same, type TwoTexts } from './joined-texts.ts'
import type {
  Chooser,
  ComparedType,
  RandomColumn,
  RandomKeyPart,
  RandomTable,
  StoredColumn,
} from './random-table.ts'
import {
  condition,
  expression,
  knownValue,
  rowCondition,
  simpleCondition,
  type TwoConditions,
  value,
} from './two-texts.ts'

/** A statement in parts, so that it can be said in both languages and asked about. */
export type ReadStatement = {
  readonly kind: 'get' | 'scan' | 'aggregate'
  readonly projection: TwoTexts
  readonly hint: string
  readonly where: readonly TwoConditions[]
  readonly groupBy: readonly RandomColumn[]
  readonly orderBy: string
  readonly limit: number | undefined
}
export type WriteStatement =
  | { readonly kind: 'insert'; readonly values: TwoTexts; readonly doNothing: boolean }
  | {
      readonly kind: 'set'
      readonly assignments: ReadonlyArray<{
        readonly column: StoredColumn
        readonly value: TwoTexts
      }>
      readonly plain: boolean
      readonly key: ReadonlyArray<{ readonly column: RandomColumn; readonly value: TwoTexts }>
      readonly precondition: 'none' | 'exists' | 'notExists' | TwoTexts
    }
  | {
      readonly kind: 'delete'
      readonly hint: string
      readonly where: readonly TwoConditions[]
      readonly limit: number | undefined
    }

export function randomRead(choose: Chooser, table: RandomTable): ReadStatement {
  const kind = choose.oneOf([
    'get',
    'scan',
    'scan',
    'scan',
    'scan',
    'aggregate',
    'aggregate',
  ] as const)
  if (kind === 'get') return randomGet(choose, table)
  const scan: ReadStatement = {
    kind,
    projection: projection(choose, table.terms),
    hint: hintOf(choose, table),
    where: conditionsOf(choose, table),
    groupBy: [],
    orderBy: orderOf(choose, table),
    limit: choose.percent(25) ? choose.below(12) : undefined,
  }
  if (kind === 'scan') return scan
  if (choose.percent(20)) return extremeOf(choose, table)
  const groupBy = choose.percent(65) ? groupsOf(choose, table) : []
  const names = groupBy.map(({ name }) => name)
  const aggregates = Array.from({ length: 1 + choose.below(3) }, () =>
    aggregate(choose, table.terms),
  )
  return {
    ...scan,
    projection: named([...names.map(same), ...aggregates]),
    groupBy,
    orderBy: '',
  }
}

export function randomWrite(choose: Chooser, table: RandomTable): WriteStatement {
  switch (choose.below(5)) {
    case 0:
    case 1:
      return { kind: 'insert', values: rowsText(choose, table), doNothing: choose.percent(50) }
    case 2:
    case 3:
      return randomSet(choose, table)
    default:
      return {
        kind: 'delete',
        hint: hintOf(choose, table),
        where: conditionsOf(choose, table),
        limit: choose.percent(40) ? choose.below(6) : undefined,
      }
  }
}

/** VALUES of one to four rows. */
export function rowsText(
  choose: Chooser,
  table: RandomTable,
  count = 1 + choose.below(4),
): TwoTexts {
  const rows = Array.from(
    { length: count },
    () => joined`(${listed(table.columns.map((column) => value(choose, column)))})`,
  )
  return listed(rows)
}

function randomGet(choose: Chooser, table: RandomTable): ReadStatement {
  const keys = [
    table.primaryKey,
    ...table.indexes.filter(({ unique }) => unique).map((i) => i.parts),
  ]
  const where = choose.oneOf(keys).map(({ column }): TwoConditions => {
    const known = () => knownValue(choose, column.type)
    if (choose.percent(50)) return { ...joined`${same(column.name)} = ${known()}`, column }
    const list = Array.from({ length: 1 + choose.below(4) }, known)
    return { ...joined`${same(column.name)} IN (${listed(list)})`, column }
  })
  const none = { hint: '', groupBy: [], orderBy: '', limit: undefined }
  return { kind: 'get', projection: projection(choose, table.terms), where, ...none }
}

function randomSet(choose: Chooser, table: RandomTable): WriteStatement {
  const plain = choose.percent(50)
  const assignments = columnsToSet(choose, table).map((column) => ({
    column,
    value: plain ? value(choose, column) : rowValue(choose, table, column),
  }))
  const key = table.primaryKey.map(({ column }) => {
    return { column, value: knownValue(choose, column.type) }
  })
  const precondition = choose.oneOf([
    ...(['none', 'none', 'exists', 'notExists'] as const),
    simpleCondition(choose, choose.oneOf(table.terms)),
  ])
  return { kind: 'set', assignments, plain, key, precondition }
}

/** Of the row itself, always naming a column, so that it needs the row. */
function rowValue(choose: Chooser, { terms }: RandomTable, column: StoredColumn): TwoTexts {
  const own = same(column.name)
  if (!NUMBERS.has(column.type)) return own
  return joined`${own} + ${expression(choose, terms, column.type as ComparedType, 1)}`
}

const NUMBERS: ReadonlySet<string> = new Set(['INTEGER', 'DECIMAL', 'REAL'])

export function projection(choose: Chooser, columns: readonly RandomColumn[]): TwoTexts {
  if (choose.percent(40)) return same('*')
  const count = 1 + choose.below(3)
  const items = Array.from({ length: count }, () =>
    choose.percent(60)
      ? same(choose.oneOf(columns).name)
      : expression(choose, columns, choose.oneOf(columns).type),
  )
  return named(items)
}

/** Every column of a result has a name of its own. */
export function named(items: readonly TwoTexts[]): TwoTexts {
  return listed(items.map((item, place) => joined`${item} AS ${same(`r${place}`)}`))
}

export function aggregate(choose: Chooser, columns: readonly RandomColumn[]): TwoTexts {
  const numbers = columns.filter(({ type }) => NUMBERS.has(type))
  const any = choose.oneOf(columns)
  switch (choose.below(numbers.length > 0 ? 5 : 3)) {
    case 0:
      return same('COUNT(*)')
    case 1:
      return same(`COUNT(${any.name})`)
    case 2:
      return same(`${choose.oneOf(['MIN', 'MAX'])}(${any.name})`)
    case 3: {
      const { name, type } = choose.oneOf(numbers)
      return same(`${type === 'DECIMAL' ? 'SUM' : choose.oneOf(['SUM', 'AVG'])}(${name})`)
    }
    default: {
      const { name, type } = choose.oneOf(numbers)
      const sum = summed(choose, columns, type as 'INTEGER' | 'DECIMAL' | 'REAL')
      if (type === 'DECIMAL') return joined`SUM(${sum})`
      return joined`coalesce(SUM(${sum}), 0) + COUNT(${same(name)})`
    }
  }
}

/** Rounded numbers have no exact sums, and so each order of them has another. */
function summed(
  choose: Chooser,
  columns: readonly RandomColumn[],
  type: 'INTEGER' | 'DECIMAL' | 'REAL',
): TwoTexts {
  const sum = expression(choose, columns, type, 1)
  return sum.ours.startsWith('round(') ? same('1') : sum
}

/** What a walk along a key may find at its beginning. */
function extremeOf(choose: Chooser, table: RandomTable): ReadStatement {
  const keys = [table.primaryKey, ...table.indexes.map(({ parts }) => parts)]
  const key = choose.oneOf(keys)
  const fixed = choose.below(key.length)
  const where = key.slice(0, fixed).map(({ column }) => ({
    ...joined`${same(column.name)} = ${knownValue(choose, column.type)}`,
    column,
  }))
  const { name } = (key[fixed] ?? (table.primaryKey[0] as RandomKeyPart)).column
  const projection = same(`${choose.oneOf(['MIN', 'MAX'])}(${name}) AS r0`)
  const hint = fixed > 0 ? '' : hintOf(choose, table)
  return { kind: 'aggregate', projection, hint, where, groupBy: [], orderBy: '', limit: undefined }
}

/** Mostly along a key, so that the columns are often those that a key begins with. */
export function conditionsOf(choose: Chooser, table: RandomTable): readonly TwoConditions[] {
  const keys = [table.primaryKey, ...table.indexes.map(({ parts }) => parts)]
  const key = choose.oneOf(keys)
  const prefix = key.slice(0, choose.below(key.length + 1))
  const along = prefix.map(({ column }) => simpleCondition(choose, column))
  const behind = key.slice(choose.below(prefix.length + 1)).map(({ column }) => column)
  if (behind.length > 1 && choose.percent(40)) along.push(rowCondition(choose, behind))
  const others = Array.from({ length: choose.oneOf([0, 0, 1, 2]) }, () =>
    condition(choose, table.terms),
  )
  return choose.some([...along, ...others], along.length + others.length)
}

function orderOf(choose: Chooser, table: RandomTable): string {
  if (choose.percent(50)) return ''
  const keys = [table.primaryKey, ...table.indexes.map(({ parts }) => parts)]
  const key = choose.oneOf(keys)
  const reversed = choose.percent(50)
  const parts = key.slice(0, 1 + choose.below(key.length)).map(({ column, descending }) => {
    return `${column.name}${descending !== reversed ? ' DESC' : ''}`
  })
  return parts.join(', ')
}

function groupsOf(choose: Chooser, table: RandomTable): readonly RandomColumn[] {
  const keys = [table.primaryKey, ...table.indexes.map(({ parts }) => parts)]
  const key = choose.oneOf(keys)
  const columns = key.slice(0, 1 + choose.below(key.length)).map(({ column }) => column)
  return choose.some(columns, columns.length)
}

export function hintOf(choose: Chooser, table: RandomTable): string {
  if (choose.percent(60)) return ''
  const [index] = choose.some(table.indexes, 1)
  return index !== undefined && choose.percent(50) ? ` USE INDEX ${index.name}` : ' USE PRIMARY KEY'
}
