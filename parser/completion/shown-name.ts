// SPDX-License-Identifier: Apache-2.0
import { RESERVED_WORDS } from '../grammar/keywords.ts'

const PLAIN = /^[A-Za-z_][A-Za-z0-9_]*$/
const RESERVED: ReadonlySet<string> = new Set(RESERVED_WORDS.map(({ name }) => name))

/** A name as it is written in a statement: in quotes where it would not be taken for one without. */
export function shownName(name: string): string {
  const isPlain = PLAIN.test(name) && !RESERVED.has(name.toUpperCase())
  return isPlain ? name : `"${name.replaceAll('"', '""')}"`
}
