// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { useConsole } from '../page/console-context.ts'
import { ListTable } from '../page/lists/list-table.tsx'
import { Stamp } from '../page/stamp.tsx'
import { usePolling } from '../page/use-polling.ts'

const GATEWAYS_EVERY_MS = 10_000

/** Servers that share the store; nothing where it is this one's own. */
export function GatewaySection() {
  const { db } = useConsole()
  const { value } = usePolling(
    (signal) => db.request<Schemas['GatewayList']>('GET', '/v1/gateways', undefined, { signal }),
    GATEWAYS_EVERY_MS,
  )
  if (value === undefined || value.gateways.length === 0) return null
  return (
    <section>
      <h2>Servers over this store</h2>
      <ListTable label="Servers" heads={['address', 'run', 'expires', 'oldest snapshot']}>
        {value.gateways.map(({ incarnation, url, isThis, expiresAt, oldestSnapshot }) => (
          <tr key={incarnation}>
            <td>
              {url} {isThis && <strong>this one</strong>}
            </td>
            <td class="mono">{incarnation.slice(0, 8)}</td>
            <td>
              <Stamp micros={expiresAt} />
            </td>
            <td>{oldestSnapshot === undefined ? 'none' : <Stamp micros={oldestSnapshot} />}</td>
          </tr>
        ))}
      </ListTable>
    </section>
  )
}
