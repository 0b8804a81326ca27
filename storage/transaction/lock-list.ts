// SPDX-License-Identifier: Apache-2.0
import type { ProtocolContext } from './protocol/protocol-context.ts'
import { decodeLock, isPrimaryOf, type Lock } from './records/lock.ts'

export type StandingLock = {
  readonly row: Uint8Array
  readonly column: string
  readonly lock: Lock
  readonly isPrimary: boolean
  readonly ownerIsDead: boolean
}

/** The present locks in row order, at most `limit`, for an operator. */
export async function listLocks(
  { cellStore, liveness }: Pick<ProtocolContext, 'cellStore' | 'liveness'>,
  limit: number,
): Promise<StandingLock[]> {
  const standing: StandingLock[] = []
  const locks = { start: new Uint8Array(), filter: [{ family: 'lock' }] } as const
  for await (const { key, cells } of cellStore.scanRows(locks)) {
    if (standing.length >= limit) break
    for (const cell of cells) {
      const lock = decodeLock(cell.timestamp, cell.value)
      const address = { row: key, column: cell.qualifier }
      standing.push({
        ...address,
        lock,
        isPrimary: isPrimaryOf(lock, address),
        ownerIsDead: await liveness.isOwnerDead(lock),
      })
    }
  }
  return standing.slice(0, limit)
}
