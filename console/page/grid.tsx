// SPDX-License-Identifier: Apache-2.0
import { Component, type ComponentChildren } from 'preact'
import type { ResultColumn, Row } from '../../client-sdk/client.ts'
import { cellClass, gridCell, headClass } from './grid-cell.ts'
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
  /** What stands at the end of each row; rows are drawn again where it is another one. */
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
                <th key={name} scope="col" class={headClass(type)}>
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
class GridRow extends Component<RowProps> {
  override shouldComponentUpdate({ row, at, columns, actions }: RowProps): boolean {
    const { props } = this
    return (
      row !== props.row || at !== props.at || columns !== props.columns || actions !== props.actions
    )
  }

  override render({ row, at, columns, actions }: RowProps) {
    return (
      <tr>
        <td class="row-number">{at + 1}</td>
        {columns.map(({ name }) => {
          const cell = gridCell(row[name])
          return (
            <td key={name} class={cellClass(cell)} title={cell.title}>
              {cell.text}
            </td>
          )
        })}
        {actions !== undefined && <td class="actions">{actions(row)}</td>}
      </tr>
    )
  }
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
