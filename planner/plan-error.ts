// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../parser/ast.ts'
import { PLANNER_LIMITS } from './planner-limits.ts'

/**
 * Every mistake that planning and running a statement can find in it. None is retryable: the same
 * statement over the same rows fails again. The HTTP status of each code stands in
 * `server/errors/error-response.ts`.
 */
export const PLAN_ERRORS = {
  unknown_table: 'A table that the catalog of the snapshot does not hold.',
  unknown_index: 'An index that the table does not have.',
  unknown_role: 'A role that there is not.',
  role_in_use: 'A role that a token or a relay has or a table names, which cannot be dropped.',
  unknown_token: 'A token of access that there is not.',
  unknown_block: 'A subject that is not blocked.',
  unknown_relay: 'A relay that does not exist.',
  address_not_allowed: 'An address to which the operator lets nothing be sent.',
  last_admin_token: 'The last valid token of the role admin, which cannot be dropped.',
  not_permitted: 'A right that the role of whoever asks does not have.',
  rule_violated: 'A row to be written that the rule of the role does not let be.',
  unknown_observer: 'An observer that the table, or the store, does not have.',
  unknown_schedule: 'A schedule that the store does not have.',
  unknown_column: 'A column that the table does not have.',
  type_mismatch: 'A value whose type does not fit where it stands.',
  out_of_range: 'A number or a point in time outside the range of its type, or of its place.',
  division_by_zero: 'A division or a remainder by zero.',
  unbounded_scan: 'A condition that bounds no key, without leave to walk the whole table.',
  not_null_violation: 'NULL in a NOT NULL column.',
  unique_violation: 'Values of a unique index that another row has.',
  already_exists: 'An INSERT of a key that has a row, or a second definition of one name.',
  row_not_found: 'A SET that computes from a row that does not exist.',
  check_failed: 'A CHECK whose condition is not TRUE, or a row that fails that of its table.',
  not_subscribable:
    'A subscription to what is no GET or SCAN of the present, or row by row to what depends on others.',
  limit_exceeded: 'A statement that asks for more than one statement may.',
  invalid_request: 'A statement that has the right form but no meaning here.',
} as const

export type PlanErrorCode = keyof typeof PLAN_ERRORS

export type PlanErrorDetails = {
  /** Where in the whole text the mistake stands. */
  readonly position?: Position | undefined
  /** What to write instead. */
  readonly hint?: string | undefined
  /** Facts that a program may act on: the table and the key, the limit and the actual figure. */
  readonly fields?: Readonly<Record<string, unknown>>
}

export class PlanError extends Error {
  override readonly name = 'PlanError'
  readonly retryable = false
  readonly code: PlanErrorCode
  readonly position: Position | undefined
  readonly hint: string | undefined
  readonly fields: Readonly<Record<string, unknown>>

  constructor(code: PlanErrorCode, message: string, details: PlanErrorDetails = {}) {
    super(message)
    this.code = code
    this.position = details.position
    this.hint = details.hint
    this.fields = details.fields ?? {}
  }
}

/** `limit_exceeded` with the name and the value of the limit, and the actual figure. */
export function limitExceeded(
  limit: keyof typeof PLANNER_LIMITS,
  actual: number,
  message: string,
  details: Omit<PlanErrorDetails, 'fields'> = {},
): PlanError {
  const fields = { limit, limitValue: PLANNER_LIMITS[limit], actual }
  return new PlanError('limit_exceeded', message, { ...details, fields })
}
