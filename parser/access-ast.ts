// SPDX-License-Identifier: Apache-2.0

import type { Located, Name } from './expression-ast.ts'

/** Statements about tokens of access; each is a transaction of its own. */
export type AccessStatement =
  | CreateTokenStatement
  | AlterTokenStatement
  | RotateTokenStatement
  | DropTokenStatement

/** CREATE TOKEN … ROLE … EXPIRES IN … */
export type CreateTokenStatement = Located & {
  readonly kind: 'createToken'
  readonly token: Name
  readonly role: Name
  readonly expires: Duration
}

export type AlterTokenStatement = Located & {
  readonly kind: 'alterToken'
  readonly token: Name
  readonly expires: Duration
}

/** ROTATE TOKEN … KEEP …: without KEEP the secret from before counts no more. */
export type RotateTokenStatement = Located & {
  readonly kind: 'rotateToken'
  readonly token: Name
  readonly keep?: Duration
}

export type DropTokenStatement = Located & { readonly kind: 'dropToken'; readonly token: Name }

/** `90 DAYS`, in minutes. */
export type Duration = Located & { readonly minutes: bigint }
