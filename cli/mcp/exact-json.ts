// SPDX-License-Identifier: Apache-2.0

/** What `JSON.parse` gives a reviver of a value that is no object: its text. */
type Source = { readonly source?: string }

type Revive = (this: unknown, name: string, value: unknown, of: Source) => unknown

/** Of Node.js, which its types do not know yet. */
const { parse, rawJSON } = JSON as unknown as {
  parse(text: string, revive: Revive): unknown
  rawJSON(text: string): unknown
}

/** The value of a JSON text. `JSON.stringify` writes each of its numbers with the digits that stand in the text. */
export function exactJson<T>(text: string): T {
  return parse(text, (_name, value, { source }) =>
    typeof value === 'number' && source !== undefined && String(value) !== source
      ? rawJSON(source)
      : value,
  ) as T
}
