// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cells/cell.ts'

/** A row that has a notify cell; what it says is a hint only. */
export type FoundNotification = {
  readonly key: Uint8Array
  /** Of the newest cell. */
  readonly timestamp: Timestamp
}

/** The notify cells of one observer that stand in the store, in rounds that each go around all of them. */
export interface NotificationSource {
  /** The next rows, and whether that was the end of a round. Rejects with CellStoreError. */
  nextPage(signal: AbortSignal): Promise<{
    readonly found: readonly FoundNotification[]
    readonly isRoundOver: boolean
  }>
}
