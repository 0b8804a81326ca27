// SPDX-License-Identifier: Apache-2.0
import { useEffect, useLayoutEffect, useState } from 'preact/hooks'
import { useConsole } from '../page/console-context.ts'
import { Problem } from '../page/problem.tsx'
import { countText, durationText } from '../page/stamp-text.ts'
import { goTo } from '../page/use-address.ts'
import type { ViewProps } from '../page/view-props.ts'
import { LiveLog } from './live-log.tsx'
import { LiveRows } from './live-rows.tsx'
import type { LiveWatch } from './live-watch.ts'
import { stateText } from './state-text.ts'
import { SubscriptionSection } from './subscription-section.tsx'
import { useLive } from './use-live.ts'

/** The rows of one statement as they are, and what commits change of them. */
export function LiveView({ address }: ViewProps) {
  const { db, dropSockets } = useConsole()
  const { watch, start, stop } = useLive(db)
  const { sql = '' } = address.query
  const [text, setText] = useState(sql)
  // Before the browser takes another key: what is typed into a new page would be lost.
  useLayoutEffect(() => setText(sql), [sql])
  useEffect(() => {
    if (sql === '') stop()
    else start(sql)
  }, [sql])
  const submit = (event: Event) => {
    event.preventDefault()
    const wanted = text.trim()
    if (wanted === sql && sql !== '') start(sql)
    else goTo({ view: 'live', query: wanted === '' ? {} : { sql: wanted } })
  }
  return (
    <div class="live">
      <h2 class="unseen">A subscription</h2>
      <form class="live-form" onSubmit={submit}>
        <label for="live-sql">Statement</label>
        <input
          id="live-sql"
          type="text"
          class="mono"
          placeholder="SCAN * FROM account WHERE balance < 10"
          autocomplete="off"
          spellcheck={false}
          value={text}
          onInput={({ currentTarget }) => setText(currentTarget.value)}
        />
        <button type="submit" class="first">
          Watch
        </button>
      </form>
      {watch === undefined ? (
        <p class="muted">
          One GET or SCAN: its rows, and from then on what each commit changes of them. With ORDER
          BY, LIMIT, LOOKUP or aggregates it is a list as it becomes. A SCAN of a whole table says{' '}
          <code>USE PRIMARY KEY</code>, or has no WHERE.
        </p>
      ) : (
        <Watched watch={watch} onDrop={dropSockets} onStop={() => goTo({ view: 'live' })} />
      )}
      <SubscriptionSection />
    </div>
  )
}

function Watched({
  watch,
  onDrop,
  onStop,
}: {
  readonly watch: LiveWatch
  readonly onDrop: () => void
  readonly onStop: () => void
}) {
  const { feed, error, state, isPaused, columns } = watch
  const nowMs = Date.now()
  const isOver = state === 'ended'
  return (
    <>
      <div class="row">
        <button type="button" disabled={isOver} onClick={() => watch.pause(!isPaused)}>
          {isPaused ? 'Resume' : 'Pause'}
        </button>
        <button type="button" disabled={state !== 'live'} onClick={onDrop}>
          Drop the connection
        </button>
        <button type="button" onClick={onStop}>
          Stop
        </button>
        <p role="status">{stateText(watch)}</p>
      </div>
      {error !== undefined && <Problem error={error} />}
      <dl class="answer-facts">
        <Fact name="rows" text={countText(feed.rowCount)} />
        <Fact name="changes" text={countText(feed.changeCount)} />
        <Fact name="in the last second" text={countText(feed.rate(nowMs))} />
        <Fact
          name="lag of the last"
          text={feed.lagMs === undefined ? 'none yet' : durationText(feed.lagMs)}
          title="From its stamp to this page, by the clock of this machine"
        />
      </dl>
      <div class="live-halves">
        <LiveRows feed={feed} columns={columns} nowMs={nowMs} />
        <LiveLog lines={feed.lines} isCalm={feed.rate(nowMs) < 3} />
      </div>
    </>
  )
}

function Fact({
  name,
  text,
  title,
}: {
  readonly name: string
  readonly text: string
  readonly title?: string
}) {
  return (
    <div title={title}>
      <dt>{name}</dt>
      <dd>{text}</dd>
    </div>
  )
}
