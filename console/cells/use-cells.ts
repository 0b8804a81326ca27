// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from 'preact/hooks'
import type { Database, Schemas } from '../../client-sdk/client.ts'
import type { CommitMode, RowCells } from './cell-history.ts'
import { exactJson } from './exact-json.ts'
import { type WantedRows, wantedPath } from './wanted-rows.ts'

export type CellsState = {
  readonly rows: readonly RowCells[] | undefined
  readonly commit: CommitMode
  /** Whether commits wait after each of their steps. */
  readonly isSlowed: boolean
  readonly error: unknown
}

const NOTHING: CellsState = {
  rows: undefined,
  commit: 'one-phase',
  isSlowed: false,
  error: undefined,
}

/** The cells of some rows, or of an entry, as they are; `again` reads them again. */
export function useCells(db: Database, wanted: WantedRows | undefined) {
  const [state, setState] = useState(NOTHING)
  const [turn, setTurn] = useState(0)
  const path = wanted === undefined ? undefined : wantedPath(wanted)
  const isEntry = wanted?.index !== undefined
  useEffect(() => setState(NOTHING), [path])
  useEffect(() => {
    if (path === undefined) return
    const ending = new AbortController()
    const { signal } = ending
    readCells(db, path, isEntry, signal).then(
      (read) => signal.aborted || setState({ ...read, error: undefined }),
      (error) => signal.aborted || setState((before) => ({ ...before, error })),
    )
    return () => ending.abort()
  }, [db, path, isEntry, turn])
  return { ...state, again: () => setTurn((before) => before + 1) }
}

async function readCells(
  db: Database,
  path: string,
  isEntry: boolean,
  signal: AbortSignal,
): Promise<Omit<CellsState, 'error'>> {
  const [answer, status] = await Promise.all([
    db.open('GET', path, undefined, { signal }),
    db.request<Schemas['Status']>('GET', '/v1/status', undefined, { signal }),
  ])
  const cells = exactJson(await answer.text())
  const rows = isEntry ? [cells as RowCells] : (cells as Schemas['CellsOfRows']).rows
  return { rows, commit: status.commit, isSlowed: status.stepDelayMs !== undefined }
}
