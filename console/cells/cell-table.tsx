// SPDX-License-Identifier: Apache-2.0
import { ListTable } from '../page/lists/list-table.tsx'
import { Stamp } from '../page/stamp.tsx'
import type { CellHistory, Mark } from './cell-history.ts'

/** What the drawing shows, in words; newest first. */
export function CellTable({
  history: { strands, label },
  marks,
}: {
  readonly history: CellHistory
  /** Those that are drawn. */
  readonly marks: readonly Mark[]
}) {
  const sorted = marks.toSorted((one, other) => other.timestamp - one.timestamp)
  return (
    <section class="listed">
      <h3>The same as a table</h3>
      <ListTable
        label="Cells as a table"
        heads={['stamp', 'time', 'row', 'cell', 'what']}
        className="cell-table"
      >
        {sorted.map(({ id, strand, family, look, timestamp, words }) => (
          <tr key={`${id} ${look}`} class={look === 'supposed' ? 'muted' : undefined}>
            <td class="mono">{label(timestamp)}</td>
            <td>
              <Stamp micros={timestamp} />
            </td>
            <td>{strands[strand]?.title}</td>
            <td>{look === 'supposed' ? `${family}, not there any more` : family}</td>
            <td>{words}</td>
          </tr>
        ))}
      </ListTable>
    </section>
  )
}
