// SPDX-License-Identifier: Apache-2.0
import { PlanError } from '../../../planner/planner.ts'

const LIMIT = ' Or write LIMIT n'
const LIMIT_END = 'are sorted.'
const WALK = 'or write SCAN … FROM '
const TO_WALK = 'to walk the table'

/** An error of a page of rows with a hint in the parameters of its path; any other error as it is. */
export function inPathWords(error: unknown): unknown {
  if (!(error instanceof PlanError) || error.hint === undefined) return error
  const { code, message, position, fields } = error
  return new PlanError(code, message, { position, fields, hint: hintOfPath(error.hint) })
}

/** `limit` of a path is that of a page, and sorts nothing; `order` and `index` are ORDER BY and USE. */
function hintOfPath(hint: string): string {
  const limit = hint.indexOf(LIMIT)
  const limitEnd = hint.indexOf(LIMIT_END, limit) + LIMIT_END.length
  const ordered = limit < 0 ? hint : hint.slice(0, limit) + hint.slice(limitEnd)
  const walk = ordered.indexOf(WALK)
  const toWalk = ordered.indexOf(TO_WALK, walk)
  const walked =
    walk < 0 || toWalk < 0
      ? ordered
      : `${ordered.slice(0, walk)}or say index=primary ${ordered.slice(toWalk)}`
  return walked
    .replaceAll('ORDER BY ', 'order=')
    .replaceAll('Leave out the hint', 'Leave out index=')
}
