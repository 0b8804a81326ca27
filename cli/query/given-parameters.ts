// SPDX-License-Identifier: Apache-2.0
import type { Parameter, Parameters } from '../../client-sdk/client.ts'
import { UsageError } from '../../server/usage-error.ts'

/** `name=value` of each `--param`; undefined where there is none. Throws UsageError. */
export function parametersOf(given: readonly string[]): Parameters | undefined {
  const named = new Map<string, Parameter>()
  for (const text of given) {
    const [, name, value] = /^:?([A-Za-z_]\w*|[1-9]\d{0,4})=(.*)$/s.exec(text) ?? []
    if (name === undefined || value === undefined) {
      throw new UsageError(
        `--param ${text.slice(0, 100)}: it is name=value for :name, or 1=value for $1.`,
      )
    }
    if (named.has(name)) throw new UsageError(`--param ${name} is given twice.`)
    named.set(name, parameterOf(value))
  }
  const names = [...named.keys()]
  const numbers = names.filter((name) => /^\d/.test(name))
  if (numbers.length === 0) return names.length === 0 ? undefined : Object.fromEntries(named)
  const isWhole = names.every((_, index) => named.has(String(index + 1)))
  if (isWhole) return names.map((_, index) => named.get(String(index + 1)))
  throw new UsageError('--param: parameters are all named, or numbered from 1 without a gap.')
}

/**
 * What a text stands for: a JSON value where it is one, else itself. A whole number keeps all of its digits; a text
 * that would be taken for something else is written as JSON, `"5"`.
 */
export function parameterOf(text: string): Parameter {
  if (/^-?\d{1,30}$/.test(text)) return BigInt(text)
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
