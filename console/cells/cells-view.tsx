// SPDX-License-Identifier: Apache-2.0
import { useMemo } from 'preact/hooks'
import { useConsole } from '../page/console-context.ts'
import { Problem } from '../page/problem.tsx'
import type { ViewProps } from '../page/view-props.ts'
import { historyOf } from './cell-history.ts'
import { CellTable } from './cell-table.tsx'
import { CellsForm } from './cells-form.tsx'
import { CellsTimeline } from './cells-timeline.tsx'
import { useCells } from './use-cells.ts'
import { wantedOf } from './wanted-rows.ts'

/** Rows as Percolator has them: the cells of each column, on a line of stamps. */
export function CellsView({ address }: ViewProps) {
  const { db } = useConsole()
  const wanted = wantedOf(address)
  const { rows, commit, error, again } = useCells(db, wanted)
  const history = useMemo(
    () => (rows === undefined ? undefined : historyOf(rows, commit)),
    [rows, commit],
  )
  return (
    <div class="cells">
      <h2>Cells</h2>
      <CellsForm wanted={wanted} onAgain={again} />
      {error !== undefined && <Problem error={error} />}
      {wanted === undefined && (
        <p class="notice">
          Name a row, and see what lies below it: its values, locks and write records, as Figure 4
          of the Percolator paper draws them. Rows of Tables have a link that leads here.
        </p>
      )}
      {history !== undefined && wanted !== undefined && (
        <>
          <p class="muted">
            {commit === 'two-phase'
              ? 'This server commits in two phases. A dashed lock is not there any more: it must have stood there from the start of its transaction to its commit.'
              : 'This server commits in one phase: record and value come at one moment, and no lock ever stands. Start it with --commit two-phase to see locks.'}{' '}
            A dashed value is kept inline, in its lock or its write record.
          </p>
          {history.stamps.length === 0 ? (
            <p class="notice">There are no cells here: the row has never been, or is collected.</p>
          ) : (
            <>
              <CellsTimeline history={history} wanted={wanted} begin={address.query.at} />
              <CellTable history={history} />
            </>
          )}
        </>
      )}
    </div>
  )
}
