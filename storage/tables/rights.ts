// SPDX-License-Identifier: Apache-2.0
import type { RowRule, TableDefinition, TableRight } from './table-definition.ts'

/** The role that is always there and may do everything but follow. */
export const ADMIN_ROLE = 'admin'

/** What a role may do with the server as a whole. */
export const SERVER_RIGHTS = ['define', 'inspect', 'follow', 'admin'] as const
export type ServerRight = (typeof SERVER_RIGHTS)[number]

/**
 * Whether `admin` includes it. It does not include `follow`: a follower takes every cell, with hashes of tokens and the
 * key of cursors, so the token of an administrator that leaks does not start a copy of all that quietly; a GRANT, which
 * the audit log has, must come first.
 */
export function isOfAdmin(right: ServerRight): boolean {
  return right !== 'follow'
}

/** What whoever asks may do. A catalog says whose view of the tables it is. */
export interface Rights {
  readonly role: string
  /** Whether it sees what the role sees, and changes nothing. */
  readonly isImpersonated: boolean
  may(right: ServerRight): boolean
  mayOn(table: TableDefinition, right: TableRight): boolean
  /** The rules of which a row has to meet one for this right; undefined where it is about all rows. */
  rulesOn(table: TableDefinition, right: TableRight): readonly RowRule[] | undefined
  /** All of its rules as one text, and the claims that they name. Two of the same text and claims see the same rows. */
  readonly ruledBy: RuledBy
}

export type RuledBy = { readonly text: string; readonly claims: readonly string[] }

/** Of the role `admin`, and on tables of all clients where nobody is asked for a token. */
export const EVERY_RIGHT: Rights = {
  role: ADMIN_ROLE,
  isImpersonated: false,
  may: isOfAdmin,
  mayOn: () => true,
  rulesOn: () => undefined,
  ruledBy: { text: '', claims: [] },
}
