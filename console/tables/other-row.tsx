// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { gridCell } from '../page/grid-cell.ts'
import { ListTable } from '../page/lists/list-table.tsx'
import { type FieldValue, formOf, isSameField } from './form-values.ts'
import type { useRowForm } from './use-row-form.ts'

/** Said when somebody else has changed the row that a form is of: both, beside each other. */
export function OtherRow({
  table,
  form,
}: {
  readonly table: Schemas['Table']
  readonly form: ReturnType<typeof useRowForm>
}) {
  const { base, other, values, changed, isBusy } = form
  const now = other?.row?.row
  if (base === undefined || now === undefined) {
    return (
      <div class="problem" role="alert">
        <p>Somebody else has deleted this row. Nothing was saved.</p>
      </div>
    )
  }
  const before = formOf(table.columns, base.row)
  const theirs = formOf(table.columns, now)
  const mine = new Set(changed.map(({ name }) => name))
  const differing = table.columns.filter(
    ({ name }) => mine.has(name) || !isSameField(before[name], theirs[name]),
  )
  return (
    <div class="problem" role="alert">
      <p>Somebody else has changed this row since it was opened. Nothing was saved.</p>
      <ListTable
        label="Both changes"
        heads={['column', 'as it was opened', 'as it is now', 'as you want it']}
      >
        {differing.map(({ name }) => (
          <tr key={name}>
            <th scope="row">{name}</th>
            <td class="mono">{shown(before[name])}</td>
            <td class="mono">{shown(theirs[name])}</td>
            <td class="mono">{mine.has(name) ? shown(values[name]) : 'as it is now'}</td>
          </tr>
        ))}
      </ListTable>
      <p class="row">
        <button type="button" disabled={isBusy} onClick={form.saveOverOther}>
          Save mine over it
        </button>
        <button type="button" disabled={isBusy} onClick={form.takeOther}>
          Take what is there
        </button>
      </p>
    </div>
  )
}

function shown(field: FieldValue | undefined): string {
  if (field === undefined || field.kind === 'unset') return 'missing'
  if (field.kind === 'null') return 'NULL'
  return gridCell(field.kind === 'bytes' ? field.bytes : field.text).text
}
