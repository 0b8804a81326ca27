// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useState } from 'preact/hooks'
import type { Row, Schemas } from '../../client-sdk/client.ts'
import { useConsole, useRight } from '../page/console-context.ts'
import { Grid } from '../page/grid.tsx'
import { Problem } from '../page/problem.tsx'
import { Stamp } from '../page/stamp.tsx'
import { goTo } from '../page/use-address.ts'
import { DownloadCsv } from './csv/download-csv.tsx'
import { EditedRow } from './edited-row.tsx'
import { RowForm } from './row-form.tsx'
import { cellsHash, watchHash } from './row-links.ts'
import { isGiven } from './table-words.ts'
import { type RowsWanted, rowsAddress, useRows } from './use-rows.ts'
import { RowCount } from './wanted/row-count.tsx'
import { nextOrder, sortedBy, sortKeys } from './wanted/sort-orders.ts'
import { WantedForm } from './wanted/wanted-form.tsx'

/** What is changed: a row as a form, one that there is not yet, or one value where it stands. */
type Opened =
  | { readonly row: Row | undefined; readonly column?: undefined }
  | { readonly row: Row; readonly column: Schemas['TableColumn'] }

/** The rows of a table by the page, and one of them as a form. */
export function TableRows({
  table,
  wanted,
  mayWrite,
  turn,
}: {
  readonly table: Schemas['Table']
  readonly wanted: RowsWanted
  readonly mayWrite: boolean
  /** Another one when something has written rows. */
  readonly turn: number
}) {
  const { db } = useConsole()
  const { where, index, order } = wanted
  const rows = useRows(db, wanted, turn)
  const mayInspect = useRight('inspect')
  const [opened, setOpened] = useState<Opened>()
  const [otherError, setOtherError] = useState<unknown>()
  const close = () => setOpened(undefined)
  useEffect(() => {
    close()
    setOtherError(undefined)
  }, [where, index, order])
  const actions = useCallback(
    (row: Row) => (
      <RowLinks
        watch={watchHash(table, row)}
        cells={mayInspect ? cellsHash(table, row) : undefined}
        onOpen={() => setOpened({ row })}
      />
    ),
    [table, mayInspect],
  )
  const written = (now: Row | undefined) => {
    if (opened?.row !== undefined && now !== undefined) rows.replace(opened.row, now)
    else rows.again()
    close()
  }
  return (
    <section class="table-rows">
      <WantedForm table={table} wanted={wanted} onAgain={rows.again}>
        <RowCount wanted={wanted} readTimestamp={rows.readTimestamp} onError={setOtherError} />
        <DownloadCsv wanted={wanted} readTimestamp={rows.readTimestamp} onError={setOtherError} />
        {mayWrite && <Additions wanted={wanted} onInsert={() => setOpened({ row: undefined })} />}
      </WantedForm>
      <Refused error={rows.error ?? otherError} />
      {opened !== undefined && opened.column === undefined && (
        <RowForm
          key={opened.row}
          table={table}
          row={opened.row}
          mayWrite={mayWrite}
          mayInspect={mayInspect}
          onClose={close}
          onWritten={written}
        />
      )}
      {rows.columns.length > 0 && (
        <RowsGrid
          {...{ table, wanted, rows, opened, actions, mayWrite }}
          onOpened={setOpened}
          onWritten={written}
        />
      )}
      <Foot mayWrite={mayWrite} readTimestamp={rows.readTimestamp} />
    </section>
  )
}

function Additions({
  wanted,
  onInsert,
}: {
  readonly wanted: RowsWanted
  readonly onInsert: () => void
}) {
  const { query, ...address } = rowsAddress(wanted)
  return (
    <>
      <button type="button" onClick={onInsert}>
        Insert a row
      </button>
      <button
        type="button"
        onClick={() => goTo({ ...address, query: { ...query, import: 'csv' } })}
      >
        Import CSV
      </button>
    </>
  )
}

/** An error of the server, whose suggested statement is for Query. */
function Refused({ error }: { readonly error: unknown }) {
  const mayDefine = useRight('define')
  if (error === undefined) return null
  const insert = (sql: string) => goTo({ view: 'query', query: { sql } })
  return <Problem error={error} onInsert={mayDefine ? insert : undefined} />
}

function RowsGrid({
  table,
  wanted,
  rows,
  opened,
  actions,
  mayWrite,
  onOpened,
  onWritten,
}: {
  readonly table: Schemas['Table']
  readonly wanted: RowsWanted
  readonly rows: ReturnType<typeof useRows>
  readonly opened: Opened | undefined
  readonly actions: (row: Row) => ComponentChildren
  readonly mayWrite: boolean
  readonly onOpened: (opened: Opened | undefined) => void
  readonly onWritten: (now: Row | undefined) => void
}) {
  const keys = sortKeys(table)
  const sort = {
    may: (column: string) => keys.has(column),
    now: (column: string) => sortedBy(column, wanted),
    onSort: (column: string) =>
      goTo(rowsAddress({ ...wanted, ...nextOrder(column, keys.get(column) ?? '', wanted) })),
  }
  /** What cannot be changed in one line is changed in the form. */
  const onEdit = (row: Row, name: string) => {
    const column = table.columns.find((one) => one.name === name)
    onOpened(column !== undefined && isInPlace(table, column) ? { row, column } : { row })
  }
  const changed = opened?.column === undefined ? undefined : opened
  const editor = (at: number) =>
    changed !== undefined && (
      <EditedRow
        {...{ table, at, onWritten, columns: rows.columns }}
        row={changed.row}
        column={changed.column}
        onClose={() => onOpened(undefined)}
      />
    )
  return (
    <Grid
      caption={`Rows of ${table.name}`}
      columns={rows.columns}
      window={rows.window}
      hasMore={rows.cursor !== undefined}
      isBusy={rows.isBusy}
      onMore={rows.more}
      actions={actions}
      sort={sort}
      edit={mayWrite ? { onEdit, row: changed?.row, editor } : undefined}
    />
  )
}

function isInPlace({ primaryKey }: Schemas['Table'], column: Schemas['TableColumn']): boolean {
  const isKey = primaryKey.some((one) => one.column === column.name)
  return !isKey && !isGiven(column) && column.type !== 'BYTES'
}

function Foot({
  mayWrite,
  readTimestamp,
}: {
  readonly mayWrite: boolean
  readonly readTimestamp: number | undefined
}) {
  return (
    <p class="muted">
      {!mayWrite && <>This role may not write here: that needs the right WRITE on the table. </>}
      {readTimestamp !== undefined && (
        <>
          As of <Stamp micros={readTimestamp} />.
        </>
      )}
    </p>
  )
}

function RowLinks({
  watch,
  cells,
  onOpen,
}: {
  readonly watch: string
  readonly cells: string | undefined
  readonly onOpen: () => void
}) {
  return (
    <span class="row-links">
      <button type="button" class="link" onClick={onOpen}>
        open
      </button>
      {cells !== undefined && <a href={cells}>cells</a>}
      <a href={watch}>watch</a>
    </span>
  )
}
