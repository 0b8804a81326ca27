// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../../client-sdk/client.ts'
import { useConsole } from '../../page/console-context.ts'
import { ListTable } from '../../page/lists/list-table.tsx'
import { Problem } from '../../page/problem.tsx'
import { countedText } from '../../page/stamp-text.ts'
import { mappingProblem, type ReadRow, writableColumns } from './csv-rows.ts'
import { ImportProgress } from './import-progress.tsx'
import { NewTable } from './new-table.tsx'
import { type ImportMode, useImport } from './use-import.ts'

const PREVIEWED = 5

type Import = ReturnType<typeof useImport>

const MODES: ReadonlyArray<readonly [ImportMode, string]> = [
  ['insert', 'is refused'],
  ['skip', 'stays, and the line is left out'],
  ['put', 'is replaced'],
]

/** A CSV file that becomes rows of a table, or of a new one. */
export function ImportCsv({
  table,
  onClose,
  onWritten,
}: {
  /** Undefined where one is to be made. */
  readonly table: Schemas['Table'] | undefined
  readonly onClose: () => void
  readonly onWritten: () => void
}) {
  const { db } = useConsole()
  const made = useImport(db, table)
  const { file, fileError, running } = made
  const isIdle = running.kind === 'none'
  return (
    <section class="row-form import" aria-label="Import a CSV">
      <h3>Import a CSV{table === undefined ? ' as a new table' : ` into ${table.name}`}</h3>
      <p class="row">
        <input
          type="file"
          accept=".csv,.tsv,.txt,text/csv"
          aria-label="A CSV file"
          disabled={running.kind === 'running'}
          onChange={({ currentTarget }) => {
            const chosen = currentTarget.files?.[0]
            if (chosen !== undefined) void made.choose(chosen)
          }}
        />
        {file !== undefined && (
          <span>
            {file.name}: {countedText(file.csv.records.length, 'row')}
          </span>
        )}
        <button
          type="button"
          disabled={running.kind === 'running'}
          onClick={() => {
            made.forget()
            onClose()
          }}
        >
          Close
        </button>
      </p>
      {fileError !== undefined && <Problem error={fileError} />}
      {file !== undefined && table === undefined && <NewTable key={file} file={file} />}
      {file !== undefined && table !== undefined && isIdle && <Plan table={table} made={made} />}
      {file !== undefined && !isIdle && (
        <ImportProgress made={made} total={file.csv.records.length} onWritten={onWritten} />
      )}
    </section>
  )
}

/** Which field goes where, the first rows as they would be, and what becomes of rows that are there. */
function Plan({ table, made }: { readonly table: Schemas['Table']; readonly made: Import }) {
  const problem = mappingProblem(made.mapping, table)
  return (
    <>
      <FieldMapping table={table} made={made} />
      <Preview made={made} />
      <p class="row">
        <label>
          A row of the same key{' '}
          <select
            value={made.mode}
            onChange={({ currentTarget }) => made.setMode(currentTarget.value as ImportMode)}
          >
            {MODES.map(([mode, words]) => (
              <option key={mode} value={mode}>
                {words}
              </option>
            ))}
          </select>
        </label>
        <button type="button" class="first" disabled={problem !== undefined} onClick={made.begin}>
          Import
        </button>
      </p>
      {problem !== undefined && (
        <p class="bad" role="status">
          {problem}
        </p>
      )}
    </>
  )
}

function FieldMapping({
  table,
  made,
}: {
  readonly table: Schemas['Table']
  readonly made: Import
}) {
  const { file, mapping, setMapping } = made
  const set = (at: number, name: string) =>
    setMapping(mapping.map((one, index) => (index === at ? name || undefined : one)))
  return (
    <fieldset class="fields">
      <legend>Which column each field goes to</legend>
      {file?.csv.header.map((field, at) => (
        <label key={at}>
          <span class="mono">{field}</span>{' '}
          <select
            aria-label={`Column for ${field}`}
            value={mapping[at] ?? ''}
            onChange={({ currentTarget }) => set(at, currentTarget.value)}
          >
            <option value="">none</option>
            {writableColumns(table.columns).map(({ name, type }) => (
              <option key={name} value={name}>
                {name} {type}
              </option>
            ))}
          </select>
        </label>
      ))}
    </fieldset>
  )
}

function Preview({ made }: { readonly made: Import }) {
  const names = made.mapping.filter((name) => name !== undefined)
  const rows = [...made.read(0, PREVIEWED)]
  if (names.length === 0 || rows.length === 0) return null
  return (
    <ListTable label="The first rows" heads={['line', ...names]}>
      {rows.map((read) => (
        <tr key={read.line}>
          <th scope="row">{read.line}</th>
          <Previewed read={read} names={names} />
        </tr>
      ))}
    </ListTable>
  )
}

function Previewed({ read, names }: { readonly read: ReadRow; readonly names: readonly string[] }) {
  if ('problem' in read) {
    return (
      <td class="bad" colSpan={names.length}>
        {read.problem}
      </td>
    )
  }
  return (
    <>
      {names.map((name) => {
        const value = read.row[name]
        const text = typeof value === 'object' ? JSON.stringify(value) : String(value)
        return (
          <td key={name} class={value === null ? 'null' : 'mono'}>
            {value === null ? 'NULL' : text}
          </td>
        )
      })}
    </>
  )
}
