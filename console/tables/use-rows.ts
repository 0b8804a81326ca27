// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Database, ResultColumn, Row, Schemas } from '../../client-sdk/client.ts'
import { extended, NO_ROWS, PAGE_ROWS, type RowWindow } from '../page/row-window.ts'

/** Which rows of a table, and by which key. */
export type RowsWanted = {
  readonly table: string
  /** A condition; all rows without. */
  readonly where: string | undefined
  /** `primary`, or an index. */
  readonly index: string
}

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

/** Rows by the page, all of one snapshot; `again` reads the first page as it is now. */
export function useRows(db: Database, { table, where, index }: RowsWanted) {
  const [state, setState] = useState(NOTHING)
  const [turn, setTurn] = useState(0)
  const ending = useRef(new AbortController())
  const read = async (before: RowsState, signal: AbortSignal) => {
    setState({ ...before, isBusy: true, error: undefined })
    try {
      const wanted = { table, where, index }
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
  }, [db, table, where, index, turn])
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
  { table, where, index }: RowsWanted,
  cursor: string | undefined,
  signal: AbortSignal,
) {
  const search = new URLSearchParams({ limit: String(PAGE_ROWS), integers: 'string', index })
  if (where !== undefined) search.set('where', where)
  if (cursor !== undefined) search.set('cursor', cursor)
  const path = `/v1/tables/${encodeURIComponent(table)}/rows?${search}`
  const page = await db.request<Schemas['RowPage']>('GET', path, undefined, { signal })
  const { columns, rows } = db.resultOf({ columns: page.columns, rows: page.rows, rowsAffected: 0 })
  return { columns, rows, cursor: page.cursor, readTimestamp: page.readTimestamp }
}
