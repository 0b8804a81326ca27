// SPDX-License-Identifier: Apache-2.0
import type { SecondCopyState } from '../../cells/store-replication.ts'
import type { DiskWatch } from './disk-watch.ts'
import type { ClockStatus } from './storage-status.ts'

/** What does not keep the store from serving, and an operator should see to. */
export type StorageWarning = {
  readonly code:
    | 'disk_full'
    | 'store_damaged'
    | 'no_second_copy'
    | 'clock_jumped'
    | 'clock_ahead'
    | 'timestamps_ahead'
  /** What it is, and what to do. */
  readonly detail: string
}

/** Timestamps may be ahead of the clock by a second or two after a crash. */
const AHEAD_SECONDS_MAX = 10

/** Pure: what is to be said of this state. */
export function warningsOf(
  { status: disk, pages }: Pick<DiskWatch, 'status' | 'pages'>,
  clock: ClockStatus,
  secondCopy?: SecondCopyState,
): readonly StorageWarning[] {
  const warnings: StorageWarning[] = []
  if (disk?.isFull) {
    const detail = `Writes are refused: the disk has ${disk.freeBytes} bytes left. Give it more room.`
    warnings.push({ code: 'disk_full', detail })
  }
  if (pages.isDamaged) {
    warnings.push({
      code: 'store_damaged',
      detail: 'The store is damaged. Stop the server, run percolite check, and restore a backup.',
    })
  }
  const missing = missingCopy(secondCopy)
  if (missing !== undefined) warnings.push({ code: 'no_second_copy', detail: missing })
  const offSeconds = Math.round(clock.offsetMicros / 1_000_000)
  if (offSeconds !== 0) {
    const direction = offSeconds > 0 ? 'ahead' : 'back'
    warnings.push({
      code: 'clock_jumped',
      detail: `The wall clock has jumped ${direction} by ${Math.abs(offSeconds)} s. It is followed when it has run \
evenly for a minute, unless it is over 30 days ahead.`,
    })
  }
  const othersSeconds = Math.round(clock.aheadOfOthersMicros / 1_000_000)
  if (othersSeconds > AHEAD_SECONDS_MAX) {
    warnings.push({
      code: 'clock_ahead',
      detail: `The clock of this machine is ${othersSeconds} s ahead of the other gateways, and is not followed. Set \
it right.`,
    })
  }
  const aheadSeconds = Math.round(clock.aheadMicros / 1_000_000)
  if (aheadSeconds > AHEAD_SECONDS_MAX) {
    warnings.push({
      code: 'timestamps_ahead',
      detail: `Timestamps are ${aheadSeconds} s ahead of the clock, which was ahead once. They stand nearly still until \
it has caught up; now() and retention follow the clock.`,
    })
  }
  return warnings
}

/** Undefined where a second copy is there, or none is wanted. */
function missingCopy(state: SecondCopyState | undefined): string | undefined {
  if (state === undefined || state.mode === 'none') return undefined
  const { mode, isAlone, isConnected } = state
  if (isConnected && !isAlone) return undefined
  if (isConnected)
    return 'Writes are answered without a second copy until the standby has caught up.'
  return mode === 'required'
    ? 'No standby is connected, so writes are refused. See to the standby.'
    : 'No standby is connected, so writes are answered without a second copy. See to the standby.'
}
