// SPDX-License-Identifier: Apache-2.0
import { type ErrorFields, StorageError, type StorageErrorCode } from '../../errors.ts'

/** After these no answer of this connection can be trusted: the disk failed or the file is damaged. */
export function isDiskError(error: unknown): boolean {
  return /^SQLITE_(IOERR|CORRUPT|NOTADB)/.test(codeOf(error) ?? '')
}

/** Of a write only: a sync that finds the disk full is an I/O error to SQLite. */
export function isFull(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_FULL'
}

/** A cell that an INSERT found already there. */
export function isDuplicate(error: unknown): boolean {
  return codeOf(error) === 'SQLITE_CONSTRAINT_PRIMARYKEY'
}

/** An error on its way to another thread, which a message would strip of its code. */
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

/** A StorageError again, or an Error with SQLite's code. */
export function receivedError({ message, code, refusal, cause }: SentError): Error {
  if (refusal === undefined) return Object.assign(new Error(message), { code })
  const options = cause === undefined ? {} : { cause: receivedError(cause) }
  return new StorageError(refusal.code, message, refusal.fields, options)
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code
  return typeof code === 'string' ? code : undefined
}
