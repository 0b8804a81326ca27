// SPDX-License-Identifier: Apache-2.0
import { useState } from 'preact/hooks'
import type { Schemas } from '../../client-sdk/client.ts'
import { Chart } from '../page/chart.tsx'
import { useConsole, useRight } from '../page/console-context.ts'
import { NeedsRight, Problem } from '../page/problem.tsx'
import { Stamp } from '../page/stamp.tsx'
import { countText, durationText } from '../page/stamp-text.ts'
import { DeadLetters } from './dead-letters.tsx'
import { lagChart, type ObserverSample, rateChart } from './observer-samples.ts'
import {
  notifyOf,
  pauseOf,
  replayOf,
  resumeOf,
  type StatementRequest,
} from './observer-statements.ts'
import { rateText } from './observer-words.ts'
import { ReplayForm } from './replay-form.tsx'
import { RequestedStatement } from './requested-statement.tsx'
import { Schedules } from './schedules.tsx'

type Status = Schemas['ObserverStatus']

const LAG = { label: 'Lag', lineLabels: ['oldest notification'], format: durationText }
const RATES = { label: 'A second', lineLabels: ['runs', 'failures'], format: rateText }

/** One observer, with what it has given up, and the statements that it is told by. */
export function ObserverDetail({
  status,
  samples,
  onSent,
}: {
  readonly status: Status
  readonly samples: readonly ObserverSample[]
  readonly onSent: () => void
}) {
  const { db } = useConsole()
  const [requested, setRequested] = useState<StatementRequest | undefined>()
  const [said, setSaid] = useState<{ readonly sent?: string; readonly error?: unknown }>({})
  const { observer, table, weak } = status
  const ask = (statement: StatementRequest) => {
    setSaid({})
    setRequested(statement)
  }
  const retry = async (key: readonly unknown[]) => {
    try {
      const path = `/v1/tables/${encodeURIComponent(table)}`
      ask(notifyOf(observer, await db.request<Schemas['Table']>('GET', path), key))
    } catch (error) {
      setSaid({ error })
    }
  }
  const answered = async (isWanted: boolean) => {
    setRequested(undefined)
    if (!isWanted || requested === undefined) return
    try {
      await db.query(requested.sql)
      setSaid({ sent: requested.sql })
    } catch (error) {
      setSaid({ error })
    }
    onSent()
  }
  return (
    <section class="observer" aria-label={observer}>
      <h2>{observer}</h2>
      <ObserverFacts status={status} />
      <div class="charts">
        <Chart look={LAG} data={lagChart(samples)} />
        <Chart look={RATES} data={rateChart(samples)} />
      </div>
      <Buttons status={status} onAsk={ask} />
      <RequestedStatement requested={requested} onAnswer={answered} />
      {said.sent !== undefined && (
        <p role="status">
          Sent: <code>{said.sent}</code>
        </p>
      )}
      {said.error !== undefined && <Problem error={said.error} />}
      <Schedules schedules={status.schedules} onAsk={ask} />
      <DeadLetters status={status} onRetry={weak ? retry : undefined} />
    </section>
  )
}

function Buttons({
  status,
  onAsk,
}: {
  readonly status: Status
  readonly onAsk: (statement: StatementRequest) => void
}) {
  const mayDefine = useRight('define')
  const { observer, state, weak, deadLetters } = status
  if (!mayDefine) {
    return <NeedsRight right="define" what="Pausing, resuming and replaying need" />
  }
  return (
    <div class="row">
      {state === 'active' ? (
        <button type="button" onClick={() => onAsk(pauseOf(observer))}>
          Pause …
        </button>
      ) : (
        <button type="button" onClick={() => onAsk(resumeOf(status))}>
          Resume …
        </button>
      )}
      {deadLetters.count > 0 && state === 'active' && (
        <button type="button" onClick={() => onAsk(resumeOf(status))}>
          Retry all dead letters …
        </button>
      )}
      {!weak && <ReplayForm onAsk={(from) => onAsk(replayOf(observer, from))} />}
    </div>
  )
}

function ObserverFacts({ status }: { readonly status: Status }) {
  const { running, waiting, runs, retries, conflicts, failures, lastError } = status
  const counts = { running, waiting, runs, retries, conflicts, failures }
  return (
    <dl class="answer-facts">
      {Object.entries(counts).map(([name, count]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{countText(count)}</dd>
        </div>
      ))}
      {lastError !== undefined && (
        <div class="last-error">
          <dt>last error</dt>
          <dd>
            <span class="mono">{JSON.stringify(lastError.key)}</span> {lastError.error},{' '}
            <Stamp micros={lastError.timestamp} />
          </dd>
        </div>
      )}
    </dl>
  )
}
