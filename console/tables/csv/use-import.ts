// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Database, Schemas } from '../../../client-sdk/client.ts'
import { type ImportState, importRows, NOTHING_DONE } from './csv-import.ts'
import { type Mapping, mappingOf, type ReadRow, rowOf } from './csv-rows.ts'
import type { CsvText } from './csv-text.ts'

/** What becomes of a row whose key has one already. */
export type ImportMode = 'insert' | 'skip' | 'put'

export type CsvFile = { readonly name: string; readonly csv: CsvText }

/** Stays while a table is made for it. */
let kept: CsvFile | undefined

type Running = {
  /** `stopped` may go on. */
  readonly kind: 'none' | 'running' | 'stopped' | 'done'
  readonly state: ImportState
  readonly error: unknown
}

const NOT_BEGUN: Running = { kind: 'none', state: NOTHING_DONE, error: undefined }

/** A file that was chosen, which of its fields go where, and how far its import is. */
export function useImport(db: Database, table: Schemas['Table'] | undefined) {
  const [file, setFile] = useState(kept)
  const [fileError, setFileError] = useState<unknown>()
  const mappingNow = () =>
    file === undefined || table === undefined ? [] : mappingOf(file.csv.header, table.columns)
  const [mapping, setMapping] = useState<Mapping>(mappingNow)
  const [mode, setMode] = useState<ImportMode>('insert')
  const [running, setRunning] = useState(NOT_BEGUN)
  const ending = useRef(new AbortController())
  const id = useRef('')
  useEffect(() => () => ending.current.abort(), [])
  useEffect(() => {
    kept = file
    setMapping(mappingNow())
    setRunning(NOT_BEGUN)
  }, [file, table?.id])

  const columns = new Map(table?.columns.map((column) => [column.name, column]))
  const read = (from: number, to?: number): Iterable<ReadRow> =>
    readRows(file, from, to, (record, csv) => rowOf(record, csv, mapping, columns))
  const choose = async (chosen: File) => {
    setFileError(undefined)
    try {
      // It comes with the first file.
      const { CSV_BYTES_MAX, parseCsv } = await import('./csv-text.ts')
      if (chosen.size > CSV_BYTES_MAX) {
        throw new Error(
          `The file has more than ${CSV_BYTES_MAX / 1_000_000} MB: use percolite import for it.`,
        )
      }
      setFile({ name: chosen.name, csv: parseCsv(await chosen.text()) })
    } catch (error) {
      setFileError(error)
    }
  }
  const goOn = async (begin: ImportState) => {
    if (table === undefined) return
    ending.current = new AbortController()
    const { signal } = ending.current
    let state = begin
    setRunning({ kind: 'running', state, error: undefined })
    try {
      await importRows(
        {
          ...{ rows: read, signal, id: id.current },
          send: (rows, key) => sendRows(db, table.name, { rows, mode, key }),
          onState: (now) => {
            state = now
            setRunning({ kind: 'running', state, error: undefined })
          },
        },
        begin,
      )
      setRunning({ kind: 'done', state, error: undefined })
      kept = undefined
    } catch (error) {
      setRunning({ kind: 'stopped', state, error: signal.aborted ? undefined : error })
    }
  }
  return {
    ...{ file, fileError, mapping, mode, running, setMapping, setMode, read, choose },
    begin: () => {
      id.current = `console-${crypto.randomUUID()}`
      void goOn(NOTHING_DONE)
    },
    goOn: () => void goOn(running.state),
    stop: () => ending.current.abort(),
    forget: () => {
      kept = undefined
      setFile(undefined)
    },
  }
}

function* readRows(
  file: CsvFile | undefined,
  from: number,
  to: number | undefined,
  read: (record: CsvText['records'][number], csv: CsvText) => ReadRow,
): Generator<ReadRow, void, undefined> {
  if (file === undefined) return
  const { records } = file.csv
  for (let at = from; at < Math.min(to ?? records.length, records.length); at += 1)
    yield read(records[at] as CsvText['records'][number], file.csv)
}

/** One transaction, which is not done again when it is sent again with its key. */
async function sendRows(
  db: Database,
  table: string,
  {
    rows,
    mode,
    key,
  }: { readonly rows: readonly object[]; readonly mode: string; readonly key: string },
) {
  const path = `/v1/tables/${encodeURIComponent(table)}/rows?mode=${mode}`
  const headers = { prefer: 'return=minimal', 'idempotency-key': key }
  const answer = await db.open('POST', path, rows, { headers })
  const { rowsAffected, skipped = 0 } = (await answer.json()) as {
    readonly rowsAffected: number
    readonly skipped?: number
  }
  return { written: rowsAffected, skipped }
}
