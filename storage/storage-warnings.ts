// SPDX-License-Identifier: Apache-2.0
import type { DiskStatus } from './disk-watch.ts'

/** What does not keep the store from serving, and an operator should see to. */
export type StorageWarning = {
  readonly code: 'disk_full'
  /** What it is, and what to do. */
  readonly detail: string
}

/** Pure: what is to be said of this state. */
export function warningsOf(disk: DiskStatus | undefined): readonly StorageWarning[] {
  if (disk?.isFull !== true) return []
  const detail = `Writes are refused: the disk has ${disk.freeBytes} bytes left. Give it more room.`
  return [{ code: 'disk_full', detail }]
}
