// SPDX-License-Identifier: Apache-2.0
import type { Parameters } from '../../client-sdk/client.ts'

/** What `JSON.parse` tells of each value, where the browser does. */
type Source = { readonly source?: string }

/**
 * The parameters that were typed, every integer with all its digits. Returns undefined for an empty text; throws
 * SyntaxError for a text that is no object and no array of JSON.
 */
export function parsedParameters(text: string): Parameters | undefined {
  if (text.trim() === '') return undefined
  const value: unknown = JSON.parse(text, exactInteger)
  if (typeof value === 'object' && value !== null) return value as Parameters
  throw new SyntaxError('Parameters are an object by name, or an array for $1, $2 …')
}

function exactInteger(this: unknown, _key: string, value: unknown, context?: Source): unknown {
  const source = context?.source
  if (typeof value !== 'number' || source === undefined) return value
  return Number.isSafeInteger(value) || !/^-?\d+$/.test(source) ? value : BigInt(source)
}

/**
 * The text with a place for each parameter that the statements name and that it lacks yet; the same text where there is
 * nothing to add, or where it cannot be read.
 */
export function withNames(text: string, names: readonly string[]): string {
  if (names.length === 0) return text
  let known: unknown
  try {
    known = parsedParameters(text)
  } catch {
    return text
  }
  const isByPlace = names.every((name) => name.startsWith('$'))
  if (isByPlace) {
    const count = Math.max(...names.map((name) => Number(name.slice(1))))
    const values = Array.isArray(known) ? known : []
    if (!Array.isArray(known) && known !== undefined) return text
    if (values.length >= count) return text
    return jsonOf([...values, ...Array(count - values.length).fill(null)])
  }
  if (Array.isArray(known)) return text
  const missing = names.filter((name) => !name.startsWith('$') && !Object.hasOwn(known ?? {}, name))
  if (missing.length === 0) return text
  const added = Object.fromEntries(missing.map((name) => [name, null]))
  return jsonOf({ ...(known as object | undefined), ...added })
}

/** Of those that were typed, the ones that a statement names: the server refuses others. */
export function parametersFor(
  parameters: Parameters | undefined,
  names: readonly string[],
): Parameters | undefined {
  if (parameters === undefined || names.length === 0) return undefined
  if (Array.isArray(parameters)) return parameters
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => names.includes(name)))
}

/** A browser that gives the digits of a number also writes them. */
const { rawJSON } = JSON as { readonly rawJSON?: (text: string) => unknown }

function jsonOf(value: readonly unknown[] | object): string {
  const exact = (one: unknown) =>
    JSON.stringify(one, (_key, part) =>
      typeof part === 'bigint' ? (rawJSON?.(String(part)) ?? Number(part)) : part,
    )
  if (Array.isArray(value)) return `[${value.map(exact).join(', ')}]`
  const members = Object.entries(value).map(
    ([name, one]) => `${JSON.stringify(name)}: ${exact(one)}`,
  )
  return `{ ${members.join(', ')} }`
}

/** As a body of JSON has them: an integer beyond 2^53 is a text of its digits. */
export function wireParameters(parameters: Parameters): unknown {
  const exact = (value: unknown) => (typeof value === 'bigint' ? String(value) : value)
  if (Array.isArray(parameters)) return parameters.map(exact)
  return Object.fromEntries(Object.entries(parameters).map(([name, value]) => [name, exact(value)]))
}
