// SPDX-License-Identifier: Apache-2.0
import { useRef, useState } from 'preact/hooks'
import type { Schemas } from '../../client-sdk/client.ts'
import { hashOf } from '../page/address.ts'
import { useConsole, useRight } from '../page/console-context.ts'
import { Problem } from '../page/problem.tsx'
import { countText } from '../page/stamp-text.ts'
import { keyWords } from '../page/statements/key-words.ts'
import { goTo } from '../page/use-address.ts'
import { usePolling } from '../page/use-polling.ts'
import type { ViewProps } from '../page/view-props.ts'
import { ImportCsv } from './csv/import-csv.tsx'
import sheet from './rows.css' with { type: 'css' }
import { TableDefinition } from './table-definition.tsx'
import { TableRows } from './table-rows.tsx'
import { isChanging } from './table-words.ts'
import { useMayWrite } from './use-may-write.ts'
import { rowsAddress } from './use-rows.ts'

document.adoptedStyleSheets.push(sheet)

const EVERY_MS = 10_000
/** While an index is being built, for example. */
const EVERY_CHANGING_MS = 1_000
/** Links in the list; the filter finds the others. */
const LISTED_MAX = 200

/** The tables, and one of them. */
export function TablesView({ address }: ViewProps) {
  const { db } = useConsole()
  const [everyMs, setEveryMs] = useState(EVERY_MS)
  const [name] = address.parts
  const isImport = address.query.import === 'csv'
  const mayDefine = useRight('define')
  const { value, error } = usePolling(
    async (signal) => {
      const options = { signal }
      const list = await db.request<Schemas['TableList']>('GET', '/v1/tables', undefined, options)
      setEveryMs(list.tables.some(isChanging) ? EVERY_CHANGING_MS : EVERY_MS)
      return list.tables
    },
    everyMs,
    isImport ? name : undefined,
  )
  const table = useSame(value?.find((one) => one.name === name))
  return (
    <div class="tables">
      <h2 class="unseen">Tables</h2>
      {error !== undefined && <Problem error={error} />}
      {value === undefined && error === undefined && <p class="notice">Loading …</p>}
      {value !== undefined && <TableList tables={value} chosen={name} />}
      {table !== undefined && <ChosenTable key={table.id} table={table} address={address} />}
      {isImport && name === undefined && mayDefine && (
        <ImportCsv
          table={undefined}
          onClose={() => goTo({ view: 'tables' })}
          onWritten={() => {}}
        />
      )}
      {value !== undefined && table === undefined && !(isImport && name === undefined) && (
        <p class="notice">
          {name === undefined
            ? 'Choose a table.'
            : `There is no table ${name}, or this role may see nothing of it.`}
        </p>
      )}
    </div>
  )
}

/** The one from before, as long as it says the same: what is drawn with it need not be drawn again. */
function useSame<T>(value: T): T {
  const known = useRef(value)
  if (JSON.stringify(known.current) !== JSON.stringify(value)) known.current = value
  return known.current
}

function TableList({
  tables,
  chosen,
}: {
  readonly tables: readonly Schemas['Table'][]
  readonly chosen: string | undefined
}) {
  const [filter, setFilter] = useState('')
  const found = tables.filter(({ name }) => name.toLowerCase().includes(filter.toLowerCase()))
  if (tables.length === 0) {
    return <p class="notice">There is no table that may be seen here.</p>
  }
  return (
    <nav class="table-list" aria-label="Tables">
      <input
        type="search"
        placeholder="Filter"
        aria-label="Filter the tables by name"
        value={filter}
        onInput={({ currentTarget }) => setFilter(currentTarget.value)}
      />
      <ul>
        {found.slice(0, LISTED_MAX).map(({ name }) => (
          <li key={name}>
            <a
              href={hashOf({ view: 'tables', parts: [name] })}
              aria-current={name === chosen ? 'page' : undefined}
            >
              {name}
            </a>
          </li>
        ))}
      </ul>
      {found.length !== 1 && (
        <p class="muted">
          {countText(found.length)} tables
          {found.length > LISTED_MAX && `, the first ${LISTED_MAX} of them are shown`}
        </p>
      )}
    </nav>
  )
}

function ChosenTable({
  table,
  address,
}: {
  readonly table: Schemas['Table']
  readonly address: ViewProps['address']
}) {
  const { name, primaryKey, columns, indexes } = table
  const { where, index = 'primary', order } = address.query
  const wanted = { table: name, where, index, order }
  const isImport = address.query.import === 'csv'
  const mayWrite = useMayWrite(name)
  const [turn, setTurn] = useState(0)
  return (
    <div class="chosen-table">
      <header>
        <h2>{name}</h2>
        <p class="muted">
          {countText(columns.length)} columns, primary key ({keyWords(primaryKey)}),{' '}
          {indexNames(indexes)}
        </p>
      </header>
      {isImport && mayWrite && (
        <ImportCsv
          table={table}
          onClose={() => goTo(rowsAddress(wanted))}
          onWritten={() => setTurn((before) => before + 1)}
        />
      )}
      <TableRows table={table} wanted={wanted} mayWrite={mayWrite} turn={turn} />
      <TableDefinition table={table} />
    </div>
  )
}

function indexNames(indexes: Schemas['Table']['indexes']): string {
  const names = indexes.map(({ name }) => name).join(', ')
  if (indexes.length === 0) return 'no index'
  return indexes.length === 1 ? `index ${names}` : `indexes ${names}`
}
