// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'
import type { Schemas } from '../../client-sdk/client.ts'
import { useConsole } from '../page/console-context.ts'
import { type Head, ListTable } from '../page/lists/list-table.tsx'
import { Problem } from '../page/problem.tsx'
import { Stamp } from '../page/stamp.tsx'
import { countText, durationText } from '../page/stamp-text.ts'
import { AskFirst } from '../page/statements/ask-first.tsx'
import { usePolling } from '../page/use-polling.ts'
import { isOwn, rollBackMeaning, writtenText } from './transaction-facts.ts'
import { useAction } from './use-action.ts'

type Open = Schemas['OpenTransaction']

const LOOK_EVERY_MS = 2_000

const OPEN_HEADS: readonly Head[] = [
  'snapshot',
  { number: 'age' },
  'now',
  'has written',
  { number: 'statements' },
  'last one',
  'client',
  { unseen: 'actions' },
]

/** Transactions over several requests: one's own can be rolled back. */
export function OpenSection() {
  const { db } = useConsole()
  const [requested, setRequested] = useState<Open | undefined>()
  const { value, error, now } = usePolling(
    (signal) =>
      db.request<Schemas['TransactionList']>('GET', '/v1/transactions', undefined, { signal }),
    LOOK_EVERY_MS,
  )
  const { failure, run } = useAction(now)
  const answered = async (isWanted: boolean) => {
    setRequested(undefined)
    if (!isWanted || requested === undefined) return
    await run(() => db.request('DELETE', pathOf(requested)))
  }
  const problem = failure ?? error
  return (
    <section>
      <h2>Open transactions</h2>
      {problem !== undefined && <Problem error={problem} />}
      {requested !== undefined && (
        <AskFirst
          label="Roll this transaction back?"
          sent={`DELETE ${pathOf(requested).replace(/\.\w+$/, '.…')}`}
          meaning={rollBackMeaning(requested)}
          yes="Roll it back"
          onAnswer={answered}
        />
      )}
      {value !== undefined && value.total === 0 && <p class="muted">None is open.</p>}
      {value !== undefined && value.transactions.length > 0 && (
        <OpenTable transactions={value.transactions} onAsk={setRequested} />
      )}
      {value !== undefined && value.total > value.transactions.length && (
        <p class="muted">{countText(value.total)} are open in total.</p>
      )}
    </section>
  )
}

function pathOf({ transaction }: Open): string {
  return `/v1/transactions/${encodeURIComponent(transaction)}`
}

function OpenTable({
  transactions,
  onAsk,
}: {
  readonly transactions: readonly Open[]
  readonly onAsk: (open: Open) => void
}) {
  const nowMs = Date.now()
  return (
    <ListTable label="Open transactions" heads={OPEN_HEADS}>
      {transactions.map((open) => (
        <tr key={open.transaction}>
          <td>
            <Stamp micros={open.readTimestamp} />
          </td>
          <td class="number">{durationText(Math.max(0, nowMs - Date.parse(open.openedAt)))}</td>
          <td class="whole">{open.busy ? 'running' : `idle for ${durationText(open.idleMs)}`}</td>
          <td>{writtenText(open)}</td>
          <td class="number">{countText(open.statements)}</td>
          <td class="mono">{open.last ?? 'none'}</td>
          <td>{open.client}</td>
          <td>
            {isOwn(open) ? (
              <button
                type="button"
                aria-label={`Roll back the one of ${open.readTimestamp} …`}
                onClick={() => onAsk(open)}
              >
                Roll back …
              </button>
            ) : (
              <span class="muted">of another token</span>
            )}
          </td>
        </tr>
      ))}
    </ListTable>
  )
}
