// SPDX-License-Identifier: Apache-2.0

import { nameText } from '../expressions/expression-text.ts'
import type { ExplainedLookup, Explanation, Measured } from './explain.ts'

/** One line for each fact. */
export function explanationText(explanation: Explanation): string {
  const { statement, table, key, rule, access, rejected, covering, measured } = explanation
  const facts: Array<readonly [string, string | undefined]> = [
    ['access', `${access} by ${key}`],
    ['rule', rule],
    ['bounds', listText(explanation.bounds)],
    ['filter on entry', explanation.entryFilter && listText(explanation.entryFilter)],
    [explanation.entryFilter ? 'filter on row' : 'filter', listText(explanation.filter)],
    ['advice', explanation.advice],
    ['row rule', explanation.rowRule && listText(explanation.rowRule)],
    ['covering', covering === undefined ? undefined : coveringText(covering)],
    ...(explanation.lookups ?? []).flatMap(lookupFacts),
    ['order', explanation.order],
    ['sorted by', explanation.sortedBy?.join(', ')],
    ['read last', explanation.readLast],
    ['groups', explanation.groups],
    ['having', explanation.having],
    ['limit', explanation.limit],
    ['writes', explanation.writes],
    ['checks', explanation.checks?.join(', ')],
    ['returning', explanation.returning?.join(', ')],
    ...rejected.map((lost) => [`not ${lost.key}`, lost.reason] as const),
    ['measured', measured === undefined ? undefined : measuredText(measured)],
    ...measuredLookups(explanation),
  ]
  const told = facts.filter(([, value]) => value !== undefined)
  return [
    `${statement} ${nameText(table)}`,
    ...told.map(([name, value]) => `  ${name}: ${value}`),
  ].join('\n')
}

function lookupFacts(lookup: ExplainedLookup): Array<readonly [string, string | undefined]> {
  const { table, name, key, by, optional, covering, rowRule, filter } = lookup
  const shown = nameText(name)
  const without = optional ? 'NULLs without one' : 'no row without one'
  return [
    [`look-up ${shown}`, `${nameText(table)} by ${key}, ${listText(by)}; ${without}`],
    [`row rule of ${shown}`, rowRule && listText(rowRule)],
    [`covering of ${shown}`, covering === undefined ? undefined : coveringText(covering)],
    [`filter after ${shown}`, filter.length === 0 ? undefined : listText(filter)],
  ]
}

function measuredLookups({
  lookups = [],
  measured,
}: Explanation): ReadonlyArray<readonly [string, string]> {
  return (measured?.lookups ?? []).map(({ keys, rows, roundTrips }, number) => {
    const figures = [
      ...counted(keys, 'key', 'asked'),
      ...counted(rows, 'row', 'found'),
      ...counted(roundTrips, 'round trip', ''),
    ]
    return [`measured of ${nameText(lookups[number]?.name ?? '')}`, figures.join(', ')] as const
  })
}

function listText(conditions: readonly string[]): string {
  return conditions.length === 0 ? 'none' : conditions.join(' AND ')
}

function coveringText(covering: boolean): string {
  return covering ? 'yes, no row is read' : 'no, rows are read by multi-gets'
}

function measuredText(measured: Measured): string {
  const { rowsRead, entriesRead, cellsRead, roundTrips, milliseconds } = measured
  const figures = [
    ...counted(rowsRead, 'row', 'read'),
    ...(entriesRead === 0 ? [] : counted(entriesRead, 'index entry', 'read')),
    ...counted(cellsRead, 'cell', 'read'),
    ...counted(roundTrips, 'round trip', ''),
    `${measured.rowsReturned} returned`,
    `${measured.rowsAffected} affected`,
    ...(milliseconds === undefined ? [] : [`${milliseconds} ms`]),
  ]
  return figures.join(', ')
}

function counted(count: number | undefined, what: string, done: string): readonly string[] {
  if (count === undefined) return []
  const plural = what === 'index entry' ? 'index entries' : `${what}s`
  return [`${count} ${count === 1 ? what : plural} ${done}`.trimEnd()]
}
