// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Database, ResultColumn, Row, Schemas } from '../../client-sdk/client.ts'
import { extended, NO_ROWS, PAGE_ROWS, type RowWindow } from '../page/row-window.ts'

/** Which rows of a table, and by which key. */
export type RowsWanted = {
  readonly table: string
  /** A condition; all rows without. */
  readonly where: string | undefined
  /** `primary`, an index, or BOUNDED. */
  readonly index: string
  /** Of the columns of that key, as the API takes it; the order of the key without. */
  readonly order: string | undefined
}

/** Instead of an index: one that the condition bounds, as the server chooses it, and no walk of the table. */
export const BOUNDED = '*'

export type RowsState = {
  readonly columns: readonly ResultColumn[]
  readonly window: RowWindow
  readonly cursor: string | undefined
  /** The snapshot of these rows. */
  readonly readTimestamp: number | undefined
  readonly error: unknown
  readonly isBusy: boolean
}

const NOTHING: RowsState = {
  columns: [],
  window: NO_ROWS,
  cursor: undefined,
  readTimestamp: undefined,
  error: undefined,
  isBusy: true,
}

/** Rows by the page, all of one snapshot; `again` reads the first page as it is now, and so does another `written`. */
export function useRows(db: Database, { table, where, index, order }: RowsWanted, written: number) {
  const [state, setState] = useState(NOTHING)
  const [turn, setTurn] = useState(0)
  const ending = useRef(new AbortController())
  const read = async (before: RowsState, signal: AbortSignal) => {
    setState({ ...before, isBusy: true, error: undefined })
    try {
      const wanted = { table, where, index, order }
      const page = await pageOf(db, wanted, before.cursor, signal)
      if (signal.aborted) return
      const window = extended(before.window, page.rows, page.columns.length)
      // The same columns as before, so that rows which are shown need no new look.
      const columns = before.columns.length > 0 ? before.columns : page.columns
      setState({ ...NOTHING, ...page, columns, window, isBusy: false })
    } catch (error) {
      if (!signal.aborted) setState({ ...before, error, isBusy: false })
    }
  }
  useEffect(() => {
    const own = new AbortController()
    ending.current = own
    void read(NOTHING, own.signal)
    return () => own.abort()
  }, [db, table, where, index, order, turn, written])
  return {
    ...state,
    more: () => void read(state, ending.current.signal),
    again: () => setTurn(turn + 1),
    /** Shows a row as a write has left it. */
    replace: (before: Row, now: Row) => {
      const rows = state.window.rows.map((row) => (row === before ? now : row))
      setState({ ...state, window: { ...state.window, rows } })
    },
  }
}

/** One page, from the cursor of the one before. */
async function pageOf(
  db: Database,
  wanted: RowsWanted,
  cursor: string | undefined,
  signal: AbortSignal,
) {
  const page = await db.request<Schemas['RowPage']>(
    'GET',
    rowsPath(wanted, {
      ...{ limit: String(PAGE_ROWS), integers: 'string' },
      ...(cursor === undefined ? {} : { cursor }),
    }),
    undefined,
    { signal },
  )
  const { columns, rows } = db.resultOf({ columns: page.columns, rows: page.rows, rowsAffected: 0 })
  return { columns, rows, cursor: page.cursor, readTimestamp: page.readTimestamp }
}

/** The path of a request for these rows, with what else is to be said of them. */
export function rowsPath(
  { table, where, index, order }: RowsWanted,
  more: Readonly<Record<string, string>>,
): string {
  const search = new URLSearchParams({
    ...(index === BOUNDED ? {} : { index }),
    ...(where === undefined ? {} : { where }),
    ...(order === undefined ? {} : { order }),
    ...more,
  })
  return `/v1/tables/${encodeURIComponent(table)}/rows?${search}`
}

/** Where the console shows them. */
export function rowsAddress({ table, where, index, order }: RowsWanted) {
  const condition = where?.trim() ?? ''
  const query = {
    ...(condition === '' ? {} : { where: condition }),
    ...(index === 'primary' ? {} : { index }),
    ...(order === undefined ? {} : { order }),
  }
  return { view: 'tables', parts: [table], query }
}
