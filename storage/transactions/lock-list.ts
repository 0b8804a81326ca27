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

export type StandingLocks = {
  readonly locks: readonly StandingLock[]
  /** Whether the whole store was looked at. */
  readonly isComplete: boolean
}

/** For so long a store is looked through: one that processes share may be of any size, with no lock in it. */
const LOOKED_MS = 5_000

/** The present locks in row order, at most `limit`, for an operator. Rejects with CellStoreError. */
export async function listLocks(
  { cellStore, liveness, clock }: Pick<ProtocolContext, 'cellStore' | 'liveness' | 'clock'>,
  limit: number,
): Promise<StandingLocks> {
  const locks: StandingLock[] = []
  const [ending, looked] = [new AbortController(), new AbortController()]
  const late = clock.sleep(LOOKED_MS, looked.signal).then(
    () => ending.abort(),
    () => undefined,
  )
  const { signal } = ending
  const scan = { start: new Uint8Array(), filter: [{ family: 'lock' }], signal } as const
  try {
    for await (const { key, cells } of cellStore.scanRows(scan)) {
      for (const cell of cells) {
        if (locks.length >= limit) return { locks, isComplete: false }
        const lock = decodeLock(cell.timestamp, cell.value)
        const address = { row: key, column: cell.qualifier }
        const isPrimary = isPrimaryOf(lock, address)
        const ownerIsDead = await liveness.isOwnerDead(lock)
        locks.push({ ...address, lock, isPrimary, ownerIsDead })
      }
    }
    return { locks, isComplete: true }
  } catch (error) {
    if (!signal.aborted) throw error
    return { locks, isComplete: false }
  } finally {
    looked.abort()
    await late
  }
}
