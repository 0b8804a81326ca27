// SPDX-License-Identifier: Apache-2.0
import type { Duration } from '../../parser/ast.ts'
import type { Timestamp } from '../../storage/storage.ts'
import { PlanError } from '../plan-error.ts'

const MINUTE_MICROS = 60_000_000

/** When so much time has passed since `now`. Throws PlanError `out_of_range`, in these words. */
export function endOf(
  now: Timestamp,
  { minutes, position }: Duration,
  { minutesMax, words }: { readonly minutesMax: bigint; readonly words: string },
): Timestamp {
  if (minutes >= 1n && minutes <= minutesMax) return now + Number(minutes) * MINUTE_MICROS
  throw new PlanError('out_of_range', words, { position })
}
