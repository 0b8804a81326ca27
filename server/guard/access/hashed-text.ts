// SPDX-License-Identifier: Apache-2.0
import type { NewTokenText } from '../../../planner/planner.ts'
import type { Randomness } from '../../../storage/storage.ts'
import { hashOfToken, newTokenText } from '../../../storage/tables/access/access.ts'

/** The text of a new token, or a new text of the one with this id, and its hash in hexadecimal digits. */
export function newHashedText(randomness: Randomness, id: string | undefined): NewTokenText {
  const made = newTokenText(randomness, id)
  return { ...made, hash: hashOfToken(made.text) }
}
