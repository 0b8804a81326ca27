// SPDX-License-Identifier: Apache-2.0
import { canonicalNumber, type SqlType } from '../../storage/values/values.ts'
import { PlanError } from '../plan-error.ts'
import type { JsonSource } from './json-source.ts'

/** A value for a JSON column in the very text that is stored; `valueFromJson` takes it as it is. */
export class ExactJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/**
 * A parsed value that is meant for this type, where necessary from the text that it was read from: an
 * array, an object or a number for a JSON column becomes ExactJson, a number for a DECIMAL the string of its digits,
 * and one that was rounded on its way to an INTEGER is refused. Any other comes back as it is. Throws PlanError as
 * `exactJson` does, and `type_mismatch`.
 */
export function fromSource(type: SqlType, json: unknown, source: JsonSource): unknown {
  if (json === null) return null
  if (type === 'JSON' && typeof json === 'number') return new ExactJson(source.exact())
  if (type === 'JSON' && typeof json === 'object') {
    return new ExactJson(source.exact(json))
  }
  if (type === 'DECIMAL' && typeof json === 'number' && source.mayRound) return source.exact()
  if (type === 'INTEGER' && typeof json === 'number' && source.mayRound) {
    requireUnrounded(json, source.exact())
  }
  return json
}

/** Digits of a number that an error shows. */
const SHOWN_DIGITS_MAX = 40

function requireUnrounded(json: number, text: string): void {
  // What is too large for a double, or for an exact one, is refused with its own words.
  if (!Number.isSafeInteger(json)) return
  if (canonicalNumber(text) === canonicalNumber(String(json))) return
  const shown = text.length <= SHOWN_DIGITS_MAX ? text : `${text.slice(0, SHOWN_DIGITS_MAX)}…`
  throw new PlanError('type_mismatch', `INTEGER wants a whole number, and ${shown} is none.`)
}
