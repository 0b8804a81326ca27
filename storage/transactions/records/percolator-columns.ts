// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { DeleteFromColumn, SetCell } from '../../cells/mutation.ts'
import type { CellSelector } from '../../cells/row-filter.ts'
import { endOfPrefix } from '../../cells/row-key.ts'
import { encodeLock, type Lock } from './lock.ts'
import { encodeStartTs, encodeWriteRecord, type WriteRecord } from './write-record.ts'

/**
 * Where Percolator keeps a column c (Percolator 2.2, Figure 5), in the words of the cell store.
 * Bob has 10 and Joe has 2; the transaction that starts at 7 moves 7 from Bob to Joe and commits at 8:
 *
 *              data       lock                 write            rollback   guard
 *     bob  8                                   8 -> 7
 *          7   7 (=3)     (erased at commit)
 *          6                                   6 -> 5
 *          5   5 (=10)
 *     joe  7              7, primary = bob
 *
 * Joe's lock is still there: a process that meets it reads Bob's row, finds "8 -> 7" there, and writes the same record
 * for Joe. Short values skip the data cell: the lock carries them, and then the write record does.
 *
 * `startTs` and `commitTs` are the two timestamps of a transaction. Every function here is pure: it
 * builds the selectors of a predicate or the mutations of a step.
 */

/** A lock that hides a snapshot at `readTs`: one taken at or before it. */
export const locksUpTo = (column: string, readTs: Timestamp): CellSelector => ({
  family: 'lock',
  qualifier: column,
  timestamps: { until: readTs + 1 },
})

export const anyLock = (column: string): CellSelector => ({ family: 'lock', qualifier: column })

export const lockOf = (column: string, startTs: Timestamp): CellSelector => ({
  family: 'lock',
  qualifier: column,
  timestamps: { from: startTs, until: startTs + 1 },
})

/** The locks of one transaction on all columns of a row, its row group (I1), and the notify cells set with them. */
export const rowGroupOf = (startTs: Timestamp): CellSelector[] => [
  { family: 'lock', timestamps: { from: startTs, until: startTs + 1 } },
  { family: 'notify', timestamps: { from: startTs, until: startTs + 1 } },
]

/** Exactly this lock, unchanged: a heartbeat in between makes the condition fail. */
export const exactLock = (column: string, startTs: Timestamp, bytes: Uint8Array): CellSelector => ({
  ...lockOf(column, startTs),
  values: { start: bytes, end: Buffer.concat([bytes, Uint8Array.of(0)]) },
})

export const newestWriteUpTo = (column: string, readTs: Timestamp): CellSelector => ({
  family: 'write',
  qualifier: column,
  timestamps: { until: readTs + 1 },
  newest: 1,
})

export const writesFrom = (column: string, startTs: Timestamp): CellSelector => ({
  family: 'write',
  qualifier: column,
  timestamps: { from: startTs },
})

export const guardsFrom = (column: string, startTs: Timestamp): CellSelector => ({
  family: 'guard',
  qualifier: column,
  timestamps: { from: startTs },
})

/** The write record by which the transaction committed this column, at whatever commitTs. */
export const writeRecordOf = (column: string, startTs: Timestamp): CellSelector => {
  const start = encodeStartTs(startTs)
  const end = endOfPrefix(start)
  return {
    family: 'write',
    qualifier: column,
    timestamps: { from: startTs + 1 },
    values: end === undefined ? { start } : { start, end },
  }
}

export const rollbackOf = (column: string, startTs: Timestamp): CellSelector => ({
  family: 'rollback',
  qualifier: column,
  timestamps: { from: startTs, until: startTs + 1 },
})

/**
 * The value cell that a snapshot at `readTs` most likely points at: the intervals from start to
 * commit of a column's writers are disjoint, so only a cell left over by an unfinished transaction
 * can be newer.
 */
export const newestDataUpTo = (column: string, readTs: Timestamp): CellSelector => ({
  family: 'data',
  qualifier: column,
  timestamps: { until: readTs + 1 },
  newest: 1,
})

/** At most one cell, which a store that knows this finds faster than a list of cells. */
export const dataOf = (column: string, startTs: Timestamp): CellSelector => ({
  family: 'data',
  qualifier: column,
  timestamps: { from: startTs, until: startTs + 1 },
  newest: 1,
})

export const setData = (column: string, startTs: Timestamp, value: Uint8Array): SetCell => ({
  kind: 'setCell',
  family: 'data',
  qualifier: column,
  timestamp: startTs,
  value,
})

export const setLock = (column: string, lock: Lock): SetCell => ({
  kind: 'setCell',
  family: 'lock',
  qualifier: column,
  timestamp: lock.startTs,
  value: encodeLock(lock),
})

export const setWrite = (column: string, commitTs: Timestamp, record: WriteRecord): SetCell => ({
  kind: 'setCell',
  family: 'write',
  qualifier: column,
  timestamp: commitTs,
  value: encodeWriteRecord(record),
})

export const setGuard = (
  column: string,
  stamps: { startTs: Timestamp; commitTs: Timestamp },
): SetCell => ({
  kind: 'setCell',
  family: 'guard',
  qualifier: column,
  timestamp: stamps.commitTs,
  value: encodeStartTs(stamps.startTs),
})

export const setRollback = (
  column: string,
  startTs: Timestamp,
  writtenBy: Uint8Array,
): SetCell => ({
  kind: 'setCell',
  family: 'rollback',
  qualifier: column,
  timestamp: startTs,
  value: writtenBy,
})

/** Only the newest guard stamp matters to a conflict check, so each commit erases older ones. */
export const eraseGuardsBefore = (column: string, commitTs: Timestamp): DeleteFromColumn => ({
  kind: 'deleteFromColumn',
  family: 'guard',
  qualifier: column,
  timestamps: { until: commitTs },
})

export const eraseLock = (column: string, startTs: Timestamp): DeleteFromColumn => ({
  kind: 'deleteFromColumn',
  family: 'lock',
  qualifier: column,
  timestamps: { from: startTs, until: startTs + 1 },
})

export const eraseData = (column: string, startTs: Timestamp): DeleteFromColumn => ({
  kind: 'deleteFromColumn',
  family: 'data',
  qualifier: column,
  timestamps: { from: startTs, until: startTs + 1 },
})
