// SPDX-License-Identifier: Apache-2.0
import { WorkMeter } from '../../../planner/planner.ts'
import type { RunningRequest } from '../prepared/running-request.ts'

/**
 * What the expressions of one statement are paid from. No timer fires while they are evaluated, so it looks at the
 * clock, and whether the request was given up.
 */
export function statementMeter(
  running: RunningRequest,
  timeoutMs: number,
  monotonicMs: () => number,
): WorkMeter {
  const beganMs = monotonicMs()
  return new WorkMeter(() => {
    running.signal.throwIfAborted()
    if (monotonicMs() - beganMs >= timeoutMs) running.timeOut(timeoutMs)
  })
}
