// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { exactText } from './exact-json.ts'

type DataCell = Schemas['DataCell']
type LockCell = Schemas['LockCell']
type Label = (timestamp: number) => string

/** Lines and characters that a box has room for. */
const LINES_MAX = 2
const LINE_MAX = 17

/** A key as people say it: `bob`, `AAPL, 7`. */
export function nameOfRow({ key }: { readonly key: readonly unknown[] }): string {
  return key.map(plain).join(', ')
}

/** What a version has that the one before it, `older`, had not. */
export function dataLines(
  cell: DataCell,
  older: DataCell | undefined,
  keys: ReadonlySet<string>,
): string[] {
  if (cell.row === undefined) return [cut(cell.value ?? 'value')]
  const before = older?.row
  const all = Object.entries(cell.row)
  const changed =
    before === undefined
      ? all.filter(([, value]) => value !== null && !keys.has(plain(value)))
      : all.filter(([name, value]) => exactText(value) !== exactText(before[name]))
  if (changed.length === 0) return before === undefined ? ['the row'] : ['no change']
  const lines = changed.map(([name, value]) => cut(`${name} ${plain(value)}`))
  const rest = lines.length - LINES_MAX
  return rest <= 0 ? lines : [...lines.slice(0, LINES_MAX - 1), `and ${rest + 1} more`]
}

export function dataWords({ timestamp, inline, row, value }: DataCell, label: Label): string {
  const content = row === undefined ? `value ${value ?? ''}` : exactText(row)
  const where = inline ? ', kept in its lock or its write record' : ''
  return `Value that T${label(timestamp)} wrote${where}: ${content}`
}

export function lockLines({ kind, isPrimary, primary }: LockCell): string[] {
  return [
    isPrimary ? `${kind}, primary` : kind,
    ...(isPrimary ? [] : [cut(`→ ${cellName(primary)}`)]),
  ]
}

export function lockWords(
  { timestamp, kind, isPrimary, primary, owner, lockedAt }: LockCell,
  label: Label,
): string {
  const which = isPrimary ? 'it is the primary' : `its primary is ${cellName(primary)}`
  return `Lock of T${label(timestamp)} to ${kind}: ${which}. Process ${owner}, at ${lockedAt}.`
}

/** `account bob`, or what else the primary lies in. */
function cellName({ table, index, key, system, rowKey }: Schemas['CellAddress']): string {
  if (key !== undefined) return `${index ?? table ?? ''} ${nameOfRow({ key })}`.trim()
  return system ?? rowKey ?? 'another row'
}

function plain(value: unknown): string {
  return typeof value === 'string' ? value : value === null ? 'NULL' : exactText(value)
}

function cut(text: string): string {
  return text.length <= LINE_MAX ? text : `${text.slice(0, LINE_MAX - 1)}…`
}
