// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { useConsole } from '../page/console-context.ts'
import { Problem } from '../page/problem.tsx'
import { Stamp } from '../page/stamp.tsx'
import { countText, isoOf, stampText } from '../page/stamp-text.ts'
import { usePolling } from '../page/use-polling.ts'
import { type ConflictRow, conflictRows, pairText } from './conflict-rows.ts'

const LOOK_EVERY_MS = 4_000

/** Rows on which transactions met, the hottest first, each with who lost to whom. Nobody waits for anybody here. */
export function ConflictSection() {
  const { db } = useConsole()
  const { value, error } = usePolling(
    (signal) => db.request<Schemas['ConflictList']>('GET', '/v1/conflicts', undefined, { signal }),
    LOOK_EVERY_MS,
  )
  const rows = value === undefined ? [] : conflictRows(value)
  return (
    <section>
      <h2>Conflicts</h2>
      {error !== undefined && <Problem error={error} />}
      {value !== undefined && (
        <p class="muted conflicts-said">
          {countText(value.total)} since {stampText(Date.parse(value.since) * 1_000).slice(0, 19)}.
          {value.hot.length > 0 &&
            ` The bars count from ${stampText(Date.parse(value.hotSince) * 1_000).slice(0, 19)} on.`}
          {rows.length > 0 && ' A line is the snapshot of the one that lost → the commit that won.'}
        </p>
      )}
      {rows.length > 0 && (
        <ul class="conflicts">
          {rows.map((row) => (
            <Row key={row.place} row={row} />
          ))}
        </ul>
      )}
    </section>
  )
}

function Row({ row }: { readonly row: ConflictRow }) {
  const { place, conflicts, overcount, lost, lastAt, percent, pairs } = row
  return (
    <li>
      <div>
        <div class="conflict-head">
          <strong class="mono">{place}</strong>
          <span>
            {countText(conflicts)}
            {overcount > 0 && (
              <span class="muted"> (at least {countText(conflicts - overcount)})</span>
            )}
            <span class="muted">
              , {countText(lost)} not run again, last <Stamp micros={lastAt} />
            </span>
          </span>
        </div>
        <div class="conflict-bar" aria-hidden="true">
          <span style={{ width: `${percent}%` }} />
        </div>
      </div>
      {pairs.length > 0 && (
        <ul class="pairs">
          {pairs.map((pair) => (
            <li key={`${pair.loser} ${pair.at}`}>
              <Time stamp={pair.loser} word="lost" /> <span aria-hidden="true">→</span>
              <span class="unseen">to</span>{' '}
              {pair.winner === undefined ? 'unknown' : <Time stamp={pair.winner} word="won" />}{' '}
              <span class="muted">{pairText(pair)}</span>
            </li>
          ))}
        </ul>
      )}
    </li>
  )
}

/** Of a transaction, within the day. */
function Time({ stamp, word }: { readonly stamp: number; readonly word: string }) {
  return (
    <time dateTime={isoOf(stamp)} title={`${word}: ${stampText(stamp)} · ${stamp}`}>
      {stampText(stamp).slice(11)}
    </time>
  )
}
