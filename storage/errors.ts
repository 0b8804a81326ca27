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
  unknown_schedule: { retryable: false },
  unknown_role: { retryable: false },
  unknown_token: { retryable: false },
  unknown_block: { retryable: false },
  unknown_relay: { retryable: false },
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
  not_primary: { retryable: false },
  behind: { retryable: true },
  superseded: { retryable: false },
  no_second_copy: { retryable: true },
  replication_position_lost: { retryable: false },
  store_unavailable: { retryable: true },
  store_lost: { retryable: false },
  moving: { retryable: true },
  moved: { retryable: false },
  clock_not_plausible: { retryable: false },
  closed: { retryable: false },
} as const

export type StorageErrorCode = keyof typeof STORAGE_ERRORS

/** Why a store takes no write of anybody, for as long as it is as it is: none of them is the fault of the write. */
const TAKES_NO_WRITES: readonly StorageErrorCode[] = ['disk_full', 'not_primary', 'superseded']

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

  /** The same for who can wait until the store takes writes again: work in the background. */
  get isWorthWaiting(): boolean {
    return this.isWorthRerun || TAKES_NO_WRITES.includes(this.code)
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

/** Of a write at a standby; `primary` is the address of the server that takes writes. */
export function notPrimary(primary: string): StorageError {
  const message = `This server is a standby and takes no writes: the primary is ${primary}.`
  const hint = `Send writes to ${primary}, or promote this server where that one is lost for good.`
  return new StorageError('not_primary', message, { primary, hint })
}

/** Of a read that demands more than this server has within its time; `newest` is what can be read. */
export function behind(minTimestamp: number, newest: number): StorageError {
  const message = `This server has the store up to ${newest}, and not yet up to ${minTimestamp}.`
  return new StorageError('behind', message, { minTimestamp, newest })
}

/** Of everything at a former primary; `primary` is the address of its successor, empty where that is not known. */
export function superseded(primary: string): StorageError {
  const where = primary === '' ? 'another server' : primary
  const message = `This server was replaced: ${where} is the primary now, with a newer epoch.`
  const hint = 'Use the new primary. Start this server again as its standby, with a new copy.'
  return new StorageError('superseded', message, { primary, hint })
}

/** Of a write while the second copy is required and no standby takes it. */
export function noSecondCopy(): StorageError {
  const message = 'No standby takes what is written, and no write is taken without a second copy.'
  const hint = 'Connect a standby, or start the server with another --second-copy.'
  return new StorageError('no_second_copy', message, { hint })
}

/** Of a follower that continues after a group whose successors are not all kept; `oldest` is the first one that is. */
export function replicationPositionLost(group: number, oldest: number): StorageError {
  const message = `The groups after ${group} are not kept any more; the oldest one is ${oldest}.`
  return new StorageError('replication_position_lost', message, {
    ...{ group, oldest },
    hint: 'The follower has to copy the store again.',
  })
}
