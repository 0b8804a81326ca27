// SPDX-License-Identifier: Apache-2.0
import type { Cell, Family, Row, Timestamp } from '../../cells/cell.ts'
import { decodeLock, type LockedColumn } from '../../transactions/records/lock.ts'
import {
  decodeStartTs,
  decodeWriteRecord,
  type WrittenContent,
} from '../../transactions/records/write-record.ts'
import type { ConsistencyProblem } from './consistency-report.ts'
import { damageOf } from './damage.ts'

/** What one transaction left in a column by committing: a version, or the stamp of its guard. */
export type CommittedInterval = {
  readonly column: string
  readonly startTs: Timestamp
  readonly commitTs: Timestamp
  readonly content: WrittenContent | { readonly kind: 'guard' }
}

/** The cells of one row, read as the protocol reads them; what cannot be read is a problem. */
export type RowImage = {
  readonly key: Uint8Array
  readonly intervals: readonly CommittedInterval[]
  readonly locks: readonly LockedColumn[]
  readonly rollbacks: ReadonlyArray<{ readonly column: string; readonly startTs: Timestamp }>
  /** The newest values of each column; older ones have to be asked for. */
  readonly data: readonly Cell[]
  readonly problems: readonly ConsistencyProblem[]
}

/** Pure. */
export function readRowImage({ key, cells }: Row): RowImage {
  const problems: ConsistencyProblem[] = []
  const image = {
    key,
    intervals: [] as CommittedInterval[],
    locks: [] as LockedColumn[],
    rollbacks: [] as Array<{ column: string; startTs: Timestamp }>,
    data: [] as Cell[],
    problems,
  }
  for (const cell of cells) {
    const damage = damageOf(() => readCell(image, cell))
    if (damage === undefined) continue
    problems.push(problemAt(key, cell, damage.rule, `The record cannot be read: ${damage.message}`))
  }
  return image
}

function readCell(
  image: {
    readonly intervals: CommittedInterval[]
    readonly locks: LockedColumn[]
    readonly rollbacks: Array<{ column: string; startTs: Timestamp }>
    readonly data: Cell[]
  },
  cell: Cell,
): void {
  const { qualifier: column, timestamp, value } = cell
  switch (cell.family) {
    case 'write':
      image.intervals.push({ column, commitTs: timestamp, ...decodeWriteRecord(value) })
      return
    case 'guard': {
      const startTs = decodeStartTs(value)
      image.intervals.push({ column, commitTs: timestamp, startTs, content: { kind: 'guard' } })
      return
    }
    case 'lock':
      image.locks.push({ column, lock: decodeLock(timestamp, value) })
      return
    case 'rollback':
      image.rollbacks.push({ column, startTs: timestamp })
      return
    case 'data':
      image.data.push(cell)
  }
}

export function problemAt(
  row: Uint8Array,
  cell: { readonly family: Family; readonly qualifier: string; readonly timestamp: Timestamp },
  rule: string,
  message: string,
): ConsistencyProblem {
  const { family, qualifier: column, timestamp } = cell
  return { rule, row, cell: { family, column, timestamp }, message }
}

/** The cell in which an interval is recorded. */
export function cellOfInterval({ column, commitTs, content }: CommittedInterval) {
  const family = content.kind === 'guard' ? 'guard' : 'write'
  return { family, qualifier: column, timestamp: commitTs } as const
}
