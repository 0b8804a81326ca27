// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'
import type { CellStore } from '../../cells/cell-store.ts'
import { noteRowKey } from '../../cells/note.ts'
import { readPlainRow, replacePlainRow } from '../../cells/plain-row.ts'
import { systemRowKey } from '../../cells/row-key.ts'
import { hasRow } from '../../cells/row-pages.ts'
import type { Clock } from '../../clock.ts'
import { intact, invariant } from '../../invariant.ts'
import { askedAgain, NEVER_ABORTED } from '../oracle/asked-again.ts'
import { sharedLogRanges } from './shared-log-row.ts'

/**
 * The two forms of the log: of a process that owns its store exclusively (`log-row.ts`), and of processes that share it
 * (`shared-log-row.ts`). A feed reads one of them, and knows nothing of what the other holds.
 */
export type LogKind = 'embedded' | 'shared'

/**
 * Which form the log has, and since when: the row `feed/begins`, one cell in `data`, qualifier `0`.
 *
 *     00 "feed/begins"   45 (E, embedded) or 53 (S, shared), then a timestamp (8 bytes)
 *
 * A store that is opened in the other form has commits that the log does not have. All of them are at or below the
 * newest timestamp of that moment, so that is where the log begins now, and a position below it is too old to continue
 * from (J12).
 */
export type FeedBegins = { readonly kind: LogKind; readonly at: Timestamp }

export const FEED_BEGINS_ROW = systemRowKey('feed/begins')
export const FEED_BEGINS_BYTES = 9

const LETTERS: Readonly<Record<LogKind, number>> = { embedded: 0x45, shared: 0x53 }

/**
 * Where the log of this kind begins; restarted at `newest` where the store had the other one. `newest` is
 * not below any timestamp given out before the store was opened. Rejects with CellStoreError.
 */
export async function openFeedBegins(
  { cellStore, clock }: { readonly cellStore: CellStore; readonly clock: Clock },
  kind: LogKind,
  newest: Timestamp,
): Promise<Timestamp> {
  return await askedAgain(clock, NEVER_ABORTED, async () => {
    for (;;) {
      const found = await readFeedBegins(cellStore)
      if (found?.kind === kind) return found.at
      const at = found === undefined && !(await hasOther(cellStore, kind)) ? 0 : newest
      invariant(at >= (found?.at ?? 0), 'J12', { at, found })
      const before = found && encodeFeedBegins(found)
      await replacePlainRow(cellStore, FEED_BEGINS_ROW, before, encodeFeedBegins({ kind, at }))
    }
  })
}

/** The row's content, or undefined if there is no such row. */
export async function readFeedBegins(cellStore: CellStore): Promise<FeedBegins | undefined> {
  const value = await readPlainRow(cellStore, FEED_BEGINS_ROW)
  return value === undefined ? undefined : decodeFeedBegins(value)
}

/** A store from before this row may have been used in either form, and perhaps in both. */
async function hasOther(cellStore: CellStore, kind: LogKind): Promise<boolean> {
  const ranges =
    kind === 'shared'
      ? [{ start: noteRowKey(0), end: systemRowKey('log/1/') }]
      : sharedLogRanges(0, Number.MAX_SAFE_INTEGER - 1)
  return await hasRow(cellStore, ranges, [
    { family: 'data' },
    { family: 'lock' },
    { family: 'write' },
  ])
}

export function encodeFeedBegins({ kind, at }: FeedBegins): Uint8Array {
  const bytes = Buffer.alloc(FEED_BEGINS_BYTES)
  bytes[0] = LETTERS[kind]
  bytes.writeBigInt64BE(BigInt(at), 1)
  return bytes
}

/** Throws on violations of J12. */
export function decodeFeedBegins(value: Uint8Array): FeedBegins {
  const bytes = Buffer.from(value)
  const kind = (Object.keys(LETTERS) as LogKind[]).find((one) => LETTERS[one] === bytes[0])
  const isSound = kind !== undefined && bytes.length === FEED_BEGINS_BYTES
  intact(isSound, 'J12', { damaged: 'feed/begins', bytes: bytes.toString('hex') })
  return { kind, at: Number(bytes.readBigInt64BE(1)) }
}
