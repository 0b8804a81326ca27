// SPDX-License-Identifier: Apache-2.0

import type { Expression, Located, Name } from './expression-ast.ts'

/**
 * Statements about tokens, roles and their rights, subjects of JWTs, and what else administrators decide; each is a
 * transaction of its own.
 */
export type AccessStatement =
  | CreateTokenStatement
  | AlterTokenStatement
  | RotateTokenStatement
  | DropTokenStatement
  | CreateRoleStatement
  | AlterRoleStatement
  | DropRoleStatement
  | GrantStatement
  | RevokeStatement
  | CreateBlockStatement
  | DropBlockStatement
  | RotateSecretStatement
  | AlterStoreStatement
  | RelayStatement

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

/** `90 DAYS`, in milliseconds. */
export type Duration = Located & { readonly ms: bigint }

/** CREATE ROLE … [FOR JWT] */
export type CreateRoleStatement = Located & {
  readonly kind: 'createRole'
  readonly role: Name
  readonly isForJwt: boolean
}

/** ALTER ROLE … LIMIT name value, … */
export type AlterRoleStatement = Located & {
  readonly kind: 'alterRole'
  readonly role: Name
  readonly limits: readonly ChangedLimit[]
}

/** `rate 20`, `statement 2 SECONDS`, which is in milliseconds, or `rate NONE`, which takes it off. */
export type ChangedLimit = {
  readonly limit: Name
  readonly figure: bigint | 'none'
  readonly isDuration: boolean
}

export type DropRoleStatement = Located & { readonly kind: 'dropRole'; readonly role: Name }

/** GRANT … [ON …] TO … [WHERE …] */
export type GrantStatement = Located & {
  readonly kind: 'grant'
  readonly rights: readonly Right[]
  readonly on?: RightsPlace
  readonly role: Name
  /** The rows that it is about; `token.name` in it is a parameter of that key. */
  readonly where?: Expression
}

/** REVOKE … [ON …] FROM … */
export type RevokeStatement = Located & {
  readonly kind: 'revoke'
  readonly rights: readonly Right[] | 'all'
  readonly on?: RightsPlace
  readonly role: Name
}

export type Right = Located & {
  readonly name: 'read' | 'write' | 'observe' | 'define' | 'inspect' | 'follow' | 'admin'
}

/** A table, or all tables, those to come as well. */
export type RightsPlace = Name | 'allTables'

/** CREATE BLOCK SUBJECT … [EXPIRES IN …] */
export type CreateBlockStatement = Located & {
  readonly kind: 'createBlock'
  readonly subject: Subject
  readonly expires?: Duration
}

export type DropBlockStatement = Located & { readonly kind: 'dropBlock'; readonly subject: Subject }

/** Statements about relays, which send commits to an address. */
export type RelayStatement = CreateRelayStatement | AlterRelayStatement | DropRelayStatement

/** CREATE RELAY … ON TABLES … TO '…' [AS ROLE …] */
export type CreateRelayStatement = Located & {
  readonly kind: 'createRelay'
  readonly ifNotExists: boolean
  readonly relay: Name
  readonly tables: readonly Name[]
  readonly to: Located & { readonly text: string }
  /** Whose rows are sent; without it all of them. */
  readonly role?: Name
}

/** ALTER RELAY … PAUSE | RESUME [FROM NOW | FROM SNAPSHOT] | ROTATE SECRET [KEEP …] */
export type AlterRelayStatement =
  | (Located & { readonly kind: 'pauseRelay'; readonly relay: Name })
  | (Located & {
      readonly kind: 'resumeRelay'
      readonly relay: Name
      /** Without it from where it stopped. */
      readonly from?: 'now' | 'snapshot'
    })
  | (Located & { readonly kind: 'rotateRelay'; readonly relay: Name; readonly keep?: Duration })

export type DropRelayStatement = Located & {
  readonly kind: 'dropRelay'
  readonly ifExists: boolean
  readonly relay: Name
}

/** ROTATE SECRET CURSOR */
export type RotateSecretStatement = Located & { readonly kind: 'rotateSecret' }

/** ALTER STORE SET retention = '7 days' */
export type AlterStoreStatement = Located & {
  readonly kind: 'alterStore'
  readonly retention: Duration
}

/** Whose JWTs they are, as their claim `sub` says. */
type Subject = Located & { readonly text: string }
