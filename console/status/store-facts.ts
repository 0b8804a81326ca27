// SPDX-License-Identifier: Apache-2.0
import type { Schemas } from '../../client-sdk/client.ts'
import { bytesText, countText, durationText, stampText } from '../page/stamp-text.ts'

export type Fact = {
  readonly name: string
  readonly text: string
  readonly title?: string
  /** Something that an operator should see to. */
  readonly isBad?: boolean
}

/** What `GET /v1/status` says of the server and its store. */
export function storeFacts(status: Schemas['Status']): Fact[] {
  const { disk } = status
  return [
    { name: 'version', text: status.version },
    { name: 'engine', text: status.engine },
    { name: 'up for', text: durationText(status.uptimeSeconds * 1_000) },
    { name: 'time of the store', text: stampText(status.timestamp) },
    { name: 'feed lag', text: durationText(status.feedLagMs) },
    { name: 'open transactions', text: countText(status.openTransactions) },
    { name: 'written, not committed', text: bytesText(status.bufferedBytes) },
    ...(disk === undefined
      ? []
      : [
          { name: 'data', text: bytesText(disk.storeBytes) },
          { name: 'log', text: bytesText(disk.logBytes) },
          {
            name: 'free on the disk',
            text: `${bytesText(disk.freeBytes)} of ${bytesText(disk.sizeBytes)}`,
            isBad: disk.isFull,
          },
        ]),
  ]
}
