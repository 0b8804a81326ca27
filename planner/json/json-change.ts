// SPDX-License-Identifier: Apache-2.0
import {
  type JsonSpan,
  type JsonStep,
  kindAt,
  type Meter,
  memberAt,
  spanAt,
  wholeSpan,
} from '../../storage/values/values.ts'

/**
 * The JSON with the value in the place that the path leads to: instead of what is there, as a new member of an object,
 * or at the end of an array. It comes back as it is where there is no such place.
 */
export function jsonWith(
  text: string,
  path: readonly JsonStep[],
  value: string,
  meter: Meter,
): string {
  const last = path.at(-1)
  if (last === undefined) return value
  const parent = spanAt(text, path.slice(0, -1), meter)
  if (parent === undefined) return text
  const found = memberAt(text, parent, last, meter)
  if (found !== undefined) return spliced(text, found, value)
  const added = addedTo(text, parent, last, value)
  if (added === undefined) return text
  const end = { from: parent.to - 1, to: parent.to - 1 }
  return spliced(text, end, isEmpty(text, parent) ? added : `,${added}`)
}

function addedTo(
  text: string,
  parent: JsonSpan,
  { name, index }: JsonStep,
  value: string,
): string | undefined {
  const kind = kindAt(text, parent.from)
  if (kind === 'object' && name !== undefined) return `${JSON.stringify(name)}:${value}`
  return kind === 'array' && index !== undefined && index >= 0 ? value : undefined
}

/** The JSON without the member or element; as it is where there is none. */
export function jsonWithout(text: string, path: readonly JsonStep[], meter: Meter): string {
  const last = path.at(-1)
  if (last === undefined) return text
  const parent = spanAt(text, path.slice(0, -1), meter)
  const found = parent && memberAt(text, parent, last, meter)
  if (found === undefined) return text
  const before = text.slice(0, found.memberFrom).trimEnd()
  if (before.endsWith(',')) return spliced(text, { from: before.length - 1, to: found.to }, '')
  const after = text.slice(found.to).trimStart()
  const to = text.length - after.length + (after.startsWith(',') ? 1 : 0)
  return spliced(text, { from: found.memberFrom, to }, '')
}

function isEmpty(text: string, { from, to }: JsonSpan): boolean {
  return text.slice(from + 1, to - 1).trimStart() === ''
}

function spliced(text: string, { from, to }: JsonSpan, inserted: string): string {
  return text.slice(0, from) + inserted + text.slice(to)
}

/** The value itself, as JSON; undefined for null. */
export function jsonText(
  text: string,
  { from, to }: JsonSpan = wholeSpan(text),
): string | undefined {
  return kindAt(text, from) === 'null' ? undefined : text.slice(from, to)
}
