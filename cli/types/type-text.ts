// SPDX-License-Identifier: Apache-2.0

/** How values are given, as `connect` is told. */
export type ValueModes = {
  readonly integers: 'number' | 'bigint'
  readonly decimal: 'string' | typeof DECIMAL_CLASS
  readonly json: 'number' | 'text'
  /** Whether a file of the user has the types of JSON columns. */
  readonly hasJsonFile: boolean
}

/** What a class for DECIMAL is called, whatever the library calls it. */
export const DECIMAL_CLASS = 'DecimalValue'

/** The type of a value of a row, without NULL; `unknown` for one that this version does not know. */
export function valueType(type: string, { integers, decimal, json }: ValueModes): string {
  switch (type) {
    case 'TEXT':
    case 'TIMESTAMP':
    case 'DATE':
      return 'string'
    case 'INTEGER':
      return integers
    case 'DECIMAL':
      return decimal
    case 'REAL':
      return 'number'
    case 'BOOLEAN':
      return 'boolean'
    case 'BYTES':
      return 'Uint8Array'
    case 'JSON':
      return json === 'text' ? 'string' : 'unknown'
    default:
      return 'unknown'
  }
}

/** The type of what may be given for a value; more than what comes back. */
export function givenType(type: string | undefined): string {
  switch (type) {
    case 'TEXT':
    case 'DATE':
      return 'string'
    case 'TIMESTAMP':
      return 'string | Date'
    case 'INTEGER':
      return 'number | bigint'
    case 'DECIMAL':
      return 'string | number | bigint | { toJSON(): string }'
    case 'REAL':
      return 'number'
    case 'BOOLEAN':
      return 'boolean'
    case 'BYTES':
      return 'Uint8Array'
    default:
      return 'unknown'
  }
}

export function orNull(type: string): string {
  return type === 'unknown' ? type : `${type} | null`
}

/** The name of a property, in quotes where it needs them. */
export function propertyName(name: string): string {
  return isIdentifier(name) ? name : textType(name)
}

export function isIdentifier(name: string): boolean {
  return /^[A-Za-z_$][\w$]*$/.test(name)
}

/** A text as a type of its own. */
export function textType(text: string): string {
  const inside = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"')
  return `'${inside.replaceAll("'", "\\'").replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`
}

/** `{ a: string; b: number }`. */
export function objectType(members: ReadonlyArray<readonly [name: string, type: string]>): string {
  if (members.length === 0) return '{}'
  return `{ ${members.map(([name, type]) => `${propertyName(name)}: ${type}`).join('; ')} }`
}
