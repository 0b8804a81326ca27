// SPDX-License-Identifier: Apache-2.0
import { clientError, PercoliteError, wordsOf } from '../errors.ts'

/**
 * What ended the showing of a write that has been committed. It says so, names the stamp of the commit, and
 * is not retryable: run again, the write would happen twice.
 */
export function committedError(error: unknown, commitTimestamp: number): PercoliteError {
  const known = error instanceof PercoliteError ? error : clientError('invalid_answer')
  return new PercoliteError({
    code: known.code,
    message: `The write was committed, but its answer cannot be shown: ${wordsOf(error)}`,
    httpStatus: known.httpStatus,
    fields: { ...known.fields, committed: true, commitTimestamp },
    cause: error,
  })
}

/**
 * An object with what `decode` answers under this name. When that fails for a write that has been committed,
 * the call that made the write has succeeded all the same: then reading the property throws the error.
 * Of what was only read (no `commitTimestamp`) the error is thrown at once.
 */
export function shown<const Name extends string, T>(
  name: Name,
  commitTimestamp: number | undefined,
  decode: () => T,
): { readonly [Key in Name]: T } {
  let property: PropertyDescriptor
  try {
    property = { value: decode(), writable: true }
  } catch (error) {
    if (commitTimestamp === undefined) throw error
    const failure = committedError(error, commitTimestamp)
    property = {
      get() {
        throw failure
      },
    }
  }
  return Object.defineProperty({}, name, { ...property, enumerable: true }) as never
}
