// SPDX-License-Identifier: Apache-2.0
import type { ComparedType } from '../../differential/random/random-table.ts'

/** What a token says of its holder; one of the server's own says `sub` alone. */
export type HeldClaims = Readonly<Record<string, string | number | boolean>>

/** Literals of columns, by their names. */
export type Values = Readonly<Record<string, string>>

/** The names and the types of all claims that rules ask for. */
const CLAIM_TYPES: Readonly<Record<string, readonly ComparedType[]>> = {
  sub: ['TEXT'],
  org: ['TEXT'],
  level: ['INTEGER', 'REAL'],
  vip: ['BOOLEAN'],
  absent: ['TEXT', 'INTEGER', 'BYTES'],
}

/** Values that rows often have, so that rules often hold. */
export const CLAIMS = {
  a: { sub: 'a', org: 'ab', level: 1, vip: true },
  b: { sub: 'b', org: 'ab', level: 2, vip: false },
} as const satisfies Readonly<Record<string, HeldClaims>>

export function claimsOfType(type: ComparedType | 'JSON'): readonly string[] {
  return Object.keys(CLAIM_TYPES).filter((name) => CLAIM_TYPES[name]?.some((each) => each === type))
}

/** The value as a literal of the dialect; NULL where the token does not say it. */
export function claimLiteral(claims: HeldClaims, name: string): string {
  const value = claims[name]
  if (value === undefined) return 'NULL'
  return typeof value === 'string' ? `'${value}'` : String(value).toUpperCase()
}

/** A value of a row, as JSON has it, as a literal of the dialect. */
export function literalOf(type: ComparedType | 'JSON', value: unknown): string {
  if (value === null || value === undefined) return 'NULL'
  if (type === 'JSON') return `'${JSON.stringify(value).replaceAll("'", "''")}'`
  if (type === 'BYTES') return `x'${Buffer.from(String(value), 'base64').toString('hex')}'`
  if (type === 'TEXT' || type === 'TIMESTAMP' || type === 'DATE')
    return `'${String(value).replaceAll("'", "''")}'`
  return String(value).toUpperCase()
}

/** A component of a key, as paths have it. */
export function pathPart(type: ComparedType, value: unknown): string {
  if (value === '') return '~3'
  if (type === 'BYTES') return Buffer.from(String(value), 'base64').toString('base64url')
  const text = String(value).replaceAll('~', '~0').replaceAll(',', '~1')
  return encodeURIComponent(text)
}
