// SPDX-License-Identifier: Apache-2.0
import type {
  IndexDefinition,
  NewIndex,
  NewTable,
  SqlRow,
  SqlValue,
  TableDefinition,
} from '../../../storage/storage.ts'
import { columnPosition } from '../../../storage/tables/table-definition.ts'

export const ITEM = 'item'

/** Parts of `byPlace` and `byPair` stand in both families, so their writers do not meet in the row. */
export const ITEM_TABLE: NewTable = {
  name: ITEM,
  columns: [
    { name: 'id', type: 'INTEGER', notNull: true },
    { name: 'code', type: 'INTEGER', notNull: false },
    { name: 'rank', type: 'INTEGER', notNull: true },
    { name: 'area', type: 'INTEGER', notNull: false },
    { name: 'note', type: 'TEXT', notNull: false },
  ],
  primaryKey: [{ column: 'id', descending: false }],
  families: [{ name: 'place', columns: ['area', 'note'] }],
}

/** What the columns of an extra one begin with; ALTER TABLE adds and drops these. */
export const EXTRA = 'extra'

export const ITEM_INDEXES: readonly NewIndex[] = [
  index('byCode', true, ['code'], []),
  index('byPlace', false, ['area DESC', 'rank'], ['note']),
  index('byPair', true, ['area', 'rank DESC'], []),
]

function index(
  name: string,
  unique: boolean,
  parts: readonly string[],
  storing: readonly string[],
): NewIndex {
  const keyParts = parts.map((part) => {
    const [column, direction] = part.split(' ')
    return { column: column as string, descending: direction === 'DESC' }
  })
  return { name, table: ITEM, unique, parts: keyParts, storing }
}

/** Position of the column of this name, which must be there. */
export function positionOf({ columns }: TableDefinition, name: string): number {
  const position = columns.findIndex((column) => column.name === name)
  if (position === -1) throw new Error(`the table has no column ${name}`)
  return position
}

/** What an entry of the index says of a row: whose it is, the values of its parts, what it stores. */
export function saidByIndex(
  table: TableDefinition,
  { parts, storing }: IndexDefinition,
  row: SqlRow,
): { readonly owner: string; readonly parts: string; readonly stored: string } {
  const text = (ids: readonly number[]) => textOf(ids.map((id) => row[columnPosition(table, id)]))
  return {
    owner: text(table.primaryKey.map(({ columnId }) => columnId)),
    parts: text(parts.map(({ columnId }) => columnId)),
    stored: text(storing),
  }
}

/** Whether these values of an index' columns may belong to one row only. */
export function isClaim(table: TableDefinition, { unique, parts }: IndexDefinition, row: SqlRow) {
  return unique && parts.every(({ columnId }) => row[columnPosition(table, columnId)] !== null)
}

/** Rows that share a value that only one of them may have, as a sentence; undefined when none do. */
export function sharedClaim(
  table: TableDefinition,
  index: IndexDefinition,
  rows: readonly SqlRow[],
): string | undefined {
  const owners = new Map<string, string>()
  for (const row of rows) {
    if (!isClaim(table, index, row)) continue
    const { owner, parts } = saidByIndex(table, index, row)
    const other = owners.get(parts)
    if (other !== undefined) return `${other} and ${owner} both have ${parts} of ${index.name}`
    owners.set(parts, owner)
  }
  return undefined
}

/** How the entries differ from the rows, as a sentence; undefined when each row has its one entry. */
export function differenceFromRows(
  table: TableDefinition,
  index: IndexDefinition,
  rows: readonly SqlRow[],
  entries: readonly SqlRow[],
): string | undefined {
  const said = new Map(
    rows.map((row) => {
      const { owner, parts, stored } = saidByIndex(table, index, row)
      return [owner, `${parts} ${stored}`]
    }),
  )
  for (const entry of entries) {
    const { owner, parts, stored } = saidByIndex(table, index, entry)
    const expected = said.get(owner)
    if (expected !== `${parts} ${stored}`) {
      return `${index.name} says ${parts} ${stored} of ${owner}, which has ${expected ?? 'no row, or two entries'}`
    }
    said.delete(owner)
  }
  const [lacking] = said.keys()
  if (index.state !== 'ready' || lacking === undefined) return undefined
  return `${index.name} has no entry of ${lacking}`
}

function textOf(values: ReadonlyArray<SqlValue | undefined>): string {
  const texts = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  return `(${texts.join(', ')})`
}
