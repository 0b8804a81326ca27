// SPDX-License-Identifier: Apache-2.0
import { Component } from 'preact'
import type { ResultColumn } from '../../client-sdk/client.ts'
import { cellClass, gridCell, headClass } from '../page/grid-cell.ts'
import { Scroll } from '../page/lists/scroll.tsx'
import { countText } from '../page/stamp-text.ts'
import { keyText, type LiveFeed } from './live-feed.ts'
import type { LiveRow } from './ordered-rows.ts'

const SHOWN_ROWS = 200
/** How long a change is marked. */
const MARKED_MS = 3_000

/** The rows by their keys, or in the order of their list, with the columns marked that have just changed. */
export function LiveRows({
  feed,
  columns,
  nowMs,
}: {
  readonly feed: LiveFeed
  readonly columns: readonly ResultColumn[]
  readonly nowMs: number
}) {
  const rows = feed.first(SHOWN_ROWS)
  return (
    <section class="live-half">
      <h3>
        {feed.isList ? 'Rows, in their order' : 'Rows, by their key'}
        {feed.rowCount > SHOWN_ROWS && (
          <span class="muted">
            , the first {SHOWN_ROWS} of {countText(feed.rowCount)}
          </span>
        )}
      </h3>
      {rows.length === 0 ? (
        <p class="muted">{feed.position === undefined ? 'Reading …' : 'No row matches now.'}</p>
      ) : (
        <div class="grid">
          <Scroll label="Rows">
            <table>
              <caption class="unseen">Rows</caption>
              <thead>
                <tr>
                  <th scope="col">
                    <span class="unseen">last change</span>
                  </th>
                  {columns.map(({ name, type }) => (
                    <th key={name} scope="col" class={headClass(type)}>
                      {name} <span class="type">{type}</span>
                    </th>
                  ))}
                </tr>
              </thead>
              <tbody>
                {rows.map((row) => (
                  <RowView
                    key={keyText(row.key)}
                    row={row}
                    columns={columns}
                    isMarked={row.change !== undefined && nowMs - row.change.atMs < MARKED_MS}
                  />
                ))}
              </tbody>
            </table>
          </Scroll>
        </div>
      )}
    </section>
  )
}

type RowProps = {
  readonly row: LiveRow
  readonly columns: readonly ResultColumn[]
  readonly isMarked: boolean
}

class RowView extends Component<RowProps> {
  override shouldComponentUpdate({ row, columns, isMarked }: RowProps): boolean {
    const { props } = this
    return row !== props.row || columns !== props.columns || isMarked !== props.isMarked
  }

  override render({ row: { row, change }, columns, isMarked }: RowProps) {
    return (
      <tr>
        <td class="row-op">
          {isMarked && change !== undefined && (
            <span class={`op op-${change.op}`}>{change.op}</span>
          )}
        </td>
        {columns.map(({ name, type }) => {
          const cell = gridCell(row[name], type)
          const look = cellClass(cell)
          const isChanged = isMarked && change?.columns.has(name)
          return (
            <td key={name} class={isChanged ? `${look} changed` : look} title={cell.title}>
              {cell.text}
            </td>
          )
        })}
      </tr>
    )
  }
}
