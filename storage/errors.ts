// SPDX-License-Identifier: Apache-2.0
import { STORAGE_LIMITS } from './limits.ts'

/**
 * Every expected failure of the storage layer. `retryable` means that running the whole transaction
 * again may succeed. The HTTP status of each code stands in `server/errors/error-response.ts`.
 */
export const STORAGE_ERRORS = {
  write_conflict: { retryable: true },
  locked: { retryable: true },
  schema_changed: { retryable: true },
  transaction_rolled_back: { retryable: true },
  snapshot_too_old: { retryable: true },
  resume_too_old: { retryable: false },
  history_replaced: { retryable: false },
  commit_outcome_unknown: { retryable: false },
  transaction_closed: { retryable: false },
  timestamp_in_future: { retryable: false },
  read_only_transaction: { retryable: false },
  limit_exceeded: { retryable: false },
  disk_full: { retryable: false },
  store_damaged: { retryable: false },
  unknown_table: { retryable: false },
  unknown_index: { retryable: false },
  unknown_observer: { retryable: false },
  unknown_role: { retryable: false },
  unknown_token: { retryable: false },
  unknown_block: { retryable: false },
  role_in_use: { retryable: false },
  last_admin_token: { retryable: false },
  already_exists: { retryable: false },
  unique_violation: { retryable: false },
  invalid_definition: { retryable: false },
  type_mismatch: { retryable: false },
  out_of_range: { retryable: false },
  data_directory_locked: { retryable: false },
  data_directory_unusable: { retryable: false },
  backup_unusable: { retryable: false },
  store_unavailable: { retryable: true },
  store_lost: { retryable: false },
  moving: { retryable: true },
  moved: { retryable: false },
  clock_not_plausible: { retryable: false },
  closed: { retryable: false },
} as const

export type StorageErrorCode = keyof typeof STORAGE_ERRORS

/** Facts that a program may act on: the conflicting key, the limit and the actual figure, and so on. */
export type ErrorFields = Readonly<Record<string, unknown>>

export class StorageError extends Error {
  override readonly name = 'StorageError'
  readonly code: StorageErrorCode
  readonly fields: ErrorFields

  constructor(
    code: StorageErrorCode,
    message: string,
    fields: ErrorFields = {},
    options?: ErrorOptions,
  ) {
    super(message, options)
    this.code = code
    this.fields = fields
  }

  get retryable(): boolean {
    return STORAGE_ERRORS[this.code].retryable
  }

  /** Also after a lost answer to a commit: for who finds out how it ended before doing its work again. */
  get isWorthRerun(): boolean {
    return this.retryable || this.code === 'commit_outcome_unknown'
  }
}

/** `limit_exceeded` with the name and the value of the limit, and the actual figure. */
export function limitExceeded(
  limit: keyof typeof STORAGE_LIMITS,
  actual: number,
  message: string,
  fields: ErrorFields = {},
): StorageError {
  const figures = { limit, limitValue: STORAGE_LIMITS[limit], actual }
  return new StorageError('limit_exceeded', message, { ...figures, ...fields })
}
