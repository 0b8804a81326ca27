// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from 'preact/hooks'
import type { Database, Key } from '../../client-sdk/client.ts'
import { type InspectionEvent, inspect } from '../../client-sdk/inspect.ts'
import type { RowCells } from './cell-history.ts'
import { exactJson } from './exact-json.ts'
import { type Step, steppedRows } from './stepped-rows.ts'

/** Steps that the log keeps. */
const STEPS_MAX = 50

export type StepsState = {
  /** The rows as they are; undefined until they have come. */
  readonly rows: readonly RowCells[] | undefined
  /** Newest first. */
  readonly steps: readonly Step[]
  /** Whether the steps of other servers of the store are missing. */
  readonly isPartial: boolean
  readonly error: unknown
}

const NOTHING: StepsState = { rows: undefined, steps: [], isPartial: false, error: undefined }

/** The rows and each step that changes them, while `isWanted`; the page is drawn once a frame, however many come. */
export function useSteps(
  db: Database,
  { table, keys }: { readonly table: string; readonly keys: readonly Key[] },
  isWanted: boolean,
): StepsState {
  const [state, setState] = useState(NOTHING)
  const named = JSON.stringify([table, keys])
  useEffect(() => {
    setState(NOTHING)
    if (!isWanted) return
    const ending = new AbortController()
    const { signal } = ending
    let newest = NOTHING
    let frame: number | undefined
    const show = (next: StepsState) => {
      newest = next
      frame ??= requestAnimationFrame(() => {
        frame = undefined
        setState(newest)
      })
    }
    signal.addEventListener('abort', () => cancelAnimationFrame(frame ?? 0))
    const follow = async () => {
      // What was left out is in the cells that it begins with.
      while (!signal.aborted) {
        for await (const event of inspect(db, table, keys, { signal, parse: exactJson })) {
          if (event.kind === 'leftOut') break
          show(after(newest, event))
        }
      }
    }
    follow().catch((error) => signal.aborted || show({ ...newest, error }))
    return () => ending.abort()
  }, [db, named, isWanted])
  return state
}

function after(
  state: StepsState,
  event: Exclude<InspectionEvent, { kind: 'leftOut' }>,
): StepsState {
  if (event.kind === 'cells') {
    return { ...state, rows: event.rows, isPartial: event.scope === 'process' }
  }
  const steps = [event, ...state.steps].slice(0, STEPS_MAX)
  return { ...state, rows: steppedRows(state.rows ?? [], event), steps }
}
