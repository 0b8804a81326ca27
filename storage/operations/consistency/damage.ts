// SPDX-License-Identifier: Apache-2.0
import { InvariantViolation } from '../../invariant.ts'

/** What kept something from being read that is damaged; undefined where it was read. Throws all other errors. */
export function damageOf(read: () => unknown): InvariantViolation | undefined {
  try {
    read()
    return undefined
  } catch (error) {
    if (error instanceof InvariantViolation) return error
    throw error
  }
}

/** Returns undefined for damage that is found and reported elsewhere; throws all other errors. */
export function passDamage(error: unknown): undefined {
  if (!(error instanceof InvariantViolation)) throw error
}

/** What `read` returns; undefined where that is damaged, which is found and reported elsewhere. */
export function unlessDamaged<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    return passDamage(error)
  }
}
