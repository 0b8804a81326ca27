// SPDX-License-Identifier: Apache-2.0
import { useRef } from 'preact/hooks'
import type { Schemas } from '../../client-sdk/client.ts'
import { Chart } from '../page/chart.tsx'
import { useConsole } from '../page/console-context.ts'
import { Problem } from '../page/problem.tsx'
import { bytesText, countText, durationText } from '../page/stamp-text.ts'
import { usePolling } from '../page/use-polling.ts'
import { CheckSection } from './check-section.tsx'
import { Facts } from './facts.tsx'
import { GatewaySection } from './gateway-section.tsx'
import { LockSection } from './lock-section.tsx'
import { RetentionSection } from './retention-section.tsx'
import { RunningSection } from './running-section.tsx'
import { chartOf, NO_SAMPLES, type Samples, sampled } from './samples.ts'
import { storeFacts } from './store-facts.ts'

type Status = Schemas['Status']

const STATUS_EVERY_MS = 2_000

const LAG = { label: 'Feed lag', lineLabels: ['lag'], format: durationText }
const OPEN = {
  label: 'Open',
  lineLabels: ['transactions', 'sockets', 'subscriptions'],
  format: countText,
}
const CONFLICTS = { label: 'Conflicts', lineLabels: ['since the look before'], format: countText }
const LOG = { label: 'Log', lineLabels: ['bytes'], format: bytesText }

/** How the server is doing, as long as somebody looks. */
export function StatusView() {
  const { db } = useConsole()
  const samples = useRef<Samples>(NO_SAMPLES)
  const before = useRef<number | undefined>(undefined)
  const { value: status, error } = usePolling(async (signal) => {
    const answer = await db.request<Status>('GET', '/v1/status', undefined, { signal })
    const { timestamp, feedLagMs, openTransactions, sockets, subscriptions, conflicts } = answer
    const { disk } = answer
    const newConflicts = Math.max(0, conflicts - (before.current ?? conflicts))
    before.current = conflicts
    const figures = [feedLagMs, openTransactions, sockets, subscriptions, newConflicts]
    const all = [...figures, disk?.logBytes]
    samples.current = sampled(samples.current, timestamp / 1_000_000, all)
    return answer
  }, STATUS_EVERY_MS)
  if (status === undefined) {
    return error === undefined ? <p class="notice">Asking …</p> : <Problem error={error} />
  }
  return (
    <div class="status">
      {error !== undefined && <Problem error={error} />}
      <Warnings warnings={status.warnings} />
      <section>
        <h2>Store</h2>
        <Facts facts={storeFacts(status)} />
      </section>
      <section>
        <h2>While you look</h2>
        <div class="charts">
          <Chart look={LAG} data={chartOf(samples.current, 0)} />
          <Chart look={OPEN} data={chartOf(samples.current, 1, 2, 3)} />
          <Chart look={CONFLICTS} data={chartOf(samples.current, 4)} />
          {status.disk !== undefined && <Chart look={LOG} data={chartOf(samples.current, 5)} />}
        </div>
      </section>
      <RetentionSection status={status} />
      <IndexBuilds builds={status.indexBuilds} />
      <RunningSection />
      <LockSection />
      <GatewaySection />
      <CheckSection />
    </div>
  )
}

function Warnings({ warnings }: { readonly warnings: Status['warnings'] }) {
  if (warnings.length === 0) return null
  return (
    <section class="problem" role="alert">
      {warnings.map(({ code, detail }) => (
        <p key={code}>
          <code class="code">{code}</code>
          {detail}
        </p>
      ))}
    </section>
  )
}

function IndexBuilds({ builds }: { readonly builds: Status['indexBuilds'] }) {
  if (builds.length === 0) return null
  return (
    <section>
      <h2>Indexes that are being built</h2>
      <Facts
        facts={builds.map(({ table, index, rowsDone }) => ({
          name: `${index} on ${table}`,
          text: `${countText(rowsDone)} rows`,
        }))}
      />
    </section>
  )
}
