// SPDX-License-Identifier: Apache-2.0
import { useRef, useState } from 'preact/hooks'
import type { Schemas } from '../../client-sdk/client.ts'
import { Chart } from '../page/chart.tsx'
import { useConsole } from '../page/console-context.ts'
import { type Head, ListTable } from '../page/lists/list-table.tsx'
import { Problem } from '../page/problem.tsx'
import { countText, durationText } from '../page/stamp-text.ts'
import { usePolling } from '../page/use-polling.ts'
import type { StatementRequest } from './observer-statements.ts'
import { rateText } from './observer-words.ts'
import {
  failedChart,
  type RelaySample,
  type RelaySamples,
  relayLagChart,
  sampledRelays,
  sentChart,
} from './relay-samples.ts'
import { isLate, pauseRelayOf, resumeRelayOf } from './relay-statements.ts'
import { RequestedStatement } from './requested-statement.tsx'

type Status = Schemas['RelayStatus']

const LOOK_EVERY_MS = 2_000
const NONE: RelaySamples = new Map()
const LAG = { label: 'Lag', lineLabels: ['of the receiver'], format: durationText }
const SENT = { label: 'A second', lineLabels: ['messages sent'], format: rateText }
const FAILED = { label: 'Failed', lineLabels: ['tries of a message'], format: countText }
const HEADS: readonly Head[] = [
  'relay',
  'tables',
  'to',
  'rows of',
  'state',
  { number: 'lag' },
  { number: 'sent' },
  'reason',
  { unseen: 'actions' },
]

/** What is sent to other systems, for those who may know it. */
export function RelaysSection() {
  const { db } = useConsole()
  const [requested, setRequested] = useState<StatementRequest | undefined>()
  const [failure, setFailure] = useState<unknown>()
  const [wanted, setWanted] = useState<string | undefined>()
  const samples = useRef<RelaySamples>(NONE)
  const { value, error, now } = usePolling(async (signal) => {
    const list = await db.request<Schemas['RelayList']>('GET', '/v1/relays', undefined, { signal })
    samples.current = sampledRelays(samples.current, list.relays, Date.now())
    return list
  }, LOOK_EVERY_MS)
  const answered = async (isWanted: boolean) => {
    setRequested(undefined)
    setFailure(undefined)
    if (isWanted && requested !== undefined) await db.query(requested.sql).catch(setFailure)
    now()
  }
  if (value === undefined) return error === undefined ? null : <Problem error={error} />
  if (value.relays.length === 0) return null
  return (
    <div class="relays">
      <h2>Relays</h2>
      {error !== undefined && <Problem error={error} />}
      <ListTable label="Relays" heads={HEADS}>
        {value.relays.map((status) => (
          <RelayRow
            key={status.relay}
            status={status}
            retentionMs={value.retentionMs}
            isChosen={status.relay === wanted}
            onChoose={setWanted}
            onAsk={setRequested}
          />
        ))}
      </ListTable>
      {wanted !== undefined && (
        <RelayCharts relay={wanted} samples={samples.current.get(wanted) ?? []} />
      )}
      <RequestedStatement requested={requested} onAnswer={answered} />
      {failure !== undefined && <Problem error={failure} />}
    </div>
  )
}

/** As the page has seen it since it looks. */
function RelayCharts({
  relay,
  samples,
}: {
  readonly relay: string
  readonly samples: readonly RelaySample[]
}) {
  return (
    <section class="charts" aria-label={relay}>
      <Chart look={LAG} data={relayLagChart(samples)} />
      <Chart look={SENT} data={sentChart(samples)} />
      <Chart look={FAILED} data={failedChart(samples)} />
    </section>
  )
}

function RelayRow({
  status,
  retentionMs,
  isChosen,
  onChoose,
  onAsk,
}: {
  readonly status: Status
  readonly retentionMs: number
  readonly isChosen: boolean
  readonly onChoose: (relay: string | undefined) => void
  readonly onAsk: (statement: StatementRequest) => void
}) {
  const { relay, url, tables, role, state, lagMs, sent, reason } = status
  const isGoing = state === 'sending' || state === 'failing'
  const statement = isGoing ? pauseRelayOf(relay) : resumeRelayOf(status)
  return (
    <tr class={isChosen ? 'chosen' : undefined}>
      <td>
        <button
          type="button"
          aria-pressed={isChosen}
          onClick={() => onChoose(isChosen ? undefined : relay)}
        >
          {relay}
        </button>
      </td>
      <td>{tables.join(', ')}</td>
      <td class="mono">{url}</td>
      <td>{role ?? <span class="muted">all</span>}</td>
      <td class={state === 'sending' ? undefined : 'bad'}>{state}</td>
      <td class={isLate(status, retentionMs) ? 'number bad' : 'number'}>{durationText(lagMs)}</td>
      <td class="number">{countText(sent)}</td>
      <td>{reason ?? <span class="muted">none</span>}</td>
      <td>
        <button
          type="button"
          aria-label={`${isGoing ? 'Pause' : 'Resume'} ${relay} …`}
          onClick={() => onAsk(statement)}
        >
          {isGoing ? 'Pause …' : 'Resume …'}
        </button>
      </td>
    </tr>
  )
}
