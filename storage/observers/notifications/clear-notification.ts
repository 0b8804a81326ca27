// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore, CheckAndMutate } from '../../cells/cell-store.ts'
import type { CellSelector } from '../../cells/row-filter.ts'
import { eraseNotify } from '../../transactions/records/notify-cell.ts'
import { decodeStartTs, encodeStartTs } from '../../transactions/records/write-record.ts'

/** A notification that a run has seen, and committed its acknowledgment if there was something to see. */
export type SeenNotification = {
  readonly key: Uint8Array
  readonly observerId: number
  /** The start of the run. */
  readonly seenAt: Timestamp
  /** The columns of the row in which a change can notify: those of SQL, with DUE also that of the handing out. */
  readonly columns: readonly string[]
}

/**
 * Erases the notify cells whose changes have been seen. A writer that began before the run and commits after it has not
 * been seen, and its cell stands among the others:
 *
 *     notify @21, @26    write @25 -> 21    lock @26         the run of 28 has seen 25 only
 *
 * So the cells from `until` down go only if no such writer began before it: none holds a lock, and none has
 * a write record after the run. Where one is in the way, the cells older than its start go.
 *
 * Rejects with CellStoreError; repeated or late it does no harm.
 */
export async function clearNotification(
  cellStore: CellStore,
  seen: SeenNotification,
): Promise<void> {
  const all = seen.seenAt + 1
  for (let until = all, tries = 0; tries < TRIES_MAX; tries += 1) {
    if (!(await cellStore.checkAndMutateRow(seen.key, clearStep(seen, until)))) return
    const [row] = await cellStore.readRows([seen.key], unseenBefore(seen, all))
    const starts = (row?.cells ?? []).map((cell) =>
      cell.family === 'lock' ? cell.timestamp : decodeStartTs(cell.value),
    )
    until = Math.min(all, ...starts)
  }
}

/** Weak notifications are cleared whatever happens in the row: theirs is the commit of the notifier. */
export async function clearWeakNotification(
  cellStore: CellStore,
  { key, observerId, seenAt }: Omit<SeenNotification, 'columns'>,
): Promise<void> {
  await cellStore.checkAndMutateRow(key, {
    when: [],
    ifMatched: [],
    otherwise: [eraseNotify(observerId, seenAt + 1)],
    step: 'acknowledge',
  })
}

function clearStep(seen: SeenNotification, until: Timestamp): CheckAndMutate {
  return {
    when: unseenBefore(seen, until),
    ifMatched: [],
    otherwise: [eraseNotify(seen.observerId, until)],
    step: 'acknowledge',
  }
}

/**
 * The traces of writers that began before `until` and were not seen by the run. An acknowledgment is no change, and
 * is not looked at.
 */
function unseenBefore({ columns, seenAt }: SeenNotification, until: Timestamp): CellSelector[] {
  return columns.flatMap((qualifier): CellSelector[] => [
    { family: 'lock', qualifier, timestamps: { until } },
    {
      family: 'write',
      qualifier,
      timestamps: { from: seenAt + 1 },
      // A write record begins with the start of its transaction.
      values: { start: new Uint8Array(), end: encodeStartTs(until) },
    },
  ])
}

const TRIES_MAX = 4
