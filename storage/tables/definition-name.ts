// SPDX-License-Identifier: Apache-2.0
import { type ErrorFields, limitExceeded, StorageError } from '../errors.ts'
import { STORAGE_LIMITS } from '../limits.ts'

/** Any text may be a name in quotes; what could not be shown or typed again is refused, also of `what` else it is. */
export function requireName(name: string, fields: ErrorFields, what = 'A name'): void {
  if (name === '') throw invalidDefinition(`${what} cannot be empty.`, fields)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
  if (!name.isWellFormed() || /[\u0000-\u001f\u007f-\u009f]/.test(name)) {
    const message = `${what} holds no control characters and is well-formed Unicode.`
    throw invalidDefinition(message, fields)
  }
  const limit = STORAGE_LIMITS.nameBytesMax
  const actual = Buffer.byteLength(name)
  if (actual <= limit) return
  const message = `${what} has at most ${limit} bytes, not ${actual}.`
  throw limitExceeded('nameBytesMax', actual, message, fields)
}

/**
 * A name of `what`, such as `an index`, differs from the `known` ones by more than case; otherwise that
 * is `already_exists` with the given fields and `existing`.
 */
export function requireFreeName(
  what: string,
  name: string,
  known: ReadonlyArray<{ readonly name: string }>,
  fields: ErrorFields,
): void {
  const folded = name.toLowerCase()
  const existing = known.find((other) => other.name.toLowerCase() === folded)?.name
  if (existing === undefined) return
  const message =
    existing === name
      ? `There is ${what} "${name}" already.`
      : `There is ${what} "${existing}" already, and names must differ by more than case.`
  throw new StorageError('already_exists', message, { ...fields, existing })
}

/** Room for the number of a name that is made. */
const NUMBER_BYTES_MAX = 4

/** A name that is made of others: its end, where the whole is longer than a name may be. */
export function fittingName(name: string): string {
  const characters = [...name]
  let bytes = Buffer.byteLength(name)
  let from = 0
  for (; bytes > STORAGE_LIMITS.nameBytesMax - NUMBER_BYTES_MAX; from += 1) {
    bytes -= Buffer.byteLength(characters[from] as string)
  }
  return characters.slice(from).join('')
}

/** The name as it fits, or when one of the known ones has it, with the lowest number from 1 on that is free. */
export function freeName(made: string, known: ReadonlyArray<{ readonly name: string }>): string {
  const taken = new Set(known.map(({ name }) => name.toLowerCase()))
  const base = fittingName(made)
  let free = base
  for (let number = 1; taken.has(free.toLowerCase()); number += 1) free = `${base}${number}`
  return free
}

export function invalidDefinition(message: string, fields: ErrorFields): StorageError {
  return new StorageError('invalid_definition', message, fields)
}
