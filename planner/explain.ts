// SPDX-License-Identifier: Apache-2.0
import type { Expression } from '../parser/ast.ts'
import { keyText, primaryKeyOf } from './candidate-key.ts'
import { expressionText, nameText } from './expression-text.ts'
import { boundsNothing, conditionsOf, isFullKey, type KeyBounds } from './key-range.ts'
import type { DataPlan, DeletePlan, InsertPlan, RangeScanPlan, SetPlan } from './plan.ts'
import type { LostRule } from './rules.ts'

/** What EXPLAIN tells of a plan; its JSON form is this object. */
export type Explanation = {
  readonly statement: 'GET' | 'SCAN' | 'SET' | 'INSERT' | 'DELETE'
  readonly table: string
  /** The key that leads to the rows, such as `PRIMARY KEY (customer, time DESC)`. */
  readonly key: string
  /** The rule that won. */
  readonly rule: string
  readonly access: 'point get' | 'range scan' | 'whole key'
  /** The conditions that bound the key. */
  readonly bounds: readonly string[]
  /** The conditions that rows are filtered by after they are read. */
  readonly filter: readonly string[]
  readonly order?: 'as asked' | 'forward' | 'reverse'
  readonly limit?: string
  /** The rules before the one that won, and why each had no path. */
  readonly lost: readonly LostRule[]
  readonly writes?: string
  readonly measured?: Measured
}

/** What ANALYZE counted. */
export type Measured = {
  readonly rowsRead: number
  readonly rowsReturned: number
  readonly rowsAffected: number
  readonly milliseconds?: number
}

export function explanationOf(plan: DataPlan): Explanation {
  switch (plan.kind) {
    case 'pointGet': {
      const writes = plan.forUpdate ? { writes: 'guards every key asked for' } : {}
      return { statement: 'GET', ...ofFullKey(plan, plan.keys), order: 'as asked', ...writes }
    }
    case 'rangeScan':
      return { statement: 'SCAN', ...ofAccess(plan) }
    case 'set':
      return { statement: 'SET', ...ofFullKey(plan, plan.keys), writes: setText(plan) }
    case 'insert':
      return ofInsert(plan)
    case 'delete':
      return { statement: 'DELETE', ...ofAccess(plan), writes: 'deletes the rows found' }
  }
}

/** One line for each fact. */
export function explanationText(explanation: Explanation): string {
  const { statement, table, key, rule, access, bounds, filter, lost, measured } = explanation
  const facts: Array<readonly [string, string | undefined]> = [
    ['access', `${access} by ${key}`],
    ['rule', rule],
    ['bounds', bounds.length === 0 ? 'none' : bounds.join(' AND ')],
    ['filter', filter.length === 0 ? 'none' : filter.join(' AND ')],
    ['order', explanation.order],
    ['limit', explanation.limit],
    ['writes', explanation.writes],
    ...lost.map(({ rule: name, reason }) => [`not ${name}`, reason] as const),
    ['measured', measured === undefined ? undefined : measuredText(measured)],
  ]
  const told = facts.filter(([, value]) => value !== undefined)
  return [
    `${statement} ${nameText(table)}`,
    ...told.map(([name, value]) => `  ${name}: ${value}`),
  ].join('\n')
}

function ofFullKey(
  { table }: { readonly table: { readonly name: string } },
  keys: KeyBounds,
): Omit<Explanation, 'statement'> {
  return {
    table: table.name,
    key: keyText(keys.key),
    rule: 'full primary key',
    access: 'point get',
    bounds: texts(conditionsOf(keys).map(({ source }) => source)),
    filter: [],
    lost: [],
  }
}

function ofAccess(plan: RangeScanPlan | DeletePlan): Omit<Explanation, 'statement'> {
  const { bounds, reverse, rule } = plan.path
  const access = isFullKey(bounds)
    ? 'point get'
    : boundsNothing(bounds)
      ? 'whole key'
      : 'range scan'
  const limit = plan.limit === undefined ? {} : { limit: limitText(plan) }
  return {
    table: plan.table.name,
    key: keyText(bounds.key),
    rule,
    access,
    bounds: texts(conditionsOf(bounds).map(({ source }) => source)),
    filter: texts(plan.filter?.sources ?? []),
    order: reverse ? 'reverse' : 'forward',
    ...limit,
    lost: plan.lost,
  }
}

function ofInsert({ table, rows }: InsertPlan): Explanation {
  return {
    statement: 'INSERT',
    table: table.name,
    key: keyText(primaryKeyOf(table)),
    rule: 'full primary key',
    access: 'point get',
    bounds: [],
    filter: [],
    lost: [],
    writes: rows.length === 1 ? 'adds 1 row' : `adds ${rows.length} rows`,
  }
}

function setText({ table, assignments }: SetPlan): string {
  const changes = assignments.map(({ column, source }) => {
    return `${nameText(table.columns[column]?.name ?? '')} = ${expressionText(source)}`
  })
  const needsRow = assignments.some(({ value }) => value.needsRow)
  return `sets ${changes.join(', ')} ${needsRow ? 'of a row that must exist' : 'and makes the row when there is none'}`
}

function limitText({ limitSource }: RangeScanPlan | DeletePlan): string {
  return limitSource === undefined ? '' : expressionText(limitSource)
}

function texts(sources: readonly Expression[]): readonly string[] {
  return sources.map((source) => {
    // A chain of OR must not be read as parts of the ANDs around it.
    return source.kind === 'logical' ? `(${expressionText(source)})` : expressionText(source)
  })
}

function measuredText({ rowsRead, rowsReturned, rowsAffected, milliseconds }: Measured): string {
  const figures = [
    `${rowsRead} rows read`,
    `${rowsReturned} returned`,
    `${rowsAffected} affected`,
    ...(milliseconds === undefined ? [] : [`${milliseconds} ms`]),
  ]
  return figures.join(', ')
}
