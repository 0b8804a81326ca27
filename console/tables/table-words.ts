// SPDX-License-Identifier: Apache-2.0
import type { Row, Schemas } from '../../client-sdk/client.ts'
import { hexOf } from '../page/grid-cell.ts'
import { countedText } from '../page/stamp-text.ts'

/** `ready`, `building, 1,200 rows done`, or why it failed. */
export function indexStateWords({ state, rowsDone, failure }: Schemas['TableIndex']): string {
  if (state === 'building' && rowsDone !== undefined) {
    return `building, ${countedText(rowsDone, 'row')} done`
  }
  return failure === undefined ? state : `${state}: ${failure}`
}

/** What a column takes when it is left out: `0`, `'x'`, `now()`, a number of its own; undefined where it is NULL. */
export function defaultWords({ type, default: given }: Schemas['TableColumn']): string | undefined {
  if (given === undefined) return undefined
  if (given.identity !== undefined)
    return given.identity === 'always' ? 'identity, always' : 'identity'
  return given.function === undefined ? literalOf(type, given.value) : `${given.function}()`
}

/** As a statement has it. */
function literalOf(type: string, value: unknown): string {
  if (typeof value === 'object' && value !== null) return quoted(JSON.stringify(value))
  if (typeof value !== 'string' || type === 'INTEGER') return String(value)
  if (type === 'JSON') return quoted(JSON.stringify(value))
  return type === 'BYTES'
    ? `x'${hexOf(Uint8Array.from(atob(value), (byte) => byte.charCodeAt(0)))}'`
    : quoted(value)
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", "''")}'`
}

/** Whether no value may be written: the store hands them out. */
export function isGiven({ default: given }: Schemas['TableColumn']): boolean {
  return given?.identity === 'always'
}

export function observerWords(observer: Schemas['TableObserver']): string {
  const { state, weak, columns, due, backfilled } = observer
  return [
    state,
    ...(weak ? ['weak'] : []),
    columns.length === 0 ? 'notified of every change' : `notified of ${columns.join(', ')}`,
    ...(due === undefined ? [] : [`due by ${due}`]),
    ...(backfilled ? [] : ['not all rows told yet']),
  ].join(', ')
}

/** Whether something of the table is on its way, so that it is worth to ask again soon. */
export function isChanging({ indexes, checks, observers }: Schemas['Table']): boolean {
  return (
    indexes.some(({ state }) => state === 'building') ||
    checks.some(({ state }) => state !== 'ready') ||
    observers.some(({ backfilled }) => !backfilled)
  )
}

/** Whether the rows of SHOW GRANTS let a role write the table: some of its rows at least. */
export function mayWrite(grants: readonly Row[], table: string): boolean {
  return grants.some(
    ({ right, scope, table: on }) =>
      right === 'ADMIN' || (right === 'WRITE' && (on === table || scope === 'all tables')),
  )
}
