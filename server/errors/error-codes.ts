// SPDX-License-Identifier: Apache-2.0

/**
 * The one table of errors that a client can meet: what each code means in HTTP, and whether running
 * the whole transaction again may succeed. `docs/errors.md` and `openapi.yaml` list the same codes.
 */
export const ERROR_CODES = {
  invalid_request: { status: 400, title: 'Invalid request', retryable: false },
  syntax_error: { status: 400, title: 'Syntax error', retryable: false },
  unknown_column: { status: 400, title: 'Unknown column', retryable: false },
  type_mismatch: { status: 400, title: 'Type mismatch', retryable: false },
  out_of_range: { status: 400, title: 'Value out of range', retryable: false },
  division_by_zero: { status: 400, title: 'Division by zero', retryable: false },
  unbounded_scan: { status: 400, title: 'Unbounded scan', retryable: false },
  not_null_violation: { status: 400, title: 'NULL in a column that is NOT NULL', retryable: false },
  not_subscribable: { status: 400, title: 'Cannot be subscribed to', retryable: false },
  transaction_not_closed: { status: 400, title: 'BEGIN without its COMMIT', retryable: false },
  script_mixture: { status: 400, title: 'Statements that do not go together', retryable: false },
  read_only_transaction: { status: 400, title: 'Transaction is read only', retryable: false },
  bad_cursor: { status: 400, title: 'Cursor does not belong here', retryable: false },
  timestamp_in_future: { status: 400, title: 'Timestamp lies in the future', retryable: false },
  unauthenticated: { status: 401, title: 'No valid token', retryable: false },
  token_expired: { status: 401, title: 'Token has expired', retryable: false },
  origin_not_allowed: { status: 403, title: 'Origin or host not allowed', retryable: false },
  not_permitted: { status: 403, title: 'Not permitted', retryable: false },
  address_not_allowed: { status: 403, title: 'Address not allowed', retryable: false },
  rule_violated: { status: 403, title: 'Row is outside of the rule', retryable: false },
  not_enabled: { status: 403, title: 'Not enabled', retryable: false },
  not_found: { status: 404, title: 'No such path', retryable: false },
  unknown_table: { status: 404, title: 'Unknown table', retryable: false },
  unknown_index: { status: 404, title: 'Unknown index', retryable: false },
  unknown_role: { status: 404, title: 'Unknown role', retryable: false },
  unknown_token: { status: 404, title: 'Unknown token', retryable: false },
  unknown_block: { status: 404, title: 'Subject is not blocked', retryable: false },
  unknown_relay: { status: 404, title: 'Unknown relay', retryable: false },
  unknown_observer: { status: 404, title: 'Unknown observer', retryable: false },
  unknown_schedule: { status: 404, title: 'Unknown schedule', retryable: false },
  unknown_notification: { status: 404, title: 'Unknown notification', retryable: false },
  unknown_backup: { status: 404, title: 'Unknown backup', retryable: false },
  unknown_statement: { status: 404, title: 'No such running statement', retryable: false },
  row_not_found: { status: 404, title: 'Row not found', retryable: false },
  unknown_transaction: { status: 404, title: 'Unknown transaction', retryable: false },
  method_not_allowed: { status: 405, title: 'Method not allowed', retryable: false },
  request_timeout: { status: 408, title: 'Request took too long to arrive', retryable: true },
  role_in_use: { status: 409, title: 'Role is in use', retryable: false },
  last_admin_token: { status: 409, title: 'Last token of an administrator', retryable: false },
  already_exists: { status: 409, title: 'Already exists', retryable: false },
  unique_violation: { status: 409, title: 'Unique index violated', retryable: false },
  check_failed: { status: 409, title: 'Check failed', retryable: false },
  transaction_closed: { status: 409, title: 'Transaction has ended', retryable: false },
  transaction_busy: { status: 409, title: 'Transaction is busy', retryable: false },
  statement_cancelled: { status: 409, title: 'Statement was stopped', retryable: false },
  not_standby: { status: 409, title: 'Server is no standby', retryable: false },
  already_observed: { status: 409, title: 'Already observed', retryable: false },
  backup_running: { status: 409, title: 'Backup is being made', retryable: true },
  write_conflict: { status: 409, title: 'Write conflict', retryable: true },
  locked: { status: 409, title: 'Locked by another transaction', retryable: true },
  schema_changed: { status: 409, title: 'Table definition changed', retryable: true },
  transaction_rolled_back: { status: 409, title: 'Transaction was rolled back', retryable: true },
  transaction_expired: { status: 410, title: 'Transaction has expired', retryable: false },
  wrong_gateway: { status: 421, title: 'Another server has the transaction', retryable: true },
  moved: { status: 421, title: 'Database has been moved', retryable: false },
  not_primary: { status: 421, title: 'Standby takes no writes', retryable: false },
  transaction_lost: { status: 410, title: 'Transaction was lost', retryable: true },
  snapshot_too_old: { status: 410, title: 'Snapshot is too old', retryable: true },
  history_replaced: { status: 410, title: 'History was replaced', retryable: false },
  replication_position_lost: {
    status: 410,
    title: 'Groups are not kept any more',
    retryable: false,
  },
  resume_too_old: { status: 410, title: 'Position is too old', retryable: false },
  precondition_failed: { status: 412, title: 'Precondition failed', retryable: false },
  limit_exceeded: { status: 413, title: 'Limit exceeded', retryable: false },
  uri_too_long: { status: 414, title: 'Path too long', retryable: false },
  unsupported_media_type: { status: 415, title: 'Unsupported media type', retryable: false },
  idempotency_key_reused: { status: 422, title: 'Idempotency key was reused', retryable: false },
  upgrade_required: { status: 426, title: 'Upgrade required', retryable: false },
  client_overloaded: { status: 429, title: 'Client holds too much', retryable: true },
  rate_limited: {
    status: 429,
    title: 'Too many requests a second, or too much written a day',
    retryable: true,
  },
  header_fields_too_large: { status: 431, title: 'Header fields too large', retryable: false },
  internal: { status: 500, title: 'Internal error', retryable: false },
  store_damaged: { status: 500, title: 'Data cannot be read', retryable: false },
  overloaded: { status: 503, title: 'Overloaded', retryable: true },
  audit_unavailable: { status: 503, title: 'Audit log cannot be written', retryable: false },
  store_unavailable: { status: 503, title: 'Store does not answer', retryable: true },
  gateway_unavailable: {
    status: 503,
    title: 'Server of the transaction does not answer',
    retryable: true,
  },
  store_lost: { status: 503, title: 'Files of the store are gone', retryable: false },
  moving: { status: 503, title: 'Database is being moved', retryable: true },
  behind: { status: 503, title: 'Standby is behind', retryable: true },
  no_second_copy: { status: 503, title: 'No standby has a second copy', retryable: true },
  superseded: { status: 503, title: 'Server was replaced', retryable: false },
  commit_outcome_unknown: { status: 503, title: 'Commit outcome unknown', retryable: false },
  statement_timeout: { status: 504, title: 'Statement timed out', retryable: false },
  disk_full: { status: 507, title: 'Disk is full', retryable: false },
} as const satisfies Readonly<Record<string, ErrorDescription>>

export type ErrorDescription = {
  readonly status: number
  readonly title: string
  readonly retryable: boolean
}

export type ErrorCode = keyof typeof ERROR_CODES

export function isErrorCode(code: string): code is ErrorCode {
  return Object.hasOwn(ERROR_CODES, code)
}
