// SPDX-License-Identifier: Apache-2.0
import type { Expression } from '../../parser/ast.ts'
import type { TableDefinition } from '../../storage/tables/tables.ts'
import { conjunctText, expressionText, nameText } from '../expressions/expression-text.ts'
import { keyText, primaryKeyOf } from '../keys/candidate-key.ts'
import { boundsNothing, conditionsOf, isFullKey, type KeyBounds } from '../keys/key-range.ts'
import type { RejectedKey } from '../keys/rejected-keys.ts'
import { wordsHint } from '../keys/suggested-index.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import { behindRowHint } from './either-value.ts'
import type {
  AggregatePlan,
  CheckPlan,
  ExplainedPlan,
  InsertPlan,
  NotifyPlan,
  Plan,
  PointGetPlan,
  RangeScanPlan,
  RowFilter,
  SetPlan,
  WalkPlan,
} from './plan.ts'
import { checkText } from './row-check.ts'

/** What EXPLAIN tells of a plan; its JSON form is this object. */
export type Explanation = {
  readonly statement: 'GET' | 'SCAN' | 'SET' | 'INSERT' | 'DELETE' | 'CHECK' | 'NOTIFY'
  readonly table: string
  /** The key that leads to the rows, such as `PRIMARY KEY (customer, time DESC)`. */
  readonly key: string
  /** The rule that won. */
  readonly rule: string
  readonly access: 'point get' | 'range scan' | 'whole key'
  /** The conditions that bound the key. */
  readonly bounds: readonly string[]
  /** The conditions that entries of the index are filtered by, before any row is read. */
  readonly entryFilter?: readonly string[]
  /** The conditions that rows are filtered by after they are read. */
  readonly filter: readonly string[]
  /** How a condition that filters is written so that it bounds a key. */
  readonly advice?: string
  /** What the role's rule lets be seen or written of the row. */
  readonly rowRule?: readonly string[]
  /** Tables that rows are looked up in, in the order of the statement. */
  readonly lookups?: readonly ExplainedLookup[]
  /** Of an index: whether its entries hold all that is read, so that no row is. */
  readonly covering?: boolean
  /** `as asked`, `forward`, `reverse`, or `top n of the range` where rows or groups are sorted. */
  readonly order?: string
  /** What rows or groups are sorted by. */
  readonly sortedBy?: readonly string[]
  /** Of the rows that are answered, what is read when it is known which they are. */
  readonly readLast?: string
  /** How rows become groups. */
  readonly groups?: string
  /** The condition that groups are filtered by. */
  readonly having?: string
  readonly limit?: string
  /** Every other key of the table, and why it was not taken. */
  readonly rejected: readonly RejectedKey[]
  readonly writes?: string
  /** Of the table's checks, those that the rows which are written may fail. */
  readonly checks?: readonly string[]
  readonly returning?: readonly string[]
  readonly measured?: Measured
}

export type ExplainedLookup = {
  readonly table: string
  /** What its columns are qualified with. */
  readonly name: string
  readonly key: string
  /** The conditions that give the key. */
  readonly by: readonly string[]
  readonly optional: boolean
  /** Of an index: whether its entries hold all that is read. */
  readonly covering?: boolean
  readonly rowRule?: readonly string[]
  /** The conditions that are checked as soon as the row was looked up. */
  readonly filter: readonly string[]
}

/** What ANALYZE counted. */
export type Measured = {
  /** Absent where a rule hides rows: the walk passes them, too. */
  readonly rowsRead?: number
  readonly entriesRead?: number
  readonly cellsRead?: number
  readonly roundTrips?: number
  /** Of each look-up: different keys of each batch, rows that were there, round trips. Among the figures above, too. */
  readonly lookups?: ReadonlyArray<{
    readonly keys: number
    readonly rows: number
    readonly roundTrips: number
  }>
  readonly rowsReturned: number
  readonly rowsAffected: number
  readonly milliseconds?: number
}

/** How the rows of a plan are found, and by which key; undefined where it finds none. */
export function accessOf(plan: Plan): Pick<Explanation, 'table' | 'access' | 'key'> | undefined {
  if (plan.kind === 'explain') return accessOf(plan.plan)
  if (!('slots' in plan)) return undefined
  const { table, access, key } = explanationOf(plan)
  return { table, access, key }
}

export function explanationOf(plan: ExplainedPlan): Explanation {
  switch (plan.kind) {
    case 'pointGet':
      return ofGet(plan)
    case 'rangeScan':
      return { statement: 'SCAN', ...ofWalk(plan), ...lookedUp(plan), ...sortedRows(plan) }
    case 'aggregate':
      return { statement: 'SCAN', ...ofWalk(plan), ...lookedUp(plan), ...ofGroups(plan) }
    case 'set':
      return {
        ...ofOneRow('SET', plan, setText(plan)),
        ...checkedBy(plan, mayMakeRow(plan)),
        ...returnedBy(plan),
      }
    case 'setRows':
      return {
        statement: 'SET',
        ...ofWalk(plan),
        writes: `sets ${assignmentsText(plan)} of the rows found`,
        ...checkedBy(plan, false),
        ...returnedBy(plan),
      }
    case 'insert':
      return ofInsert(plan)
    case 'delete':
      return {
        statement: 'DELETE',
        ...ofWalk(plan),
        writes: 'deletes the rows found',
        ...returnedBy(plan),
      }
    case 'check':
      return ofOneRow('CHECK', plan, `guards the row if ${expressionText(plan.source)}, else fails`)
    case 'notify':
      return ofOneRow('NOTIFY', plan, `notifies ${nameText(plan.observer.name)} of the row`)
  }
}

function ofOneRow(
  statement: Explanation['statement'],
  plan: SetPlan | CheckPlan | NotifyPlan,
  writes: string,
): Explanation {
  return { statement, ...ofFullKey(plan, plan.keys), ...ruledBy(plan), writes }
}

function ofGet(plan: PointGetPlan): Explanation {
  const { keys, rejected, covering, forUpdate } = plan
  const byIndex = keys.key.index !== undefined
  return {
    statement: 'GET',
    ...ofFullKey(plan, keys),
    ...ruledBy(plan),
    rule: byIndex ? 'full unique index' : 'full primary key',
    ...(byIndex ? { covering } : {}),
    order: 'as asked',
    ...lookedUp(plan),
    rejected,
    ...(forUpdate ? { writes: 'guards every key asked for' } : {}),
  }
}

function lookedUp({
  lookups,
}: PointGetPlan | RangeScanPlan | AggregatePlan): Pick<Explanation, 'lookups'> {
  if (lookups === undefined) return {}
  return {
    lookups: lookups.map(({ table, part, key, sources, filter, ...lookup }) => ({
      table: table.name,
      name: part.name,
      key: keyText(key),
      by: texts(sources),
      optional: lookup.isOptional,
      ...(key.index === undefined ? {} : { covering: lookup.covering }),
      ...(lookup.rowRule === undefined ? {} : { rowRule: texts(lookup.rowRule.sources) }),
      filter: filterTexts(filter),
    })),
  }
}

function ruledBy({ rowRule }: Pick<PointGetPlan, 'rowRule'>): Pick<Explanation, 'rowRule'> {
  return rowRule === undefined ? {} : { rowRule: texts(rowRule.sources) }
}

function ofFullKey(
  { table }: { readonly table: TableDefinition },
  keys: KeyBounds,
): Omit<Explanation, 'statement'> {
  return {
    table: table.name,
    key: keyText(keys.key),
    rule: 'full primary key',
    access: 'point get',
    bounds: boundTexts(keys),
    filter: [],
    rejected: [],
  }
}

function ofWalk(plan: WalkPlan): Omit<Explanation, 'statement'> {
  const { bounds, reverse, rule } = plan.path
  const byIndex = bounds.key.index !== undefined
  const byKeys = isFullKey(bounds)
  const filters = [plan.keyFilter, plan.rowFilter].flatMap((each) => each?.sources ?? [])
  const advice = behindRowHint(plan.table, filters) ?? wordsHint(plan.table, filters)
  return {
    table: plan.table.name,
    key: keyText(bounds.key),
    rule,
    access: byKeys ? 'point get' : boundsNothing(bounds) ? 'whole key' : 'range scan',
    bounds: boundTexts(bounds),
    ...(byIndex ? { entryFilter: filterTexts(plan.keyFilter) } : {}),
    filter: filterTexts(plan.rowFilter),
    ...(advice === undefined ? {} : { advice }),
    ...(byIndex ? { covering: plan.covering } : {}),
    order: reverse ? 'reverse' : 'forward',
    ...(plan.limitSource === undefined ? {} : { limit: expressionText(plan.limitSource) }),
    rejected: plan.rejected,
  }
}

type Sorted = Pick<Explanation, 'order' | 'sortedBy' | 'readLast'>

function sortedRows({ top, limitSource }: RangeScanPlan): Sorted {
  if (top === undefined) return {}
  const { texts: sortedBy, fetches } = top
  const readLast = fetches && 'the rows of the answer, by their keys in multi-gets'
  const order = topText(limitSource, 'the range')
  return { order, sortedBy, ...(readLast === undefined ? {} : { readLast }) }
}

function topText(limit: Expression | undefined, of: string): string {
  return `top ${limit === undefined ? 'n' : expressionText(limit)} of ${of}`
}

function ofGroups(plan: AggregatePlan): Sorted & Pick<Explanation, 'groups' | 'having'> {
  const { aggregation, top, limitSource } = plan
  const { having } = aggregation
  return {
    groups: groupsText(plan),
    ...(having && { having: expressionText(having.source) }),
    ...(top && { order: topText(limitSource, 'the groups'), sortedBy: top.texts }),
  }
}

function groupsText({ aggregation }: AggregatePlan): string {
  const { parts, decidedBy, isHeld } = aggregation
  if (decidedBy === 'firstRow') return 'all rows are one; the first of them decides'
  if (decidedBy === 'firstValue')
    return 'all rows are one; the first value that is not NULL decides'
  if (parts.length === 0) return 'all rows are one'
  const same = `rows with the same ${parts.map(({ source }) => expressionText(source)).join(', ')}`
  return isHeld ? `${same}; all of up to ${PLANNER_LIMITS.groupsMax} groups are held` : same
}

function ofInsert(plan: InsertPlan): Explanation {
  const { table, onConflict } = plan
  const byKey = onConflict !== undefined && 'key' in onConflict ? onConflict.key : undefined
  const isByIndex = byKey?.index !== undefined
  return {
    statement: 'INSERT',
    table: table.name,
    key: keyText(byKey ?? primaryKeyOf(table)),
    rule: isByIndex ? 'full unique index' : 'full primary key',
    access: 'point get',
    bounds: [],
    ...ruledBy(plan),
    filter: [],
    rejected: [],
    writes: insertText(plan),
    ...checkedBy(plan, true),
    ...returnedBy(plan),
  }
}

function insertText({ table, rows, numbered, onConflict }: InsertPlan): string {
  const count = rows.length === 1 ? 'adds 1 row' : `adds ${rows.length} rows`
  const column = numbered === undefined ? undefined : table.columns[numbered]?.name
  const added = column === undefined ? count : `${count} with the next ${nameText(column)}`
  switch (onConflict?.kind) {
    case undefined:
      return added
    case 'skipAll':
      return `${added}, but no duplicates`
    case 'skip':
      return `${added}, but no duplicates of the key`
    case 'update': {
      const { assignments, condition } = onConflict
      const sets = `sets ${assignmentsText({ table, assignments })} of the one with its key`
      if (condition === undefined) return `${added}, or ${sets}`
      return `${added}, or ${sets} if ${expressionText(condition.source)}, and guards it`
    }
  }
}

function assignmentsText({ table, assignments }: Pick<SetPlan, 'table' | 'assignments'>): string {
  const changes = assignments.map(({ column, source }) => {
    return `${nameText(table.columns[column]?.name ?? '')} = ${expressionText(source)}`
  })
  return changes.join(', ')
}

function setText(plan: SetPlan): string {
  const { assignments, precondition } = plan
  const needsRow =
    precondition?.kind === 'exists' || assignments.some(({ value }) => value.needsRow)
  const sets = `sets ${assignmentsText(plan)}`
  switch (precondition?.kind) {
    case 'notExists':
      return `${sets} of a new row, if there is none`
    case 'exists':
      return `${sets} of the row, if there is one`
    case 'condition':
      return `${sets} if ${expressionText(precondition.source)}, and guards the row`
    case undefined:
      return `${sets} ${needsRow ? 'of a row that must exist' : 'and makes the row when there is none'}`
  }
}

function mayMakeRow({ assignments, precondition }: SetPlan): boolean {
  const isOfThere = precondition?.kind === 'condition' && precondition.condition.needsRow
  const needsRow = precondition?.kind === 'exists' || isOfThere
  return !needsRow && !assignments.some(({ value }) => value.needsRow)
}

/** A row that was there meets what names no column that is set. */
function checkedBy(
  { checks }: Pick<SetPlan, 'checks'>,
  mayMakeRow: boolean,
): Pick<Explanation, 'checks'> {
  const requested = checks.filter(({ isConcerned }) => mayMakeRow || isConcerned)
  return requested.length === 0 ? {} : { checks: requested.map(checkText) }
}

function returnedBy({ returning }: Pick<SetPlan, 'returning'>): Pick<Explanation, 'returning'> {
  return returning === undefined ? {} : { returning: returning.columns.map(({ name }) => name) }
}

/** A condition on several columns is one. */
function boundTexts(bounds: KeyBounds): readonly string[] {
  const conditions = conditionsOf(bounds).map(({ bound, source }) => bound ?? source)
  return texts([...new Set(conditions)])
}

function filterTexts(filter: RowFilter | undefined): readonly string[] {
  return texts(filter?.sources ?? [])
}

function texts(sources: readonly Expression[]): readonly string[] {
  return sources.map(conjunctText)
}
