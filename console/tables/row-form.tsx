// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Row, Schemas } from '../../client-sdk/client.ts'
import { useConsole } from '../page/console-context.ts'
import { Problem } from '../page/problem.tsx'
import { BytesFile } from './bytes-file.tsx'
import type { FieldValue } from './form-values.ts'
import { OtherRow } from './other-row.tsx'
import { cellsHash, entryHashes, watchHash } from './row-links.ts'
import { defaultWords, isGiven } from './table-words.ts'
import { useRowForm } from './use-row-form.ts'

/** One row, or a new one, to be changed. */
export function RowForm({
  table,
  row,
  mayWrite,
  mayInspect,
  onClose,
  onWritten,
}: {
  readonly table: Schemas['Table']
  /** Undefined for a new one. */
  readonly row: Row | undefined
  readonly mayWrite: boolean
  readonly mayInspect: boolean
  readonly onClose: () => void
  /** Told of the row as it is then; of nothing after a delete. */
  readonly onWritten: (now: Row | undefined) => void
}) {
  const { db } = useConsole()
  const form = useRowForm(db, table, row, onWritten)
  const { isNew, error, other, base, values, problems } = form
  const place = useRef<HTMLFormElement>(null)
  const isThere = isNew || base !== undefined
  useEffect(() => {
    if (isThere) place.current?.querySelector<HTMLElement>('.field :enabled')?.focus()
  }, [isThere])
  const keys = new Set(table.primaryKey.map(({ column }) => column))
  const submit = (event: Event) => {
    event.preventDefault()
    form.save()
  }
  const leave = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
  }
  return (
    <form
      class="row-form"
      aria-label={isNew ? `A new row of ${table.name}` : `A row of ${table.name}`}
      ref={place}
      onSubmit={submit}
      onKeyDown={leave}
    >
      {error !== undefined && <Problem error={error} />}
      {other !== undefined && <OtherRow table={table} form={form} />}
      {isThere && (
        <div class="fields">
          {table.columns.map((column) => (
            <Field
              key={column.name}
              column={column}
              value={values[column.name] ?? { kind: 'unset' }}
              isFixed={!mayWrite || isGiven(column) || (!isNew && keys.has(column.name))}
              isKey={keys.has(column.name)}
              problem={problems[column.name]}
              onChange={(value) => form.setField(column.name, value)}
            />
          ))}
        </div>
      )}
      <div class="row">
        {mayWrite && <Writes form={form} />}
        <button type="button" onClick={onClose}>
          Close
        </button>
        {row !== undefined && <Links table={table} row={row} mayInspect={mayInspect} />}
      </div>
    </form>
  )
}

function Writes({ form }: { readonly form: ReturnType<typeof useRowForm> }) {
  const { isNew, isBusy, base, other, changed } = form
  const mayBegin = !isBusy && other === undefined && (isNew || base !== undefined)
  return (
    <>
      <button type="submit" class="first" disabled={!mayBegin || changed.length === 0}>
        {isNew ? 'Insert' : 'Save'}
      </button>
      {!isNew && base !== undefined && <Remove isBusy={!mayBegin} onRemove={form.remove} />}
    </>
  )
}

function Field({
  column,
  value,
  isFixed,
  isKey,
  problem,
  onChange,
}: {
  readonly column: Schemas['TableColumn']
  readonly value: FieldValue
  readonly isFixed: boolean
  readonly isKey: boolean
  readonly problem: string | undefined
  readonly onChange: (value: FieldValue) => void
}) {
  const { name, type, notNull } = column
  const id = `field-${name}`
  const text = value.kind === 'text' ? value.text : ''
  const parts = {
    id,
    class: 'mono',
    disabled: isFixed,
    'aria-invalid': problem !== undefined,
    'aria-describedby': problem === undefined ? undefined : `${id}-problem`,
    placeholder: value.kind === 'null' ? 'NULL' : (defaultWords(column) ?? ''),
    value: text,
    onInput: ({ currentTarget }: { currentTarget: { value: string } }) =>
      onChange({ kind: 'text', text: currentTarget.value }),
  }
  const isLong = type === 'JSON' || text.includes('\n') || text.length > 60
  return (
    <div class="field">
      <label for={id}>
        {name} <span class="muted">{isKey ? `${type}, key` : type}</span>
      </label>
      <span class="field-value">
        {value.kind !== 'bytes' &&
          (isLong ? <textarea rows={3} {...parts} /> : <input type="text" {...parts} />)}
        {type === 'BYTES' && <BytesFile {...{ name, value, isFixed, onChange }} />}
        {!notNull && !isKey && (
          <label class="null-box">
            <input
              type="checkbox"
              disabled={isFixed}
              checked={value.kind === 'null'}
              aria-label={`${name} is NULL`}
              onChange={({ currentTarget }) =>
                onChange(currentTarget.checked ? { kind: 'null' } : { kind: 'text', text: '' })
              }
            />
            NULL
          </label>
        )}
      </span>
      {problem !== undefined && (
        <p id={`${id}-problem`} class="bad" role="alert">
          {problem}
        </p>
      )}
    </div>
  )
}

/** Asks before it is done. */
function Remove({ isBusy, onRemove }: { readonly isBusy: boolean; readonly onRemove: () => void }) {
  const [isAsked, setIsAsked] = useState(false)
  if (!isAsked) {
    return (
      <button type="button" disabled={isBusy} onClick={() => setIsAsked(true)}>
        Delete …
      </button>
    )
  }
  return (
    <span class="row" role="alertdialog" aria-label="Delete this row?">
      Delete this row?
      <button type="button" class="danger" disabled={isBusy} onClick={onRemove}>
        Delete it
      </button>
      <button type="button" onClick={() => setIsAsked(false)}>
        Keep it
      </button>
    </span>
  )
}

function Links({
  table,
  row,
  mayInspect,
}: {
  readonly table: Schemas['Table']
  readonly row: Row
  readonly mayInspect: boolean
}) {
  return (
    <span class="row-links">
      {mayInspect && <a href={cellsHash(table, row)}>cells</a>}
      {mayInspect &&
        entryHashes(table, row).map(({ index, hash }) => (
          <a key={index} href={hash}>
            cells in {index}
          </a>
        ))}
      <a href={watchHash(table, row)}>watch</a>
    </span>
  )
}
