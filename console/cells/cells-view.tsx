// SPDX-License-Identifier: Apache-2.0
import { useEffect, useMemo, useState } from 'preact/hooks'
import type { Key } from '../../client-sdk/client.ts'
import { useConsole } from '../page/console-context.ts'
import { Problem } from '../page/problem.tsx'
import type { ViewProps } from '../page/view-props.ts'
import { type CommitMode, historyOf, type RowCells } from './cell-history.ts'
import { CellsForm } from './cells-form.tsx'
import { CellsTimeline } from './cells-timeline.tsx'
import { LiveSteps } from './live-steps.tsx'
import { useCells } from './use-cells.ts'
import { useSteps } from './use-steps.ts'
import { type WantedRows, wantedOf } from './wanted-rows.ts'

/** Rows as Percolator has them: the cells of each column, on a line of stamps. */
export function CellsView({ address }: ViewProps) {
  const { db } = useConsole()
  const wanted = wantedOf(address)
  const { rows, commit, isSlowed, error, again } = useCells(db, wanted)
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
      {rows !== undefined && wanted !== undefined && (
        <Shown
          wanted={wanted}
          read={rows}
          commit={commit}
          isSlowed={isSlowed}
          begin={address.query.at}
          onAgain={again}
        />
      )}
    </div>
  )
}

/** Rows that were read, or as they change. */
function Shown({
  wanted,
  read,
  commit,
  isSlowed,
  begin,
  onAgain,
}: {
  readonly wanted: WantedRows
  readonly read: readonly RowCells[]
  readonly commit: CommitMode
  readonly isSlowed: boolean
  readonly begin: string | undefined
  /** Reads them again. */
  readonly onAgain: () => void
}) {
  const { db } = useConsole()
  const [isLive, setIsLive] = useState(false)
  const isHidden = useHidden()
  const keys = read.map(({ key }) => key as Key)
  const live = useSteps(db, { table: wanted.table, keys }, isLive && !isHidden)
  const rows = live.rows ?? read
  const follow = () => {
    if (isLive) onAgain()
    setIsLive(!isLive)
  }
  const history = useMemo(() => historyOf(rows, commit), [rows, commit])
  return (
    <>
      <p class="muted">
        {commit === 'two-phase'
          ? 'This server commits in two phases. A dashed lock is not there any more: it must have stood there from the start of its transaction to its commit.'
          : 'This server commits in one phase: record and value come at one moment, and no lock ever stands. Start it with --commit two-phase to see locks.'}{' '}
        A dashed value is kept inline, in its lock or its write record.
      </p>
      {wanted.index === undefined && (
        <p class="row">
          <button type="button" aria-pressed={isLive} onClick={follow}>
            {isLive ? 'Stop following' : 'Follow live'}
          </button>
          {isLive && live.rows !== undefined && <span class="good">live</span>}
        </p>
      )}
      {isLive && <LiveSteps state={live} isSlowed={isSlowed} label={history.label} />}
      {history.stamps.length === 0 ? (
        <p class="notice">There are no cells here: the row has never been, or is collected.</p>
      ) : (
        <CellsTimeline history={history} wanted={wanted} begin={begin} />
      )}
    </>
  )
}

/** Whether nobody looks at the page. */
function useHidden(): boolean {
  const [isHidden, setIsHidden] = useState(document.hidden)
  useEffect(() => {
    const ending = new AbortController()
    const changed = () => setIsHidden(document.hidden)
    document.addEventListener('visibilitychange', changed, { signal: ending.signal })
    return () => ending.abort()
  }, [])
  return isHidden
}
