// SPDX-License-Identifier: Apache-2.0
import type { Row } from '../../cells/cell.ts'
import { decodeAck, observerOfAck } from '../../observers/notifications/acknowledgment.ts'
import { decodeNotify } from '../../transactions/records/notify-cell.ts'
import type { ConsistencyProblem } from './consistency-report.ts'
import { damageOf } from './damage.ts'
import { cellOfInterval, problemAt, type RowImage } from './row-image.ts'
import type { RowMeaning } from './row-meaning.ts'

/**
 * Pure. O2: a notify cell stands in a row of a table, is of an observer that has been there once, and tells
 * of a transaction that began no later than the cell was written. Whether there is something to observe
 * is no question of right and wrong: a cell is a hint.
 */
export function checkNotifications(
  { key, cells }: Row,
  meaning: RowMeaning,
  nextId: number,
): ConsistencyProblem[] {
  const problems: ConsistencyProblem[] = []
  for (const cell of cells) {
    if (cell.family !== 'notify') continue
    const found = (message: string) => problems.push(problemAt(key, cell, 'O2', message))
    if (meaning.kind !== 'table') found('Only rows of tables are observed.')
    const damage = damageOf(() => {
      const { observerId, timestamp, changedBy } = decodeNotify(cell)
      if (observerId >= nextId) found(`There has never been observer ${observerId}.`)
      if (changedBy > timestamp) found(`It tells of a transaction of ${changedBy}, after itself.`)
    })
    if (damage !== undefined) found(`The cell cannot be read: ${damage.message}`)
  }
  return problems
}

/** Pure. O3: a run acknowledges what was committed up to its own start. */
export function checkAcknowledgments({ key, intervals }: RowImage): ConsistencyProblem[] {
  return intervals.flatMap((interval) => {
    const { column, startTs, content } = interval
    if (observerOfAck(column) === undefined || content.kind !== 'inline') return []
    // One that cannot be read is a problem of its value.
    if (content.value.length !== 8 || decodeAck(content.value) === startTs) return []
    const acknowledged = decodeAck(content.value)
    const message = `The run that began at ${startTs} acknowledges what is up to ${acknowledged}.`
    return [problemAt(key, cellOfInterval(interval), 'O3', message)]
  })
}
