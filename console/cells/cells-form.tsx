// SPDX-License-Identifier: Apache-2.0
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { Schemas } from '../../client-sdk/client.ts'
import { useConsole } from '../page/console-context.ts'
import { ROWS_MAX, type WantedRows, wantedHash } from './wanted-rows.ts'

/** Names the rows, or the entry, that are looked at. */
export function CellsForm({
  wanted,
  onAgain,
}: {
  readonly wanted: WantedRows | undefined
  readonly onAgain: () => void
}) {
  const tables = useTables()
  const [table, setTable] = useState(wanted?.table ?? '')
  const [index, setIndex] = useState(wanted?.index ?? '')
  const [key, setKey] = useState('')
  const address = wanted === undefined ? '' : wantedHash(wanted)
  // Before the browser takes another key: what is typed into a new page would be lost.
  useLayoutEffect(() => {
    if (wanted === undefined) return
    setTable(wanted.table)
    setIndex(wanted.index ?? '')
    setKey('')
  }, [address])
  const chosen = tables.find(({ name }) => name === table)
  const isSame = wanted?.table === table && wanted.index === undefined && index === ''
  const show = (keys: readonly string[]) => {
    const hash = wantedHash({ table, index: index === '' ? undefined : index, keys })
    if (hash === location.hash) onAgain()
    else location.hash = hash
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (key !== '') show([key])
    else onAgain()
  }
  return (
    <form class="cells-form" onSubmit={submit}>
      <span class="labelled">
        <label for="cells-table">table</label>
        <select
          id="cells-table"
          value={table}
          onChange={({ currentTarget }) => {
            setTable(currentTarget.value)
            setIndex('')
          }}
        >
          {chosen === undefined && <option value={table}>{table}</option>}
          {tables.map(({ name }) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      </span>
      <Of table={chosen} index={index} onChange={setIndex} />
      <span class="labelled">
        <label for="cells-key">key</label>
        <input
          id="cells-key"
          type="text"
          class="mono"
          spellcheck={false}
          placeholder={keyHint(chosen, index)}
          value={key}
          onInput={({ currentTarget }) => setKey(currentTarget.value)}
        />
      </span>
      <button type="submit" class="first" disabled={table === '' || (key === '' && !wanted)}>
        {key === '' && wanted !== undefined ? 'Read again' : 'Show'}
      </button>
      {isSame && wanted.keys.length < ROWS_MAX && (
        <button type="button" disabled={key === ''} onClick={() => show([...wanted.keys, key])}>
          Add this row
        </button>
      )}
      {wanted !== undefined && <Shown wanted={wanted} />}
    </form>
  )
}

/** Whether it is rows, or the entries of an index. */
function Of({
  table,
  index,
  onChange,
}: {
  readonly table: Schemas['Table'] | undefined
  readonly index: string
  readonly onChange: (index: string) => void
}) {
  return (
    <span class="labelled">
      <label for="cells-of">of</label>
      <select
        id="cells-of"
        value={index}
        onChange={({ currentTarget }) => onChange(currentTarget.value)}
      >
        <option value="">its rows</option>
        {table?.indexes.map(({ name }) => (
          <option key={name} value={name}>
            entries of {name}
          </option>
        ))}
      </select>
    </span>
  )
}

function Shown({ wanted }: { readonly wanted: WantedRows }) {
  const without = (gone: string) => wanted.keys.filter((one) => one !== gone)
  return (
    <ul class="wanted-keys" aria-label="Shown">
      {wanted.keys.map((one) => (
        <li key={one}>
          <span class="mono">{one}</span>
          {wanted.keys.length > 1 && (
            <a href={wantedHash({ ...wanted, keys: without(one) })} aria-label={`remove ${one}`}>
              remove
            </a>
          )}
        </li>
      ))}
    </ul>
  )
}

function useTables(): readonly Schemas['Table'][] {
  const { db } = useConsole()
  const [tables, setTables] = useState<readonly Schemas['Table'][]>([])
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    db.request<Schemas['TableList']>('GET', '/v1/tables', undefined, { signal }).then(
      (list) => signal.aborted || setTables(list.tables),
      // The address may name a table all the same.
      () => {},
    )
    return () => ending.abort()
  }, [db])
  return tables
}

/** What a key is made of: `symbol,id`. */
function keyHint(table: Schemas['Table'] | undefined, index: string): string {
  if (table === undefined) return ''
  const own = table.indexes.find(({ name }) => name === index)
  const primary = table.primaryKey.map(({ column }) => column)
  if (own === undefined) return primary.join(',')
  const columns = own.columns.map(({ column }) => column)
  return (own.unique ? columns : [...columns, ...primary]).join(',')
}
