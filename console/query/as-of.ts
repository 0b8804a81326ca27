// SPDX-License-Identifier: Apache-2.0

/** What can be read of the past, in stamps. */
export type Retention = { readonly oldest: number; readonly now: number }

/** Steps of the slider; the last one is the present. */
export const STEPS = 1_000

type StatusStamps = {
  readonly timestamp: number
  readonly safePoint: number
  readonly historyFrom: number
  readonly retentionMs: number
}

/** The oldest moment is when the database began, where that is later than what is kept. */
export function retentionOf(status: StatusStamps): Retention {
  const { timestamp, safePoint, historyFrom } = status
  const kept = timestamp - status.retentionMs * 1_000
  return { oldest: Math.min(timestamp, Math.max(safePoint, historyFrom, kept)), now: timestamp }
}

/** The stamp at a step; undefined for the present. */
export function stampAt({ oldest, now }: Retention, step: number): number | undefined {
  if (step >= STEPS) return undefined
  return Math.round(oldest + ((now - oldest) * step) / STEPS)
}

/** The step that comes next to a stamp. */
export function stepOf({ oldest, now }: Retention, stamp: number | undefined): number {
  if (stamp === undefined || now <= oldest) return STEPS
  return Math.max(0, Math.min(STEPS - 1, Math.round(((stamp - oldest) * STEPS) / (now - oldest))))
}
