// SPDX-License-Identifier: Apache-2.0
import type { ComponentChildren } from 'preact'
import { useMemo } from 'preact/hooks'
import type { ResultColumn, Row } from '../../client-sdk/client.ts'
import { gridCell } from './grid-cell.ts'
import { Scroll } from './lists/scroll.tsx'
import type { RowWindow } from './row-window.ts'
import { countText } from './stamp-text.ts'

/** Rows of a result or of a table; the next page comes by a button, and what is too much leaves at the top. */
export function Grid({
  caption,
  columns,
  window,
  hasMore = false,
  isBusy = false,
  onMore,
  actions,
}: {
  /** What it is a table of, for screen readers. */
  readonly caption: string
  readonly columns: readonly ResultColumn[]
  readonly window: RowWindow
  readonly hasMore?: boolean
  readonly isBusy?: boolean
  readonly onMore?: () => void
  /** What stands at the end of each row. */
  readonly actions?: (row: Row) => ComponentChildren
}) {
  const { before, rows } = window
  return (
    <div class="grid">
      <Scroll label={caption}>
        <table>
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>
              <th class="row-number" scope="col">
                <span class="unseen">row</span>
              </th>
              {columns.map(({ name, type }) => (
                <th key={name} scope="col" class={isRight(type) ? 'number' : undefined}>
                  {name} <span class="type">{type}</span>
                </th>
              ))}
              {actions !== undefined && (
                <th scope="col">
                  <span class="unseen">actions</span>
                </th>
              )}
            </tr>
          </thead>
          <tbody>
            {rows.map((row, at) => (
              <GridRow
                key={before + at}
                row={row}
                at={before + at}
                columns={columns}
                actions={actions}
              />
            ))}
          </tbody>
        </table>
      </Scroll>
      <p class="grid-foot">
        <span>{rowsText(window, hasMore)}</span>
        {hasMore && onMore !== undefined && (
          <button type="button" onClick={onMore} disabled={isBusy}>
            More rows
          </button>
        )}
      </p>
    </div>
  )
}

type RowProps = {
  readonly row: Row
  readonly at: number
  readonly columns: readonly ResultColumn[]
  readonly actions: ((row: Row) => ComponentChildren) | undefined
}

/** A row that stays what it was while others come and go. */
function GridRow({ row, at, columns, actions }: RowProps) {
  return useMemo(
    () => (
      <tr>
        <td class="row-number">{at + 1}</td>
        {columns.map(({ name }) => (
          <GridValue key={name} value={row[name]} />
        ))}
        {actions !== undefined && <td class="actions">{actions(row)}</td>}
      </tr>
    ),
    [row, at, columns, actions],
  )
}

function GridValue({ value }: { readonly value: unknown }) {
  const { text, kind, title } = gridCell(value)
  return (
    <td class={kind} title={title}>
      {text}
    </td>
  )
}

function isRight(type: string): boolean {
  return type === 'INTEGER' || type === 'REAL'
}

function rowsText({ before, rows }: RowWindow, hasMore: boolean): string {
  const all = before + rows.length
  if (before > 0) {
    const range = `rows ${countText(before + 1)} to ${countText(all)}`
    return `${range}${hasMore ? ', and there are more' : ''}; the earlier ones are not kept`
  }
  const count = `${countText(all)} ${all === 1 ? 'row' : 'rows'}`
  return hasMore ? `the first ${count}` : count
}
