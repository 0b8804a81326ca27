// SPDX-License-Identifier: Apache-2.0
import type { ObserverFailure } from './observers.ts'

/** How the runs of one observer ended in this process, as counts. */
export class ObserverCounters {
  runs = 0
  retries = 0
  conflicts = 0
  failures = 0
  lastError: ObserverFailure | null = null
}
