// SPDX-License-Identifier: Apache-2.0
import { useEffect, useRef } from 'preact/hooks'
import type { ResultColumn, Row, Schemas } from '../../client-sdk/client.ts'
import { useConsole } from '../page/console-context.ts'
import { cellClass, gridCell } from '../page/grid-cell.ts'
import { Problem } from '../page/problem.tsx'
import { OtherRow } from './other-row.tsx'
import { useRowForm } from './use-row-form.ts'

type Form = ReturnType<typeof useRowForm>

/** A row of the grid of which one value is changed where it stands; below it what became of that, if it failed. */
export function EditedRow({
  table,
  row,
  column,
  at,
  columns,
  onClose,
  onWritten,
}: {
  readonly table: Schemas['Table']
  readonly row: Row
  readonly column: Schemas['TableColumn']
  readonly at: number
  readonly columns: readonly ResultColumn[]
  readonly onClose: () => void
  readonly onWritten: (now: Row | undefined) => void
}) {
  const { db } = useConsole()
  const form = useRowForm(db, table, row, onWritten)
  const { error, other, problems } = form
  const problem = problems[column.name]
  return (
    <>
      <tr class="edited">
        <td class="row-number">{at + 1}</td>
        {columns.map(({ name, type }) => {
          if (name === column.name) return <ValueInput key={name} {...{ form, column, onClose }} />
          const cell = gridCell(row[name], type)
          return (
            <td key={name} class={cellClass(cell)}>
              {cell.text}
            </td>
          )
        })}
        <td class="actions">
          <span class="row-links">
            <button type="button" class="link" disabled={mayNotSave(form)} onClick={form.save}>
              save
            </button>
            <button type="button" class="link" onClick={onClose}>
              leave
            </button>
          </span>
        </td>
      </tr>
      {(error !== undefined || other !== undefined || problem !== undefined) && (
        <tr class="edited-facts">
          <td colSpan={columns.length + 2}>
            {error !== undefined && <Problem error={error} />}
            {other !== undefined && <OtherRow table={table} form={form} />}
            {problem !== undefined && (
              <p class="bad" role="alert">
                {problem}
              </p>
            )}
          </td>
        </tr>
      )}
    </>
  )
}

function mayNotSave({ isBusy, base, other, changed }: Form): boolean {
  return isBusy || base === undefined || other !== undefined || changed.length === 0
}

function ValueInput({
  form,
  column: { name, type, notNull },
  onClose,
}: {
  readonly form: Form
  readonly column: Schemas['TableColumn']
  readonly onClose: () => void
}) {
  const place = useRef<HTMLTextAreaElement>(null)
  const isThere = form.base !== undefined
  useEffect(() => {
    place.current?.focus()
    if (isThere) place.current?.select()
  }, [isThere])
  const value = form.values[name] ?? { kind: 'unset' }
  const text = value.kind === 'text' ? value.text : ''
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') onClose()
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
    event.preventDefault()
    if (!mayNotSave(form)) form.save()
    else if (form.other === undefined && isThere && !form.isBusy) onClose()
  }
  return (
    <td class="edited-value">
      <textarea
        ref={place}
        rows={text.includes('\n') ? 3 : 1}
        class="mono"
        aria-label={`${name} ${type}`}
        aria-invalid={form.problems[name] !== undefined}
        readOnly={!isThere}
        spellcheck={false}
        placeholder={value.kind === 'null' ? 'NULL' : ''}
        value={text}
        onInput={({ currentTarget }) =>
          form.setField(name, { kind: 'text', text: currentTarget.value })
        }
        onKeyDown={onKeyDown}
      />
      {!notNull && (
        <label class="null-box">
          <input
            type="checkbox"
            disabled={!isThere}
            checked={value.kind === 'null'}
            aria-label={`${name} is NULL`}
            onKeyDown={onKeyDown}
            onChange={({ currentTarget }) =>
              form.setField(
                name,
                currentTarget.checked ? { kind: 'null' } : { kind: 'text', text: '' },
              )
            }
          />
          NULL
        </label>
      )}
    </td>
  )
}
