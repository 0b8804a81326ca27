// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'
import type { Schemas } from '../../../client-sdk/client.ts'
import { countText } from '../../page/stamp-text.ts'
import { keyWords } from '../../page/statements/key-words.ts'
import { columnWords, foundTables } from './schema-words.ts'

type Table = Schemas['Table']
type OnName = (name: string) => void

/** Where there is room for it beside the editor; as in the style sheet. */
const WIDE = '(width >= 64rem)'
/** The filter finds the others. */
const LISTED_MAX = 200

/** Tables with their columns and indexes, each name of which goes into the editor. */
export function SchemaList({
  tables,
  onName,
}: {
  readonly tables: readonly Table[]
  readonly onName: OnName
}) {
  const [filter, setFilter] = useState('')
  const [isWide] = useState(() => matchMedia(WIDE).matches)
  const found = foundTables(tables, filter)
  return (
    <details class="schema" open={isWide}>
      <summary>Tables and columns</summary>
      <nav aria-label="Tables and columns">
        <input
          type="search"
          placeholder="Filter"
          aria-label="Filter tables and columns by name"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <ul>
          {found.slice(0, LISTED_MAX).map((table) => (
            <TableItem key={table.id} table={table} onName={onName} />
          ))}
        </ul>
        {found.length > LISTED_MAX && (
          <p class="muted">
            The first {LISTED_MAX} of {countText(found.length)} tables.
          </p>
        )}
        {found.length === 0 && <p class="muted">No table and no column has this name.</p>}
      </nav>
    </details>
  )
}

function TableItem({ table, onName }: { readonly table: Table; readonly onName: OnName }) {
  const [isOpen, setIsOpen] = useState(false)
  const { name } = table
  return (
    <li>
      <span class="schema-table">
        <button
          type="button"
          class="unfold"
          aria-expanded={isOpen}
          aria-label={`Columns of ${name}`}
          onClick={() => setIsOpen(!isOpen)}
        >
          {isOpen ? '−' : '+'}
        </button>
        <Name name={name} onName={onName} />
      </span>
      {isOpen && <Parts table={table} onName={onName} />}
    </li>
  )
}

function Parts({ table, onName }: { readonly table: Table; readonly onName: OnName }) {
  return (
    <ul class="schema-parts" aria-label={`Columns and indexes of ${table.name}`}>
      {table.columns.map((column) => (
        <li key={column.name}>
          <Name name={column.name} onName={onName} />
          <span class="muted">{columnWords(table, column)}</span>
        </li>
      ))}
      {table.indexes.map(({ name, unique, columns, state }) => (
        <li key={`index ${name}`}>
          <span class="muted">{unique ? 'unique index' : 'index'}</span>
          <Name name={name} onName={onName} />
          <span class="muted">
            ({keyWords(columns)}){state !== 'ready' && `, ${state}`}
          </span>
        </li>
      ))}
    </ul>
  )
}

function Name({ name, onName }: { readonly name: string; readonly onName: OnName }) {
  return (
    <button
      type="button"
      class="link mono"
      title="Puts the name in at the cursor"
      onClick={() => onName(name)}
    >
      {name}
    </button>
  )
}
