// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Schemas } from '../../client-sdk/client.ts'
import { useConsole } from '../page/console-context.ts'
import { ListTable } from '../page/lists/list-table.tsx'
import { Scroll } from '../page/lists/scroll.tsx'
import { Problem } from '../page/problem.tsx'
import { keyWords } from '../page/statements/key-words.ts'
import { quoted } from '../page/statements/sql-text.ts'
import { defaultWords, indexStateWords, observerWords } from './table-words.ts'

/** What a table is declared to be. */
export function TableDefinition({ table }: { readonly table: Schemas['Table'] }) {
  const { columns, families, indexes, checks, observers } = table
  return (
    <>
      <Listed title="Columns" heads={['name', 'type', 'null', 'default', 'family']}>
        {columns.map((column) => (
          <tr key={column.name}>
            <th scope="row">{column.name}</th>
            <td>{column.type}</td>
            <td>{column.notNull ? 'not null' : ''}</td>
            <td class="mono">{defaultWords(column)}</td>
            <td>{column.family}</td>
          </tr>
        ))}
      </Listed>
      <Listed title="Keys and indexes" heads={['name', 'columns', 'storing', 'state']}>
        <tr>
          <th scope="row">primary key</th>
          <td>{keyWords(table.primaryKey)}</td>
          <td>all columns</td>
          <td>ready</td>
        </tr>
        {indexes.map((index) => (
          <tr key={index.name}>
            <th scope="row">{index.name}</th>
            <td>
              {keyWords(index.columns)}
              {index.unique && <span class="muted"> unique</span>}
            </td>
            <td>{index.storing.join(', ')}</td>
            <td class={index.state === 'failed' ? 'bad' : undefined}>{indexStateWords(index)}</td>
          </tr>
        ))}
      </Listed>
      {families.length > 0 && (
        <Listed title="Families" heads={['name', 'columns']}>
          {families.map((family) => (
            <tr key={family.name}>
              <th scope="row">{family.name}</th>
              <td>{family.columns.join(', ')}</td>
            </tr>
          ))}
        </Listed>
      )}
      {checks.length > 0 && (
        <Listed title="Checks" heads={['name', 'condition', 'state']}>
          {checks.map(({ name, condition, state }) => (
            <tr key={name}>
              <th scope="row">{name}</th>
              <td class="mono">{condition}</td>
              <td>{state}</td>
            </tr>
          ))}
        </Listed>
      )}
      {observers.length > 0 && (
        <Listed title="Observers" heads={['name', 'state']}>
          {observers.map((observer) => (
            <tr key={observer.name}>
              <th scope="row">{observer.name}</th>
              <td>{observerWords(observer)}</td>
            </tr>
          ))}
        </Listed>
      )}
      <Statement table={table} />
    </>
  )
}

function Listed({
  title,
  heads,
  children,
}: {
  readonly title: string
  readonly heads: readonly string[]
  readonly children: ComponentChildren
}) {
  return (
    <section class="listed">
      <h3>{title}</h3>
      <ListTable label={title} heads={heads}>
        {children}
      </ListTable>
    </section>
  )
}

/** The text of SHOW CREATE TABLE, read again when the definition has changed. */
function Statement({ table }: { readonly table: Schemas['Table'] }) {
  const { db } = useConsole()
  const [shown, setShown] = useState<{ readonly text?: string; readonly error?: unknown }>({})
  // Of an index that is being built, the figures change all the time, and its text does not.
  const definition = JSON.stringify(table, (name, value) => (name === 'rowsDone' ? 0 : value))
  useEffect(() => {
    const ending = new AbortController()
    const { signal } = ending
    db.query<{ statement: string }>(`SHOW CREATE TABLE ${quoted(table.name)}`, undefined, {
      signal,
    }).then(
      ({ rows }) => setShown({ text: rows.map(({ statement }) => `${statement};`).join('\n') }),
      (error) => signal.aborted || setShown({ error }),
    )
    return () => ending.abort()
  }, [db, table.name, definition])
  return (
    <section class="listed">
      <h3>As a statement</h3>
      {shown.error !== undefined && <Problem error={shown.error} />}
      {shown.text !== undefined && (
        <Scroll label="As a statement">
          <pre>{shown.text}</pre>
        </Scroll>
      )}
    </section>
  )
}
