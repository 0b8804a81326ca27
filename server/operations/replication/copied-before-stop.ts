// SPDX-License-Identifier: Apache-2.0
import type { Clock, Storage } from '../../../storage/storage.ts'
import type { RunningRequests } from '../../requests/prepared/running-requests.ts'

/** How often a stopping server looks whether all that runs has its second copy. */
const LOOK_MS = 20

/**
 * What runs may commit, and is answered only when a standby has that: it follows until then. Resolves to how many
 * milliseconds that took, at most `msMax`; 0 where nothing waits for a second copy.
 */
export async function copiedBeforeStop(
  { storage, clock }: { readonly storage: Pick<Storage, 'primary'>; readonly clock: Clock },
  requests: Pick<RunningRequests, 'list'>,
  msMax: number,
): Promise<number> {
  if (storage.primary === undefined || storage.primary.secondCopy.mode === 'none') return 0
  const beganMs = clock.monotonicMs()
  const tookMs = () => clock.monotonicMs() - beganMs
  while (requests.list().length > 0 && tookMs() < msMax) await clock.sleep(LOOK_MS)
  return tookMs()
}
