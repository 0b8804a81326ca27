// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from 'preact'
import { useCallback, useEffect, useLayoutEffect, useState } from 'preact/hooks'
import type { Row, Schemas } from '../../client-sdk/client.ts'
import { useConsole, useRight } from '../page/console-context.ts'
import { Grid } from '../page/grid.tsx'
import { Problem } from '../page/problem.tsx'
import { Stamp } from '../page/stamp.tsx'
import { goTo } from '../page/use-address.ts'
import { RowForm } from './row-form.tsx'
import { cellsHash, watchHash } from './row-links.ts'
import { keyWords } from './table-words.ts'
import { useMayWrite } from './use-may-write.ts'
import { useRows } from './use-rows.ts'

/** What the form is of: a row, or one that there is not yet. */
type Opened = { readonly row: Row | undefined }

/** The rows of a table by the page, and one of them as a form. */
export function TableRows({
  table,
  wanted,
}: {
  readonly table: Schemas['Table']
  /** As the address has it: `where` and `index`. */
  readonly wanted: Readonly<Record<string, string>>
}) {
  const { db } = useConsole()
  const { where, index = 'primary' } = wanted
  const rows = useRows(db, { table: table.name, where, index })
  const mayWrite = useMayWrite(table.name)
  const mayInspect = useRight('inspect')
  const [opened, setOpened] = useState<Opened>()
  const close = () => setOpened(undefined)
  useEffect(close, [where, index])
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
  return (
    <section class="table-rows">
      <Wanted table={table} where={where} index={index} onAgain={rows.again}>
        {mayWrite && (
          <button type="button" onClick={() => setOpened({ row: undefined })}>
            Insert a row
          </button>
        )}
      </Wanted>
      {rows.error !== undefined && <Problem error={rows.error} />}
      {opened !== undefined && (
        <RowForm
          key={opened.row}
          table={table}
          row={opened.row}
          mayWrite={mayWrite}
          mayInspect={mayInspect}
          onClose={close}
          onWritten={(now) => {
            if (opened.row !== undefined && now !== undefined) rows.replace(opened.row, now)
            else rows.again()
            close()
          }}
        />
      )}
      {rows.columns.length > 0 && (
        <Grid
          caption={`Rows of ${table.name}`}
          columns={rows.columns}
          window={rows.window}
          hasMore={rows.cursor !== undefined}
          isBusy={rows.isBusy}
          onMore={rows.more}
          actions={actions}
        />
      )}
      <Foot mayWrite={mayWrite} readTimestamp={rows.readTimestamp} />
    </section>
  )
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

/** The box for a condition, the key that is walked, and what else there is to press. */
function Wanted({
  table,
  where,
  index,
  onAgain,
  children,
}: {
  readonly table: Schemas['Table']
  readonly where: string | undefined
  readonly index: string
  readonly onAgain: () => void
  readonly children: ComponentChildren
}) {
  const [text, setText] = useState(where ?? '')
  // Before the browser takes another key: what is typed into a new page would be lost.
  useLayoutEffect(() => setText(where ?? ''), [where])
  const go = (condition: string, by: string) => {
    const trimmed = condition.trim()
    const query = {
      ...(trimmed === '' ? {} : { where: trimmed }),
      ...(by === 'primary' ? {} : { index: by }),
    }
    goTo({ view: 'tables', parts: [table.name], query })
  }
  const submit = (event: Event) => {
    event.preventDefault()
    if (text.trim() === (where ?? '')) onAgain()
    else go(text, index)
  }
  return (
    <form class="wanted" onSubmit={submit}>
      <span class="labelled where">
        <label for="where">WHERE</label>
        <input
          id="where"
          type="text"
          class="mono"
          spellcheck={false}
          placeholder={`${table.primaryKey[0]?.column ?? 'id'} = …`}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
      </span>
      <span class="labelled">
        <label for="read-by">read by</label>
        <select
          id="read-by"
          value={index}
          onChange={({ currentTarget }) => go(text, currentTarget.value)}
        >
          <option value="primary">primary key ({keyWords(table.primaryKey)})</option>
          {table.indexes
            .filter(({ state }) => state === 'ready')
            .map(({ name, columns }) => (
              <option key={name} value={name}>
                {name} ({keyWords(columns)})
              </option>
            ))}
        </select>
      </span>
      <button type="submit" class="first">
        Read
      </button>
      {children}
    </form>
  )
}
