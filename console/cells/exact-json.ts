// SPDX-License-Identifier: Apache-2.0

/** JSON.parse with a bigint for each integer that a number would round, where the runtime tells its digits. */
export function exactJson(text: string): unknown {
  return JSON.parse(text, exact)
}

function exact(_: string, value: unknown, context?: { readonly source?: string }): unknown {
  const source = context?.source
  if (typeof value !== 'number' || Number.isSafeInteger(value) || source === undefined) return value
  return /^-?\d+$/.test(source) ? BigInt(source) : value
}

/** A value as a text, with every digit. */
export function exactText(value: unknown): string {
  if (typeof value === 'bigint') return String(value)
  if (Array.isArray(value)) return `[${value.map(exactText).join(',')}]`
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).map(
      ([name, one]) => `${JSON.stringify(name)}:${exactText(one)}`,
    )
    return `{${members.join(',')}}`
  }
  return JSON.stringify(value) ?? 'missing'
}
