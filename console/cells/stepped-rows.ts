// SPDX-License-Identifier: Apache-2.0
import type { InspectionEvent } from '../../client-sdk/inspect.ts'
import { FAMILIES, type Family, type RowCells } from './cell-history.ts'
import { exactText } from './exact-json.ts'

export type Step = Extract<InspectionEvent, { kind: 'step' }>

type Cell = { readonly column: string; readonly timestamp: number; readonly inline?: boolean }

/** Cells of a family that a column keeps, the newest: a row that changes all the time has more than can be shown. */
export const CELLS_MAX = 200

/** The rows after one step of the protocol. */
export function steppedRows(rows: readonly RowCells[], step: Step): readonly RowCells[] {
  const key = exactText(step.key)
  return rows.map((row) => (exactText(row.key) === key ? stepped(row, step) : row))
}

function stepped(row: RowCells, step: Step): RowCells {
  const families = Object.fromEntries(
    FAMILIES.map((family) => [family, steppedCells(row[family], family, step)]),
  )
  return { ...row, ...families }
}

/** Newest first in each column, as the API has them. */
function steppedCells(cells: readonly Cell[], family: Family, step: Step): readonly Cell[] {
  const set = step.set
    .filter((cell) => cell.family === family)
    .map(({ family: _, ...cell }) => cell)
  const erased = step.erased.filter((range) => range.family === family)
  const locks = step.erased.filter((range) => range.family === 'lock')
  if (set.length === 0 && erased.length === 0 && !(family === 'data' && locks.length > 0)) {
    return cells
  }
  const isSame = (one: Cell) => (other: Cell) =>
    one.column === other.column && one.timestamp === other.timestamp
  const kept = cells.filter((cell) => {
    if (set.some(isSame(cell)) || erased.some((range) => isIn(cell, range))) return false
    // A value that was kept in its lock goes with it; after a commit it is kept in the record.
    const isLeft = step.step === 'rollBack' && family === 'data' && cell.inline === true
    return !(isLeft && locks.some((range) => isIn(cell, range)))
  })
  const all = [...set, ...kept].sort(
    (one, other) => compare(one.column, other.column) || other.timestamp - one.timestamp,
  )
  return all.filter(({ column }, at) => all[at - CELLS_MAX]?.column !== column)
}

function isIn({ column, timestamp }: Cell, range: Step['erased'][number]): boolean {
  if (column !== range.column) return false
  if (range.timestamp !== undefined) return timestamp === range.timestamp
  const { from = 0, until = Number.POSITIVE_INFINITY } = range
  return timestamp >= from && timestamp < until
}

function compare(one: string, other: string): number {
  return one === other ? 0 : one < other ? -1 : 1
}

const DONE: Readonly<Record<string, string>> = {
  prewrite: 'locks',
  commit: 'commits, by its primary',
  commitSecondary: 'commits its secondary',
  rollForward: 'has committed, so another transaction rolls it forward at',
  rollBack: 'is rolled back at',
  onePhase: 'commits in one phase',
  heartbeat: 'says that it still works on',
  notify: 'has observers notified of',
  acknowledge: 'An observer has run for',
  collect: 'Old versions are collected of',
}

/** What a step has done, for the log; `label` names stamps. */
export function stepWords(
  { step, transaction, key, set, erased }: Step,
  label: (timestamp: number) => string,
): string {
  const name = key.map(String).join(', ')
  const done = DONE[step] ?? step
  const who = transaction === undefined ? '' : `T${label(transaction)} `
  const sets = familiesOf(set)
  const erases = familiesOf(erased)
  const cells = [
    ...(sets === '' ? [] : [`sets ${sets}`]),
    ...(erases === '' ? [] : [`erases ${erases}`]),
  ]
  return `${who}${done} ${name}${cells.length === 0 ? '' : ` (${cells.join(', ')})`}`
}

function familiesOf(cells: ReadonlyArray<{ readonly family: string }>): string {
  return [...new Set(cells.map(({ family }) => family))].join(' and ')
}

/** The transaction that may still be killed on its way after this step; undefined where it is over. */
export function killable({ step, transaction }: Step): number | undefined {
  return step === 'prewrite' || step === 'commit' ? transaction : undefined
}
