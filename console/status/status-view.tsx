// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { useConsole } from '../page/console-context.ts'
import { Problem } from '../page/problem.tsx'
import { usePolling } from '../page/use-polling.ts'
import { Facts } from './facts.tsx'
import { storeFacts } from './store-facts.ts'

type Status = Schemas['Status']

const STATUS_EVERY_MS = 2_000

/** How the server is doing. */
export function StatusView() {
  const { db } = useConsole()
  const { value: status, error } = usePolling(
    (signal) => db.request<Status>('GET', '/v1/status', undefined, { signal }),
    STATUS_EVERY_MS,
  )
  return (
    <div class="status">
      {error !== undefined && <Problem error={error} />}
      {status !== undefined && (
        <section>
          <h2>Store</h2>
          <Facts facts={storeFacts(status)} />
        </section>
      )}
    </div>
  )
}
