// SPDX-License-Identifier: Apache-2.0
import { UsageError } from './experiment.ts'

// What the flags say. All throw a UsageError that names the flag and what it takes.

/** A number, of any size from `min` on. */
export function numberOf(flag: string, text: string, min: number): number {
  const value = Number(text)
  if (text.trim() !== '' && Number.isFinite(value) && value >= min) return value
  throw new UsageError(`--${flag} ${text}: a number of at least ${min} is needed.`)
}

export function wholeNumber(flag: string, text: string, max: number, min = 1): number {
  const number = Number(text)
  if (Number.isInteger(number) && number >= min && number <= max) return number
  throw new UsageError(
    `--${flag} ${text}: it is a whole number from ${min} to ${max.toLocaleString('en')}.`,
  )
}

/** One of the names that are known, in whatever case. */
export function oneOf<Name extends string>(
  flag: string,
  text: string,
  known: readonly Name[],
): Name {
  const word = text.trim()
  const found = known.find((name) => name === word.toLowerCase())
  if (found !== undefined) return found
  const names = known.filter((name) => name !== '').join(', ')
  throw new UsageError(`--${flag} ${text}: there is no ${word}, but ${names}.`)
}

/** Names, or whatever is read of each, separated by commas. */
export function listOf<Value>(text: string, read: (word: string) => Value): readonly Value[] {
  return text.split(',').map(read)
}
