// SPDX-License-Identifier: Apache-2.0
import type { Heartbeat } from '../protocol/liveness.ts'
import type { ProtocolContext } from '../protocol/protocol-context.ts'
import { lockOf, setLock } from '../records/percolator-columns.ts'
import type { WriteSet } from './write-set.ts'

/**
 * Renews the wall time in the primary lock. Conditional on the lock: a heartbeat that came late and
 * unconditionally would put back the lock of a transaction that has been rolled back.
 */
export function primaryHeartbeat(context: ProtocolContext, writeSet: WriteSet): Heartbeat {
  const { primary, primaryColumn, startTs } = writeSet
  const found = primary.columns.find(({ column }) => column === primaryColumn)
  return async () => {
    if (found === undefined) return
    const lock = { ...found.lock, wallMicros: context.liveness.wallMicros() }
    await context.cellStore.checkAndMutateRow(primary.row, {
      when: [lockOf(primaryColumn, startTs)],
      ifMatched: [setLock(primaryColumn, lock)],
      otherwise: [],
    })
  }
}
