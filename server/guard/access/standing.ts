// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto'
import type { Catalog } from '../../../storage/tables/tables.ts'
import type { Principal } from './principal.ts'

/**
 * What one principal may see and write by rules, as a short text: of its role, the rules of that, and its claims that
 * they name. A subject of JWTs has several at once, and each changes with the rules. What was written or answered
 * under one standing is not there for another without a look at the rights of now.
 */
export function standingOf(
  { rights }: Pick<Catalog, 'rights'>,
  principal: Principal | undefined,
): string {
  if (principal === undefined) return ''
  const { text, claims } = rights.ruledBy
  const held = claims.map((name) => principal.claims[name] ?? null)
  const all = JSON.stringify([principal.role, text, held])
  return createHash('sha256').update(all).digest('base64url')
}
