// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'
import type { Schemas } from '../../client-sdk/client.ts'
import { useConsole } from '../page/console-context.ts'
import { ListTable } from '../page/lists/list-table.tsx'
import { Problem } from '../page/problem.tsx'
import { durationText } from '../page/stamp-text.ts'
import { cellText } from './cell-text.ts'

type Looked = {
  readonly list?: Schemas['LockList']
  readonly error?: unknown
  readonly isBusy: boolean
}

/** Locks that stand in the store: looked for when it is asked for, because the server looks through all of it. */
export function LockSection() {
  const { db } = useConsole()
  const [{ list, error, isBusy }, setLooked] = useState<Looked>({ isBusy: false })
  const look = async () => {
    setLooked({ isBusy: true })
    try {
      setLooked({ list: await db.request<Schemas['LockList']>('GET', '/v1/locks'), isBusy: false })
    } catch (cause) {
      setLooked({ error: cause, isBusy: false })
    }
  }
  return (
    <section>
      <h2>Locks</h2>
      <p class="row">
        <button type="button" onClick={look} disabled={isBusy}>
          {isBusy ? 'Looking …' : 'Look for locks'}
        </button>
        {list !== undefined && <span role="status">{textOf(list)}</span>}
      </p>
      {error !== undefined && <Problem error={error} />}
      {list !== undefined && list.locks.length > 0 && <LockTable locks={list.locks} />}
    </section>
  )
}

function textOf({ locks, isComplete }: Schemas['LockList']): string {
  const count = locks.length === 0 ? 'None' : `${locks.length}`
  return isComplete ? `${count}.` : `${count}; the store was not looked through to its end.`
}

function LockTable({ locks }: { readonly locks: Schemas['LockList']['locks'] }) {
  const nowMs = Date.now()
  return (
    <ListTable label="Locks" heads={['cell', 'primary', 'kind', { number: 'age' }, 'owner']}>
      {locks.map((lock) => (
        <tr key={`${lock.timestamp} ${cellText(lock.cell)}`}>
          <td class="mono">{cellText(lock.cell)}</td>
          <td class="mono">{lock.isPrimary ? 'itself' : cellText(lock.primary)}</td>
          <td>{lock.kind}</td>
          <td class="number" title={lock.lockedAt}>
            {durationText(Math.max(0, nowMs - Date.parse(lock.lockedAt)))}
          </td>
          <td>
            <span class="mono">{lock.owner.slice(0, 8)}</span>{' '}
            {lock.ownerIsDead && <span class="bad">has ended</span>}
          </td>
        </tr>
      ))}
    </ListTable>
  )
}
