// SPDX-License-Identifier: Apache-2.0
import type { Schemas, StatementResult } from '../../client-sdk/client.ts'
import { countedText, durationText } from '../page/stamp-text.ts'

export type Explanation = Schemas['Explanation']
type ExplainedLookup = Schemas['ExplainedLookup']
type Measured = Schemas['ExplainedFigures']

/** One thing that is done, in the order in which rows go through it. */
export type PlanStep = {
  readonly title: string
  /** Conditions and keys, as the statement has them. */
  readonly code: readonly string[]
  readonly note?: string
  readonly measured?: string
}

/** The plan of a result that is one; undefined for every other, whatever its columns are called. */
export function explanationOf({
  kind,
  rows,
}: Pick<StatementResult, 'kind' | 'rows'>): Explanation | undefined {
  const plan = rows[0]?.plan
  return kind === 'explain' && typeof plan === 'string' ? JSON.parse(plan) : undefined
}

/** From the key to what leaves the server. */
export function planSteps(plan: Explanation): PlanStep[] {
  return [
    accessStep(plan),
    ...rowSteps(plan),
    ...(plan.lookups ?? []).flatMap((lookup, at) =>
      lookupSteps(lookup, plan.measured?.lookups?.[at]),
    ),
    ...groupSteps(plan),
    ...orderSteps(plan),
    ...writeSteps(plan),
  ]
}

function accessStep({ access, key, rule, bounds, measured }: Explanation): PlanStep {
  const isIndex = key.startsWith('INDEX')
  const read = isIndex ? measured?.entriesRead : ownRows(measured)
  return {
    title: `${access} by ${key}`,
    code: bounds,
    note: bounds.length === 0 && access === 'whole key' ? `nothing bounds it (${rule})` : rule,
    ...(read === undefined ? {} : { measured: counted(read, isIndex ? 'entry' : 'row', 'read') }),
  }
}

/** Rows of the table itself: those that were looked up are among the figure, too. */
function ownRows(measured: Measured | undefined): number | undefined {
  if (measured?.rowsRead === undefined) return undefined
  return (measured.lookups ?? []).reduce((rest, { rows }) => rest - rows, measured.rowsRead)
}

function rowSteps({
  key,
  covering,
  entryFilter,
  filter,
  rowRule,
  measured,
}: Explanation): PlanStep[] {
  const isIndex = key.startsWith('INDEX')
  const rows = ownRows(measured)
  const reads = { title: 'read the rows', code: [], note: 'by their primary keys, in multi-gets' }
  return [
    ...filterStep('filter entries', entryFilter),
    ...(!isIndex || covering === undefined
      ? []
      : covering
        ? [
            {
              title: 'no row is read',
              code: [],
              note: 'the entries have all columns that are read',
            },
          ]
        : [
            { ...reads, ...(rows === undefined ? {} : { measured: counted(rows, 'row', 'read') }) },
          ]),
    ...filterStep('filter rows', filter),
    ...filterStep('rule of the role', rowRule),
  ]
}

function filterStep(title: string, code: readonly string[] | undefined): PlanStep[] {
  return code === undefined || code.length === 0 ? [] : [{ title, code }]
}

function lookupSteps(
  lookup: ExplainedLookup,
  measured: { keys: number; rows: number; roundTrips: number } | undefined,
): PlanStep[] {
  const { table, name, key, by, optional, covering, filter, rowRule } = lookup
  const as = name === table ? '' : ` AS ${name}`
  const notes = [
    ...(optional ? ['optional: NULLs where there is none'] : []),
    ...(covering === true ? ['the entries have all columns that are read'] : []),
  ]
  const told =
    measured &&
    `${counted(measured.keys, 'key', 'asked')}, ${counted(measured.rows, 'row', 'found')}, ${countedText(measured.roundTrips, 'round trip')}`
  return [
    {
      title: `look up ${table}${as} by ${key}`,
      code: by,
      ...(notes.length === 0 ? {} : { note: notes.join('; ') }),
      ...(told === undefined ? {} : { measured: told }),
    },
    ...filterStep(`filter by ${name}`, filter),
    ...filterStep(`rule of the role on ${table}`, rowRule),
  ]
}

function groupSteps({ groups, having }: Explanation): PlanStep[] {
  return [
    ...(groups === undefined ? [] : [{ title: 'group', code: [], note: groups }]),
    ...filterStep('filter groups', having === undefined ? undefined : [having]),
  ]
}

function orderSteps({ order, sortedBy, limit, readLast }: Explanation): PlanStep[] {
  const isPlain = sortedBy === undefined && limit === undefined
  if (order === undefined || (isPlain && order !== 'reverse')) return []
  const title = sortedBy === undefined ? `order: ${order}` : `sort: ${order}`
  const isSaid = limit === undefined || order.startsWith('top')
  const step = { title, code: sortedBy ?? [], ...(isSaid ? {} : { note: `at most ${limit}` }) }
  return readLast === undefined ? [step] : [step, { title: 'read last', code: [], note: readLast }]
}

function writeSteps({ writes, returning }: Explanation): PlanStep[] {
  return [
    ...(writes === undefined ? [] : [{ title: 'write', code: [], note: writes }]),
    ...(returning === undefined ? [] : [{ title: 'return', code: returning }]),
  ]
}

/** What ANALYZE counted of the statement as a whole, and which part of what was read it was for. */
export type PlanTotals = {
  readonly text: string
  /** Rows that left of rows or entries that were read; absent where nothing was. */
  readonly used?: { readonly count: number; readonly of: number; readonly what: string }
}

export function planTotals({ measured }: Explanation): PlanTotals | undefined {
  if (measured === undefined) return undefined
  const { entriesRead, cellsRead, roundTrips, rowsReturned, rowsAffected } = measured
  const rowsRead = ownRows(measured)
  const parts = [
    ...(rowsReturned === 0 && rowsAffected > 0 ? [] : [counted(rowsReturned, 'row', 'returned')]),
    ...(rowsAffected === 0 ? [] : [counted(rowsAffected, 'row', 'affected')]),
    ...(cellsRead === undefined ? [] : [counted(cellsRead, 'cell', 'read')]),
    ...(roundTrips === undefined ? [] : [countedText(roundTrips, 'round trip')]),
    ...(measured.milliseconds === undefined ? [] : [durationText(measured.milliseconds)]),
  ]
  const of = Math.max(rowsRead ?? 0, entriesRead ?? 0)
  const count = Math.max(rowsReturned, rowsAffected)
  const what = (entriesRead ?? 0) > (rowsRead ?? 0) ? 'entries' : 'rows'
  return { text: parts.join(', '), ...(of === 0 ? {} : { used: { count, of, what } }) }
}

function counted(count: number, one: string, done: string): string {
  return `${countedText(count, one, one === 'entry' ? 'entries' : undefined)} ${done}`
}
