// SPDX-License-Identifier: Apache-2.0
import type { TwoTexts } from './joined-texts.ts'
import type { Chooser } from './random-table.ts'

const PARAMETERS_OF_HUNDRED = 35

/** Now and then the value is sent beside the text, and takes its type from what it meets there. */
export function perhapsParameter(choose: Chooser, value: TwoTexts): TwoTexts {
  return choose.percent(PARAMETERS_OF_HUNDRED)
    ? parameter(choose, value.theirs, jsonOf(value.ours))
    : value
}

/** A list in parentheses, or an array for the whole of it. */
export function perhapsListParameter(choose: Chooser, values: readonly TwoTexts[]): TwoTexts {
  const text = (which: 'ours' | 'theirs') => `(${values.map((value) => value[which]).join(', ')})`
  if (choose.percent(PARAMETERS_OF_HUNDRED)) {
    const list = values.map(({ ours }) => jsonOf(ours))
    return parameter(choose, text('theirs'), list)
  }
  return { ours: text('ours'), theirs: text('theirs') }
}

function parameter(choose: Chooser, theirs: string, json: unknown): TwoTexts {
  const name = `p${choose.below(2 ** 30)}`
  return { ours: `:${name}`, theirs, parameters: { [name]: json } }
}

/** What a literal is on the wire. */
function jsonOf(literal: string): unknown {
  if (literal === 'NULL') return null
  if (literal === 'TRUE' || literal === 'FALSE') return literal === 'TRUE'
  if (literal.startsWith("x'")) return Buffer.from(literal.slice(2, -1), 'hex').toString('base64')
  return literal.startsWith("'") ? literal.slice(1, -1) : Number(literal)
}
