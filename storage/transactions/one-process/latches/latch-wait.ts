// SPDX-License-Identifier: Apache-2.0
import type { LatchOwner, LatchTable } from './latch-table.ts'

/**
 * Waits for the owner's next release, without a limit of time: it waits for the disk, which either completes the write
 * or ends the process. Rejects with the signal's reason.
 */
export async function untilReleased(
  latches: LatchTable,
  owner: LatchOwner,
  signal: AbortSignal | undefined,
): Promise<void> {
  // First, because a promise that is created and not awaited would be an unhandled rejection at the close.
  signal?.throwIfAborted()
  const released = latches.nextRelease(owner)
  if (signal === undefined) return await released
  const aborted = Promise.withResolvers<void>()
  const abort = () => aborted.reject(signal.reason)
  signal.addEventListener('abort', abort, { once: true })
  try {
    await Promise.race([released, aborted.promise])
  } finally {
    signal.removeEventListener('abort', abort)
  }
}
