// SPDX-License-Identifier: Apache-2.0
import {
  columnPosition,
  type IndexDefinition,
  type ObserverDefinition,
  type TableDefinition,
} from './table-definition.ts'

/**
 * What waits for its time, of an observer DUE: an index by that time, in the space of its own id, which no other index
 * has. An entry is made, moved and deleted with its row as those of any index are (T4). It goes when the row is handed
 * out: in the same transaction the row says in the column `due/<observer>` for which time that was.
 *
 *     close (state, ends) DUE ends, observer 9:
 *     the row (7, 'open', 12:00)                   entry 12:00 7
 *     SET ends = 13:00                             delete 12:00 7, put 13:00 7
 *     SET ends = NULL, or DELETE                   delete 13:00 7
 *     13:00 has passed                             delete 13:00 7, put "due/9" 13:00 in row 7
 *
 * A SET of one of the columns that are watched puts the entry also where the time stays.
 */
export function dueIndexOf(observer: DueObserver): IndexDefinition {
  let index = INDEXES.get(observer)
  if (index === undefined) {
    index = {
      id: observer.id,
      name: observer.name,
      unique: false,
      parts: [{ columnId: observer.due, descending: false }],
      storing: [],
      state: observer.isBackfilled ? 'ready' : 'building',
      isDue: true,
    }
    INDEXES.set(observer, index)
  }
  return index
}

/** Definitions are kept with the catalog and do not change. */
const INDEXES = new WeakMap<ObserverDefinition, IndexDefinition>()

export type DueObserver = ObserverDefinition & { readonly due: number }

export function isDue(observer: ObserverDefinition): observer is DueObserver {
  return observer.due !== undefined
}

/** Those of the observers that a change of these columns concerns; of all when none are given. */
export function dueIndexes(
  table: TableDefinition,
  columns?: readonly number[],
): readonly IndexDefinition[] {
  return table.observers
    .filter(isDue)
    .filter((observer) => columns === undefined || isWatched(table, observer, columns))
    .map(dueIndexOf)
}

/** Whether the observer watches one of the columns at these positions. */
export function isWatched(
  table: TableDefinition,
  observer: ObserverDefinition,
  positions: readonly number[],
): boolean {
  return observer.columns.some((id) => positions.includes(columnPosition(table, id)))
}
