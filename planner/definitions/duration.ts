// SPDX-License-Identifier: Apache-2.0
import type { Duration } from '../../parser/ast.ts'
import type { Timestamp } from '../../storage/storage.ts'
import { PlanError } from '../plan-error.ts'

const MS_MICROS = 1_000
const MINUTE_MS = 60_000n

/** When so much time has passed since `now`. Throws PlanError `out_of_range`, in these words. */
export function endOf(
  now: Timestamp,
  { ms, position }: Duration,
  { minutesMax, words }: { readonly minutesMax: bigint; readonly words: string },
): Timestamp {
  if (ms >= MINUTE_MS && ms <= minutesMax * MINUTE_MS) return now + Number(ms) * MS_MICROS
  throw new PlanError('out_of_range', words, { position })
}
