// SPDX-License-Identifier: Apache-2.0

import { nameText } from '../expressions/expression-text.ts'
import type { Explanation, Measured } from './explain.ts'

/** One line for each fact. */
export function explanationText(explanation: Explanation): string {
  const { statement, table, key, rule, access, rejected, covering, measured } = explanation
  const facts: Array<readonly [string, string | undefined]> = [
    ['access', `${access} by ${key}`],
    ['rule', rule],
    ['bounds', listText(explanation.bounds)],
    ['filter on entry', explanation.entryFilter && listText(explanation.entryFilter)],
    [explanation.entryFilter ? 'filter on row' : 'filter', listText(explanation.filter)],
    ['row rule', explanation.rowRule && listText(explanation.rowRule)],
    ['covering', covering === undefined ? undefined : coveringText(covering)],
    ['order', explanation.order],
    ['sorted by', explanation.sortedBy?.join(', ')],
    ['read last', explanation.readLast],
    ['groups', explanation.groups],
    ['having', explanation.having],
    ['limit', explanation.limit],
    ['writes', explanation.writes],
    ['returning', explanation.returning?.join(', ')],
    ...rejected.map((lost) => [`not ${lost.key}`, lost.reason] as const),
    ['measured', measured === undefined ? undefined : measuredText(measured)],
  ]
  const told = facts.filter(([, value]) => value !== undefined)
  return [
    `${statement} ${nameText(table)}`,
    ...told.map(([name, value]) => `  ${name}: ${value}`),
  ].join('\n')
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
