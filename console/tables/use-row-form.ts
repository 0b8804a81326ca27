// SPDX-License-Identifier: Apache-2.0
import { useEffect, useState } from 'preact/hooks'
import {
  type Database,
  PercoliteError,
  type Row,
  type Schemas,
  type VersionedRow,
} from '../../client-sdk/client.ts'
import {
  changedColumns,
  type FieldValue,
  type FormValues,
  formOf,
  sentValues,
} from './form-values.ts'
import { keyOf } from './row-links.ts'

type FormState = {
  /** The row that the form began with, with its version; undefined for one to be inserted, or while it is read. */
  readonly base: VersionedRow<Row> | undefined
  readonly values: FormValues
  readonly problems: Readonly<Record<string, string>>
  readonly error: unknown
  readonly isBusy: boolean
  /** How the row is now, where somebody else has changed it; `row` is undefined where it is gone. */
  readonly other: { readonly row: VersionedRow<Row> | undefined } | undefined
}

const EMPTY: FormState = {
  base: undefined,
  values: {},
  problems: {},
  error: undefined,
  isBusy: false,
  other: undefined,
}

/** A row as a form. What it saves are the columns that were changed, and only if nobody else has changed the row. */
export function useRowForm(
  db: Database,
  table: Schemas['Table'],
  row: Row | undefined,
  onWritten: (now: Row | undefined) => void,
) {
  const [state, setState] = useState(EMPTY)
  const set = (more: Partial<FormState>) => setState((before) => ({ ...before, ...more }))
  const rows = db.table(table.name)
  const { columns } = table
  const isNew = row === undefined
  const key = isNew ? [] : keyOf(table, row)
  const before = state.base === undefined ? {} : formOf(columns, state.base.row)
  const changed = changedColumns(columns, before, state.values)
  const begin = (base: VersionedRow<Row>) =>
    setState({ ...EMPTY, base, values: formOf(columns, base.row) })

  useEffect(() => {
    if (isNew) return
    const ending = new AbortController()
    const { signal } = ending
    rows.get(key, { signal }).then(
      (base) => (base === undefined ? set({ error: new Error('This row is gone.') }) : begin(base)),
      (error) => signal.aborted || set({ error }),
    )
    return () => ending.abort()
  }, [])

  /** Does one write at a time; where it is refused by its version, what is there now is read. */
  const write = async (work: () => Promise<Row | undefined>) => {
    set({ isBusy: true, error: undefined, problems: {} })
    try {
      onWritten(await work())
    } catch (error) {
      if (error instanceof PercoliteError && error.code === 'precondition_failed' && !isNew) {
        set({ isBusy: false, ...(await nowOf(() => rows.get(key))) })
      } else set({ isBusy: false, error })
    }
  }

  const saveOver = (base: VersionedRow<Row> | undefined) => {
    const { row: sent, problems } = sentValues(isNew ? columns : changed, state.values)
    if (Object.keys(problems).length > 0) return set({ problems })
    void write(async () => {
      if (isNew) return (await rows.insert(sent)).row
      return (await rows.patch(key, sent, { ifVersion: base?.version ?? '' })).row
    })
  }
  return {
    ...state,
    isNew,
    changed,
    setField: (name: string, value: FieldValue) =>
      setState((now) => ({ ...now, values: { ...now.values, [name]: value } })),
    save: () => saveOver(state.base),
    /** Saves what was changed over what somebody else has written. */
    saveOverOther: () => saveOver(state.other?.row),
    /** Begins again with what somebody else has written. */
    takeOther: () => state.other?.row !== undefined && begin(state.other.row),
    remove: () =>
      void write(async () => {
        await rows.delete(key, { ifVersion: state.base?.version ?? '' })
        return undefined
      }),
  }
}

async function nowOf(
  read: () => Promise<VersionedRow<Row> | undefined>,
): Promise<Pick<FormState, 'other' | 'error'>> {
  try {
    return { other: { row: await read() }, error: undefined }
  } catch (error) {
    return { other: undefined, error }
  }
}
