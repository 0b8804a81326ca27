// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { useConsole } from '../page/console-context.ts'
import { Scroll } from '../page/scroll.tsx'
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
      <Scroll label="Servers">
        <table>
          <thead>
            <tr>
              <th scope="col">address</th>
              <th scope="col">run</th>
              <th scope="col">expires</th>
              <th scope="col">oldest snapshot</th>
            </tr>
          </thead>
          <tbody>
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
          </tbody>
        </table>
      </Scroll>
    </section>
  )
}
