// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { useConsole, useRight } from '../page/console-context.ts'
import { type Head, ListTable } from '../page/lists/list-table.tsx'
import { Problem } from '../page/problem.tsx'
import { countText, durationText } from '../page/stamp-text.ts'
import { usePolling } from '../page/use-polling.ts'
import { useAction } from './use-action.ts'

const RUNNING_EVERY_MS = 2_000

const RUNNING_HEADS: readonly Head[] = [
  { number: 'age' },
  'state',
  'operation',
  'client',
  'statement',
]

/** What runs now, the oldest first; an administrator can stop it. */
export function RunningSection() {
  const { db } = useConsole()
  const mayStop = useRight('admin')
  const { value, error, now } = usePolling(
    (signal) => db.request<Schemas['RunningList']>('GET', '/v1/running', undefined, { signal }),
    RUNNING_EVERY_MS,
  )
  const { failure, run } = useAction(now)
  const stop = (id: string) =>
    run(() => db.request('DELETE', `/v1/running/${encodeURIComponent(id)}`))
  const problem = failure ?? error
  return (
    <section>
      <h2>Running now</h2>
      {problem !== undefined && <Problem error={problem} />}
      {value !== undefined && value.total === 0 && <p class="muted">Nothing runs.</p>}
      {value !== undefined && value.running.length > 0 && (
        <RunningTable running={value.running} onStop={mayStop ? stop : undefined} />
      )}
      {value !== undefined && value.total > value.running.length && (
        <p class="muted">{countText(value.total)} run in total.</p>
      )}
    </section>
  )
}

function RunningTable({
  running,
  onStop,
}: {
  readonly running: Schemas['RunningList']['running']
  readonly onStop: ((id: string) => void) | undefined
}) {
  return (
    <ListTable
      label="Running now"
      heads={onStop === undefined ? RUNNING_HEADS : [...RUNNING_HEADS, { unseen: 'actions' }]}
    >
      {running.map(({ id, ageMs, state, operation, client, statement }) => (
        <tr key={id}>
          <td class="number">{durationText(ageMs)}</td>
          <td>{state}</td>
          <td>{operation}</td>
          <td>{client}</td>
          <td class="mono">{statement}</td>
          {onStop !== undefined && (
            <td>
              <button type="button" aria-label={`Stop ${id}`} onClick={() => onStop(id)}>
                Stop
              </button>
            </td>
          )}
        </tr>
      ))}
    </ListTable>
  )
}
