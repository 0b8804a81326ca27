// SPDX-License-Identifier: Apache-2.0
import {
  type Catalog,
  type ColumnDefinition,
  decodeRow,
  familyColumn,
  type InspectedCell,
  type SqlValue,
  type StandingLock,
  type TableDefinition,
  type Timestamp,
} from '../storage/storage.ts'
import { piecesOf } from './answers/text-pieces.ts'
import { formOf, rowPieces } from './result-form.ts'
import { addressOfRow, keyToJson } from './row-address.ts'

type Context = {
  readonly catalog: Catalog
  readonly table: TableDefinition
  readonly rowKey: Uint8Array
}

/**
 * `RowCells` of `openapi.yaml`, as JSON text in pieces: Figure 4 of the paper for one row, family by family. Rows
 * are written as in any other answer, so that JSON columns keep every digit.
 */
export function* rowCellsOf(
  context: Context,
  key: readonly SqlValue[],
  cells: readonly InspectedCell[],
): Generator<string, void, undefined> {
  const head = { table: context.table.name, key: keyToJson(context.table, key) }
  const rest = {
    lock: cells.flatMap((cell) => (cell.meaning.kind === 'lock' ? [lockCell(context, cell)] : [])),
    write: cells.flatMap(writeCell),
    rollback: plainCells('rollback', cells),
    guard: plainCells('guard', cells),
    notify: plainCells('notify', cells),
  }
  yield `${JSON.stringify(head).slice(0, -1)},"data":[`
  yield* dataCells(context, cells)
  yield `],${JSON.stringify(rest).slice(1)}\n`
}

/** Short values travel inside the lock and the write record; they are data all the same. */
function* dataCells(
  context: Context,
  cells: readonly InspectedCell[],
): Generator<string, void, undefined> {
  const values = cells.flatMap((cell) => {
    const { meaning } = cell
    if (meaning.kind === 'data') return [valueCell(cell, cell.timestamp, cell.value, false)]
    if (meaning.kind === 'write' && meaning.content.kind === 'inline') {
      return [valueCell(cell, meaning.startTs, meaning.content.value, true)]
    }
    if (meaning.kind === 'lock' && meaning.lock.content.kind === 'inline') {
      return [valueCell(cell, meaning.lock.startTs, meaning.lock.content.value, true)]
    }
    return []
  })
  values.sort((a, b) => compareColumns(a.column, b.column) || b.timestamp - a.timestamp)
  let separator = ''
  for (const { value, ...cell } of values) {
    yield `${separator}${JSON.stringify(cell).slice(0, -1)},`
    yield* decoded(context, cell.column, value)
    yield '}'
    separator = ','
  }
}

function valueCell(cell: InspectedCell, timestamp: Timestamp, value: Uint8Array, inline: boolean) {
  return { column: cell.qualifier, timestamp, inline, value }
}

function compareColumns(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}

/** Members of JSON: the columns that the cell's family holds, and the key; a declared family is named. */
function* decoded(
  { table, rowKey }: Context,
  column: string,
  value: Uint8Array,
): Generator<string, void, undefined> {
  const family = table.families.find(({ id }) => familyColumn(id) === column)
  const named = family === undefined ? '' : `"family":${JSON.stringify(family.name)},`
  const inKey = new Set(table.primaryKey.map(({ columnId }) => columnId))
  const isHeld = ({ id, family: of = 0 }: ColumnDefinition) =>
    inKey.has(id) || of === (family?.id ?? 0)
  const row = rowOrDamage(() => decodeRow(table, rowKey, value, family?.id))
  if (row === undefined) {
    yield '"value":"'
    yield* piecesOf(Buffer.from(value).toString('base64'))
    yield '"'
    return
  }
  const held = table.columns.flatMap((one, index) =>
    isHeld(one) ? [{ column: one, value: row[index] ?? null }] : [],
  )
  const columns = held.map((one) => one.column)
  const values = held.map((one) => one.value)
  yield `${named}"row":`
  yield* rowPieces(formOf(columns, 'number'), values)
}

/** An operator looks here when something is damaged, so damage must not hide the rest. */
function rowOrDamage<T>(decode: () => T): T | undefined {
  try {
    return decode()
  } catch {
    return undefined
  }
}

function lockCell({ catalog }: Context, cell: InspectedCell) {
  if (cell.meaning.kind !== 'lock') throw new TypeError('This cell is not a lock.')
  const { lock, isPrimary } = cell.meaning
  return {
    column: cell.qualifier,
    timestamp: cell.timestamp,
    ...lockFacts(catalog, lock),
    isPrimary,
  }
}

function writeCell({ qualifier, timestamp, meaning }: InspectedCell) {
  if (meaning.kind !== 'write') return []
  const kind = kindOf(meaning.content.kind)
  return [{ column: qualifier, timestamp, kind, startTimestamp: meaning.startTs }]
}

function plainCells(kind: 'rollback' | 'guard' | 'notify', cells: readonly InspectedCell[]) {
  return cells
    .filter((cell) => cell.meaning.kind === kind)
    .map(({ qualifier, timestamp }) => ({ column: qualifier, timestamp }))
}

/** `Lock` of `openapi.yaml`. */
export function standingLockOf(catalog: Catalog, standing: StandingLock) {
  const { row, column, lock, isPrimary, ownerIsDead } = standing
  return {
    cell: { ...addressOfRow(catalog, row), column },
    timestamp: lock.startTs,
    ...lockFacts(catalog, lock),
    isPrimary,
    ownerIsDead,
  }
}

function lockFacts(catalog: Catalog, lock: StandingLock['lock']) {
  const { primary, incarnation, wallMicros, content } = lock
  return {
    kind: kindOf(content.kind),
    primary: { ...addressOfRow(catalog, primary.row), column: primary.column },
    owner: incarnation,
    lockedAt: new Date(Math.floor(wallMicros / 1000)).toISOString(),
  }
}

/** A put is stored inline or as a data cell; for whoever looks, both are puts. */
function kindOf(content: 'inline' | 'data' | 'delete' | 'guard'): 'put' | 'delete' | 'guard' {
  return content === 'inline' || content === 'data' ? 'put' : content
}
