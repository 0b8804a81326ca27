// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { type Head, ListTable } from '../page/lists/list-table.tsx'
import { Stamp } from '../page/stamp.tsx'
import { countedText } from './observer-words.ts'

const DEAD_HEADS: readonly Head[] = ['row', { number: 'tries' }, 'error', 'changed']

/** Rows for which an observer has failed too often. */
export function DeadLetters({
  status: { weak, deadLetters },
  onRetry,
}: {
  readonly status: Schemas['ObserverStatus']
  /** Of one of them, where there is a statement for that. */
  readonly onRetry: ((key: readonly unknown[]) => void) | undefined
}) {
  const { count, rows } = deadLetters
  if (count === 0) return <p class="muted">No dead letters.</p>
  return (
    <>
      <h3>
        Dead letters
        <span class="muted">
          {count > rows.length
            ? `, the first ${rows.length} of ${countedText(count)}`
            : `, ${countedText(count)}`}
        </span>
      </h3>
      <ListTable
        label="Dead letters"
        heads={onRetry === undefined ? DEAD_HEADS : [...DEAD_HEADS, { unseen: 'actions' }]}
      >
        {rows.map(({ key, tries, error, timestamp }) => (
          <tr key={JSON.stringify(key)}>
            <td class="mono">{JSON.stringify(key)}</td>
            <td class="number">{tries}</td>
            <td>{error}</td>
            <td>
              <Stamp micros={timestamp} />
            </td>
            {onRetry !== undefined && (
              <td>
                <button
                  type="button"
                  aria-label={`Retry ${JSON.stringify(key)} …`}
                  onClick={() => onRetry(key)}
                >
                  Retry …
                </button>
              </td>
            )}
          </tr>
        ))}
      </ListTable>
      {!weak && <p class="muted">A change of its row takes one of them up; RESUME takes up all.</p>}
    </>
  )
}
