// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { useConsole } from '../page/console-context.ts'
import { Problem } from '../page/problem.tsx'
import { countText } from '../page/stamp-text.ts'
import { usePolling } from '../page/use-polling.ts'
import { ActivitySection } from './activity-section.tsx'
import { CheckSection } from './check-section.tsx'
import { Facts } from './facts.tsx'
import { GatewaySection } from './gateway-section.tsx'
import { RetentionSection } from './retention-section.tsx'
import { StatementsSection } from './statements-section.tsx'
import { storeFacts } from './store-facts.ts'

type Status = Schemas['Status']

const STATUS_EVERY_MS = 2_000

/** How the server is doing, as long as somebody looks. */
export function StatusView() {
  const { db } = useConsole()
  const { value: status, error } = usePolling(
    (signal) => db.request<Status>('GET', '/v1/status', undefined, { signal }),
    STATUS_EVERY_MS,
  )
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
      <ActivitySection />
      <StatementsSection isCounting={status.statementStatistics} />
      <RetentionSection status={status} />
      <IndexBuilds builds={status.indexBuilds} />
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
