// SPDX-License-Identifier: Apache-2.0
import { Component, type ComponentChildren, Fragment } from 'preact'
import { useEffect, useRef } from 'preact/hooks'
import type { ResultColumn, Row } from '../../client-sdk/client.ts'
import { cellClass, gridCell, headClass } from './grid-cell.ts'
import { cellKey } from './lists/cell-keys.ts'
import { Scroll } from './lists/scroll.tsx'
import type { RowWindow } from './row-window.ts'
import { countedText, countText } from './stamp-text.ts'

/** By which columns the rows may be sorted, and are. */
export type GridSort = {
  readonly may: (column: string) => boolean
  readonly now: (column: string) => 'ascending' | 'descending' | undefined
  readonly onSort: (column: string) => void
}

/** What is changed where it stands. */
export type GridEdit = {
  readonly onEdit: (row: Row, column: string) => void
  /** The one that is being changed. */
  readonly row: Row | undefined
  /** Stands in place of that row; told its number, from 0. */
  readonly editor: (at: number) => ComponentChildren
}

type GridProps = {
  /** What it is a table of, for screen readers. */
  readonly caption: string
  readonly columns: readonly ResultColumn[]
  readonly window: RowWindow
  readonly hasMore?: boolean
  readonly isBusy?: boolean
  readonly onMore?: () => void
  /** What stands at the end of each row; rows are drawn again where it is another one. */
  readonly actions?: (row: Row) => ComponentChildren
  readonly sort?: GridSort
  readonly edit?: GridEdit | undefined
}

/** Rows of a result or of a table; the next page comes by a button, and what is too much leaves at the top. */
export function Grid(props: GridProps) {
  const { caption, columns, window, hasMore = false, isBusy = false, onMore, actions, sort } = props
  return (
    <div class="grid">
      <Scroll label={caption}>
        <table role={props.edit === undefined ? undefined : 'grid'}>
          <caption class="unseen">{caption}</caption>
          <thead>
            <tr>
              <th class="row-number" scope="col">
                <span class="unseen">row</span>
              </th>
              {columns.map((column) => (
                <Head key={column.name} column={column} sort={sort} />
              ))}
              {actions !== undefined && (
                <th scope="col">
                  <span class="unseen">actions</span>
                </th>
              )}
            </tr>
          </thead>
          <Body {...props} />
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

function Head({
  column: { name, type },
  sort,
}: {
  readonly column: ResultColumn
  readonly sort: GridSort | undefined
}) {
  const sorted = sort?.now(name)
  return (
    <th scope="col" class={headClass(type)} aria-sort={sorted}>
      {sort?.may(name) === true ? (
        <button
          type="button"
          class="sort"
          title="Sorts by this column"
          onClick={() => sort.onSort(name)}
        >
          {name}
        </button>
      ) : (
        name
      )}{' '}
      <span class="type">{type}</span>
    </th>
  )
}

function Body({ columns, window: { before, rows }, actions, edit }: GridProps) {
  const place = useRef<HTMLTableSectionElement>(null)
  const left = useRef<{ readonly at: number; readonly column: string } | undefined>(undefined)
  const { row: edited, onEdit } = edit ?? {}
  useEffect(() => {
    if (edited !== undefined || left.current === undefined) return
    const { at, column } = left.current
    left.current = undefined
    const cells = [...(place.current?.rows[at]?.cells ?? [])]
    cells.find(({ dataset }) => dataset.column === column)?.focus()
  }, [edited])
  const change = (cell: HTMLTableCellElement) => {
    const at = (cell.parentElement as HTMLTableRowElement).sectionRowIndex
    const [row, column] = [rows[at], cell.dataset.column]
    if (row === undefined || column === undefined || edited !== undefined) return
    left.current = { at, column }
    onEdit?.(row, column)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const done = cellKey(event)
    if (done === undefined) return
    event.preventDefault()
    if ('to' in done) done.to.focus()
    else change(done.change)
  }
  const onDblClick = ({ target }: Event) => {
    const cell = (target as Element).closest<HTMLTableCellElement>('td[data-column]')
    if (cell !== null) change(cell)
  }
  return (
    <tbody ref={place} {...(onEdit === undefined ? {} : { onKeyDown, onDblClick })}>
      {rows.map((row, index) => {
        const at = before + index
        if (edit !== undefined && row === edited)
          return <Fragment key={at}>{edit.editor(at)}</Fragment>
        const isWalked = onEdit !== undefined
        return (
          <GridRow key={at} {...{ row, at, columns, actions, isWalked, isFirst: index === 0 }} />
        )
      })}
    </tbody>
  )
}

type RowProps = {
  readonly row: Row
  readonly at: number
  readonly columns: readonly ResultColumn[]
  readonly actions: ((row: Row) => ComponentChildren) | undefined
  /** Whether the arrows go from cell to cell. */
  readonly isWalked: boolean
  readonly isFirst: boolean
}

/** A row that stays what it was while others come and go. */
class GridRow extends Component<RowProps> {
  override shouldComponentUpdate(next: RowProps): boolean {
    const { props } = this
    const names = Object.keys(next) as (keyof RowProps)[]
    return names.some((name) => next[name] !== props[name])
  }

  override render({ row, at, columns, actions, isWalked, isFirst }: RowProps) {
    return (
      <tr>
        <td class="row-number">{at + 1}</td>
        {columns.map(({ name, type }, index) => {
          const cell = gridCell(row[name], type)
          const walked = isWalked
            ? {
                role: 'gridcell' as const,
                'data-column': name,
                tabIndex: isFirst && index === 0 ? 0 : -1,
              }
            : {}
          return (
            <td key={name} class={cellClass(cell)} title={cell.title} {...walked}>
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
  const count = countedText(all, 'row')
  return hasMore ? `the first ${count}` : count
}
