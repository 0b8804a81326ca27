// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { readTransactionStatus } from '../../transactions/percolator/transaction-status.ts'
import type { WrittenContent } from '../../transactions/records/write-record.ts'
import { type RowImage, readRowImage } from './row-image.ts'

export type CommittedValue = {
  readonly commitTs: Timestamp
  /** Null: deleted, or its bytes are missing. */
  readonly value: Uint8Array | null
}

/**
 * What a row's column holds now, without changing anything: an ordinary read would settle the locks
 * that it meets. A lock counts when its primary is committed. For rows that are few and small.
 * Violations of I3, I5 and I6 come as InvariantViolation.
 */
export async function readCommittedValue(
  cellStore: CellStore,
  key: Uint8Array,
  column: string,
): Promise<CommittedValue | null> {
  const [row] = await cellStore.readRows(
    [key],
    [
      { family: 'lock', qualifier: column },
      { family: 'write', qualifier: column },
      { family: 'data', qualifier: column },
    ],
  )
  if (row == null) return null
  const image = readRowImage(row)
  for (const { lock } of image.locks) {
    const status = await readTransactionStatus(cellStore, lock)
    if (status.kind !== 'committed' || lock.content.kind === 'guard') continue
    return { commitTs: status.commitTs, value: valueOfContent(image, lock.startTs, lock.content) }
  }
  for (const { startTs, commitTs, content } of image.intervals) {
    if (content.kind !== 'guard')
      return { commitTs, value: valueOfContent(image, startTs, content) }
  }
  return null
}

function valueOfContent(
  image: RowImage,
  startTs: Timestamp,
  content: WrittenContent,
): Uint8Array | null {
  if (content.kind === 'inline') return content.value
  if (content.kind === 'delete') return null
  return image.data.find((cell) => cell.timestamp === startTs)?.value ?? null
}
