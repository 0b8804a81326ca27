// SPDX-License-Identifier: Apache-2.0
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import { paidIdentityOf } from '../expressions/value-work.ts'
import { NODE_UNITS, type WorkMeter } from '../expressions/work-meter.ts'

/** What a group is found by: equal exactly when all values are, NULL being equal to NULL. */
export function groupKeyOf(
  types: readonly SqlType[],
  values: readonly SqlValue[],
  work: WorkMeter,
): SqlValue {
  work.spend(NODE_UNITS * types.length)
  const identities = types.map((type, index) =>
    paidIdentityOf(type, values[index] as SqlValue, work),
  )
  return identities.length === 1 ? (identities[0] as SqlValue) : identities.map(textOf).join('')
}

/** A text tells its length first, so that no two lists of values are written alike. */
function textOf(identity: SqlValue): string {
  if (identity === null) return '~'
  return typeof identity === 'string' ? `${identity.length}:${identity}` : `${identity};`
}
