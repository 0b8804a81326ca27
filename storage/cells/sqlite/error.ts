// SPDX-License-Identifier: Apache-2.0
import { type ErrorFields, StorageError, type StorageErrorCode } from '../../errors.ts'

export const DAMAGED =
  'A page of cells.db cannot be read. Run percolite check, and restore a backup where it finds damage.'

/** Whether a page of the file cannot be read. What stands on others can. */
export function isDamage(error: unknown): boolean {
  return /^SQLITE_CORRUPT/.test(codeOf(error) ?? '')
}

/** Whether the disk failed or the file is damaged: then no write of this connection can be trusted. */
export function isDiskError(error: unknown): boolean {
  return /^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(codeOf(error) ?? '')
}

/** Whether a write found the disk full. To SQLite, a sync that does so is an I/O error. */
export function isFull(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_FULL'
}

/** Whether another program held the lock of the file for as long as it is waited for. */
export function isHeldByAnother(error: unknown): boolean {
  return /^SQLITE_BUSY/.test(codeOf(error) ?? '')
}

/** Whether an INSERT found that the cell already exists. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}

/** The error of a file in which something is missing that it names. */
export function damaged(message: string): Error {
  return Object.assign(new Error(message), { code: 'SQLITE_CORRUPT' })
}

/** An error that is sent to another thread; a message would drop its code. */
export type SentError = {
  readonly message: string
  readonly code: string | undefined
  readonly refusal: { readonly code: StorageErrorCode; readonly fields: ErrorFields } | undefined
  readonly cause: SentError | undefined
}

export function sentError(error: unknown): SentError {
  const refusal = error instanceof StorageError ? error : undefined
  return {
    message: error instanceof Error ? error.message : String(error),
    code: codeOf(error),
    refusal: refusal && { code: refusal.code, fields: refusal.fields },
    cause: refusal?.cause === undefined ? undefined : sentError(refusal.cause),
  }
}

/** The error that was sent: a StorageError, or an Error with SQLite's code. */
export function receivedError({ message, code, refusal, cause }: SentError): Error {
  if (refusal === undefined) return Object.assign(new Error(message), { code })
  const options = cause === undefined ? {} : { cause: receivedError(cause) }
  return new StorageError(refusal.code, message, refusal.fields, options)
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}
