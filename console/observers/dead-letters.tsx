// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'
import type { Schemas } from '../../client-sdk/client.ts'
import { useConsole } from '../page/console-context.ts'
import { type Head, ListTable } from '../page/lists/list-table.tsx'
import { Problem } from '../page/problem.tsx'
import { Stamp } from '../page/stamp.tsx'
import { usePolling } from '../page/use-polling.ts'
import { FIRST_PAGE, type LetterPages, pathOf, placeText } from './dead-letter-pages.ts'

const LOOK_EVERY_MS = 2_000
const DEAD_HEADS: readonly Head[] = ['row', { number: 'tries' }, 'error', 'changed']

type Letter = Schemas['DeadLetter']

/** Of one of them, where there is a statement for that. */
type OnRetry = ((key: readonly unknown[]) => void) | undefined

/** Rows for which an observer has failed too often. */
export function DeadLetters({
  status,
  onRetry,
}: {
  readonly status: Schemas['ObserverStatus']
  readonly onRetry: OnRetry
}) {
  if (status.deadLetters.count === 0) return <p class="muted">No dead letters.</p>
  return <LetterSection status={status} onRetry={onRetry} />
}

/** One page of them, as it is now. */
function LetterSection({
  status: { observer, weak, deadLetters },
  onRetry,
}: {
  readonly status: Schemas['ObserverStatus']
  readonly onRetry: OnRetry
}) {
  const { db } = useConsole()
  const [wanted, setWanted] = useState(FIRST_PAGE)
  const askForPage = async (signal: AbortSignal) => {
    const path = pathOf(observer, wanted)
    const page = await db.request<Schemas['DeadLetterPage']>('GET', path, undefined, { signal })
    return { ...page, pages: wanted }
  }
  const { value, error } = usePolling(askForPage, LOOK_EVERY_MS, wanted)
  // The status has the first page, before it was asked for.
  const shown = value ?? { deadLetters: deadLetters.rows, pages: FIRST_PAGE }
  const { pages, next } = shown
  return (
    <>
      <h3>
        Dead letters
        <span class="muted">, {placeText(deadLetters.count, pages, next !== undefined)}</span>
      </h3>
      {error !== undefined && <Problem error={error} />}
      <LetterTable letters={shown.deadLetters} isBusy={pages !== wanted} onRetry={onRetry} />
      {(pages.length > 0 || next !== undefined) && (
        <PageButtons pages={pages} next={next} onPages={setWanted} />
      )}
      {!weak && <p class="muted">A change of its row takes one of them up; RESUME takes up all.</p>}
    </>
  )
}

function PageButtons({
  pages,
  next,
  onPages,
}: {
  readonly pages: LetterPages
  readonly next: string | undefined
  readonly onPages: (pages: LetterPages) => void
}) {
  return (
    <div class="row">
      <button
        type="button"
        disabled={pages.length === 0}
        onClick={() => onPages(pages.slice(0, -1))}
      >
        Previous page
      </button>
      <button
        type="button"
        disabled={next === undefined}
        onClick={() => next !== undefined && onPages([...pages, next])}
      >
        Next page
      </button>
    </div>
  )
}

function LetterTable({
  letters,
  isBusy,
  onRetry,
}: {
  readonly letters: readonly Letter[]
  readonly isBusy: boolean
  readonly onRetry: OnRetry
}) {
  if (letters.length === 0) return <p class="muted">None on this page by now.</p>
  return (
    <ListTable
      label="Dead letters"
      heads={onRetry === undefined ? DEAD_HEADS : [...DEAD_HEADS, { unseen: 'actions' }]}
      isBusy={isBusy}
    >
      {letters.map((letter) => (
        <LetterRow key={JSON.stringify(letter.key)} letter={letter} onRetry={onRetry} />
      ))}
    </ListTable>
  )
}

function LetterRow({
  letter: { key, tries, error, timestamp },
  onRetry,
}: {
  readonly letter: Letter
  readonly onRetry: OnRetry
}) {
  return (
    <tr>
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
  )
}
