// SPDX-License-Identifier: Apache-2.0

import { columnPosition, partValue } from '../../../storage/tables/table-definition.ts'
import type {
  IndexDefinition,
  KeyPart,
  NewIndex,
  NewTable,
  SqlRow,
  TableDefinition,
} from '../../../storage/tables/tables.ts'
import type { SqlValue } from '../../../storage/values/values.ts'

export const ITEM = 'item'

/** Parts of `byPlace`, `byPair` and `byTag` stand in both families, so their writers do not meet in the row. */
export const ITEM_TABLE: NewTable = {
  name: ITEM,
  columns: [
    { name: 'id', type: 'INTEGER', notNull: true },
    { name: 'code', type: 'INTEGER', notNull: false },
    { name: 'rank', type: 'INTEGER', notNull: true },
    { name: 'area', type: 'INTEGER', notNull: false },
    { name: 'note', type: 'TEXT', notNull: false },
    { name: 'info', type: 'JSON', notNull: false },
  ],
  primaryKey: [{ column: 'id', descending: false }],
  families: [{ name: 'place', columns: ['area', 'note', 'info'] }],
}

/** What the columns of an extra one begin with; ALTER TABLE adds and drops these. */
export const EXTRA = 'extra'

/** The member of `info` that is indexed. */
const TAG = 'tag'

export const ITEM_INDEXES: readonly NewIndex[] = [
  index('byCode', true, ['code'], []),
  index('byPlace', false, ['area DESC', 'rank'], ['note']),
  index('byPair', true, ['area', 'rank DESC'], []),
  {
    ...index('byTag', true, ['code'], []),
    parts: [
      { column: 'info', path: [{ name: TAG }], descending: false },
      { column: 'code', descending: true },
    ],
  },
]

export function infoOf(tag: string | null): string {
  return JSON.stringify({ [TAG]: tag })
}

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
  const text = (of: readonly KeyPart[]) => textOf(of.map((part) => partValue(table, row, part)))
  return {
    owner: text(table.primaryKey),
    parts: text(parts),
    stored: text(storing.map((columnId) => ({ columnId, descending: false }))),
  }
}

/** Whether these values of an index' columns may belong to one row only. */
export function isClaim(table: TableDefinition, { unique, parts }: IndexDefinition, row: SqlRow) {
  return unique && parts.every((part) => partValue(table, row, part) !== null)
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

/** The row of an entry with `info` as its key tells it: entries hold of it what is indexed. */
export function withPaths(
  table: TableDefinition,
  { parts }: IndexDefinition,
  { row, values }: { readonly row: SqlRow; readonly values: readonly SqlValue[] },
): SqlRow {
  const whole = [...row]
  for (const [position, { columnId, path }] of parts.entries()) {
    const tag = values[position] as string | null
    if (path !== undefined) whole[columnPosition(table, columnId)] = infoOf(tag)
  }
  return whole
}

function textOf(values: ReadonlyArray<SqlValue | undefined>): string {
  const texts = values.map((value) => (typeof value === 'string' ? `'${value}'` : String(value)))
  return `(${texts.join(', ')})`
}
