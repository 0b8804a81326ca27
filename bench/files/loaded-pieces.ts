// SPDX-License-Identifier: Apache-2.0
import type { Surroundings } from '../harness/experiment.ts'
import type { StoreRecord } from '../stores/store.ts'
import { recordPieces } from '../ycsb/loaded-store.ts'

/** `recordPieces`, and says how many records have been taken. Throws when the signal is aborted. */
export function* loadedPieces(
  rows: number,
  { say, signal }: Pick<Surroundings, 'say' | 'signal'>,
  fieldLength?: number,
): Iterable<readonly StoreRecord[]> {
  let loaded = 0
  for (const piece of recordPieces(rows, fieldLength)) {
    signal.throwIfAborted()
    yield piece
    loaded += piece.length
    say(`${loaded.toLocaleString('en')} of ${rows.toLocaleString('en')} rows`)
  }
}
