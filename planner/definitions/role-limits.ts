// SPDX-License-Identifier: Apache-2.0
import type { ChangedLimit } from '../../parser/ast.ts'
import {
  type AccessRole,
  changedLimits,
  ROLE_LIMITS,
  type RoleLimit,
  roleLimitMax,
} from '../../storage/tables/access/access.ts'
import { durationText } from '../limits-text.ts'
import { PlanError } from '../plan-error.ts'
import { suggestion } from '../unknown-name.ts'

/** The role with what `ALTER ROLE … LIMIT` changes of it. Throws PlanError `invalid_request` and `out_of_range`. */
export function withLimits(role: AccessRole, changed: readonly ChangedLimit[]): AccessRole {
  const changes = new Map<RoleLimit, number | undefined>()
  for (const each of changed) {
    const limit = limitOf(each, changes)
    changes.set(limit, figureOf(limit, each))
  }
  const { limits: before = {}, ...rest } = role
  const limits = changedLimits(before, changes)
  return Object.keys(limits).length === 0 ? rest : { ...rest, limits }
}

function limitOf(
  { limit: { text, position } }: ChangedLimit,
  before: ReadonlyMap<RoleLimit, unknown>,
): RoleLimit {
  const limit = ROLE_LIMITS.find((known) => known === text.toLowerCase())
  if (limit === undefined) {
    const { hint = `The limits of a role are ${ROLE_LIMITS.join(', ')}.`, fields } = suggestion(
      text,
      ROLE_LIMITS,
      { limit: text },
    )
    const message = `A role has no limit ${text}.`
    throw new PlanError('invalid_request', message, { position, hint, fields })
  }
  if (!before.has(limit)) return limit
  throw new PlanError('invalid_request', `The limit ${limit} is given twice.`, { position })
}

/** Undefined takes the limit off. */
function figureOf(
  limit: RoleLimit,
  { limit: { position }, figure, isDuration }: ChangedLimit,
): number | undefined {
  if (figure === 'none') return undefined
  const isOfTime = limit === 'statement'
  if (isDuration !== isOfTime) {
    throw new PlanError('invalid_request', `The limit ${limit} is ${kindOf(limit)}.`, {
      position,
      hint: `Write LIMIT ${limit} ${isOfTime ? '2 SECONDS' : '20'}.`,
    })
  }
  const most = roleLimitMax(limit)
  if (figure >= 1n && figure <= BigInt(most)) return Number(figure)
  const range = isOfTime ? `1 MILLISECOND to ${durationText(most)}` : `1 to ${most}`
  throw new PlanError('out_of_range', `The limit ${limit} is ${range}.`, {
    position,
    hint: `LIMIT ${limit} NONE takes it off.`,
  })
}

function kindOf(limit: RoleLimit): string {
  return limit === 'statement' ? 'a duration' : 'a number, without a unit'
}
