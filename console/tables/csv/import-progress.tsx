// SPDX-License-Identifier: Apache-2.0
import { useEffect } from 'preact/hooks'
import { ListTable } from '../../page/lists/list-table.tsx'
import { Problem } from '../../page/problem.tsx'
import { countedText, countText } from '../../page/stamp-text.ts'
import type { useImport } from './use-import.ts'

/** How far an import is, and the lines that were refused. */
export function ImportProgress({
  made,
  total,
  onWritten,
}: {
  readonly made: ReturnType<typeof useImport>
  readonly total: number
  readonly onWritten: () => void
}) {
  const { kind, state, error } = made.running
  const { done, written, skipped, refused } = state
  useEffect(() => {
    if (kind !== 'running' && written > 0) onWritten()
  }, [kind, written])
  return (
    <>
      <p class="row">
        <progress aria-label="Rows that are done" max={total} value={done} />
        <span role="status">
          {kind === 'done' ? 'Done: ' : kind === 'stopped' ? 'Stopped: ' : ''}
          {countedText(written, 'row')} written
          {skipped > 0 && `, ${countText(skipped)} left out`}
          {refused.length > 0 && `, ${countText(refused.length)} refused`}, of {countText(total)}.
        </span>
        {kind === 'running' && (
          <button type="button" onClick={made.stop}>
            Stop
          </button>
        )}
        {kind === 'stopped' && (
          <button type="button" onClick={made.goOn}>
            Go on
          </button>
        )}
      </p>
      {error !== undefined && <Problem error={error} />}
      {refused.length > 0 && (
        <ListTable label="Lines that were refused" heads={['line', 'why']}>
          {refused.map(({ line, detail }) => (
            <tr key={line}>
              <th scope="row">{line}</th>
              <td>{detail}</td>
            </tr>
          ))}
        </ListTable>
      )}
    </>
  )
}
