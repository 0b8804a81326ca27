// SPDX-License-Identifier: Apache-2.0
import type { RowRule, TableDefinition, TableRight } from './table-definition.ts'

/** The role that is always there and may do everything. */
export const ADMIN_ROLE = 'admin'

/** What a role may do with the server as a whole; `admin` is everything. */
export const SERVER_RIGHTS = ['define', 'inspect', 'admin'] as const
export type ServerRight = (typeof SERVER_RIGHTS)[number]

/** What whoever asks may do. A catalog says whose view of the tables it is. */
export interface Rights {
  readonly role: string
  may(right: ServerRight): boolean
  mayOn(table: TableDefinition, right: TableRight): boolean
  /** The rules of which a row has to meet one for this right; undefined where it is about all rows. */
  rulesOn(table: TableDefinition, right: TableRight): readonly RowRule[] | undefined
  /** All of its rules as one text, and the claims that they name. Two of the same text and claims see the same rows. */
  readonly ruledBy: RuledBy
}

export type RuledBy = { readonly text: string; readonly claims: readonly string[] }

/** Of the role `admin`, and of all clients where nobody is asked for a token. */
export const EVERY_RIGHT: Rights = {
  role: ADMIN_ROLE,
  may: () => true,
  mayOn: () => true,
  rulesOn: () => undefined,
  ruledBy: { text: '', claims: [] },
}
