// SPDX-License-Identifier: Apache-2.0
import type { CreateTableStatement } from '../../parser/ast.ts'
import { nameText } from '../expressions/expression-text.ts'

/** Values of these types may be megabytes. */
const LARGE: ReadonlySet<string> = new Set(['BYTES', 'JSON'])
/** What is counted, or set again and again. */
const SMALL: ReadonlySet<string> = new Set([
  ...['INTEGER', 'REAL', 'DECIMAL', 'BOOLEAN', 'TIMESTAMP', 'DATE'],
])

/**
 * What to write instead where a column that may be large is written again with each change of a small one, since both
 * are in the family of all other columns; undefined where none is.
 */
export function familyHint({
  columns,
  primaryKey,
  families,
}: CreateTableStatement): string | undefined {
  const elsewhere = new Set(families.flatMap((family) => family.columns.map(({ text }) => text)))
  const keys = new Set(primaryKey.map(({ column }) => column.text))
  const together = columns.filter(({ name: { text } }) => !elsewhere.has(text) && !keys.has(text))
  const [large, ...others] = together.filter(({ type }) => LARGE.has(type.text))
  const small = together.find(({ type }) => SMALL.has(type.text))
  if (large === undefined || small === undefined) return undefined
  const names = [large, ...others].map(({ name }) => nameText(name.text)).join(', ')
  const changed = nameText(small.name.text)
  return `each change of ${changed} writes ${names} again: where that may be large, add FAMILY large (${names})`
}
