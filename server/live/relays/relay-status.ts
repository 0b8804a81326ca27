// SPDX-License-Identifier: Apache-2.0
import { type Storage, timeText } from '../../../storage/storage.ts'
import {
  type RelayState,
  readRelays,
  relayLagMs,
  relayStateOf,
} from '../../../storage/tables/access/access.ts'
import { inTransaction } from '../../snapshot.ts'

/** How a relay is doing, as the store has it: the same from all processes that share it. */
export type RelayStatus = {
  readonly relay: string
  readonly url: string
  readonly tables: readonly string[]
  readonly role?: string
  readonly state: RelayState
  /** How old what the receiver has is; 0 where it has everything. */
  readonly lagMs: number
  readonly position: number
  readonly sent: number
  /** Why it stopped, or what the receiver answered last. */
  readonly reason?: string
  readonly stopped?: string
  readonly tries?: number
  readonly nextTry?: string
}

/** By name. Rejects with CellStoreError. */
export async function readRelayStatus(storage: Storage): Promise<RelayStatus[]> {
  return await inTransaction(storage, { readOnly: true }, async (transaction) => {
    const relays = await readRelays(transaction)
    if (relays.length === 0) return []
    const catalog = await storage.catalog(transaction)
    const names = new Map(catalog.tables().map(({ id, name }) => [id, name]))
    return relays.map(({ relay, progress }) => {
      const { stopped, failing, position, sent } = progress
      const reason = stopped?.message ?? failing?.message
      return {
        relay: relay.name,
        url: relay.url,
        tables: relay.tables.flatMap((id) => names.get(id) ?? []),
        ...(relay.role !== undefined && { role: relay.role }),
        state: relayStateOf(progress),
        lagMs: relayLagMs(progress, transaction.now),
        position,
        sent,
        ...(reason !== undefined && { reason }),
        ...(stopped && { stopped: stopped.reason }),
        ...(failing && { tries: failing.tries, nextTry: timeText(failing.nextTryAt) }),
      }
    })
  })
}
