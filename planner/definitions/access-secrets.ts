// SPDX-License-Identifier: Apache-2.0
import type { RotateSecretStatement } from '../../parser/ast.ts'
import type { Transaction } from '../../storage/storage.ts'
import { rotateAccessSecret } from '../../storage/tables/access/access.ts'
import { PlanError } from '../plan-error.ts'

/** What signs cursors from now on. */
export type NewSecret = {
  /** The one that a store begins with. */
  readonly first: Uint8Array
  readonly made: Uint8Array
  /** How long what the one from before has signed still counts. */
  readonly formerMicros: number
}

export type SecretContext = {
  readonly transaction: Transaction
  /** Undefined where nothing signs cursors. */
  readonly newSecret?: (() => Promise<NewSecret>) | undefined
}

/** The name of the secret that signs cursors. */
const CURSOR = 'cursor'

/** ROTATE SECRET CURSOR. Throws as `executeAccess`. */
export async function rotateCursorSecret(
  { position }: RotateSecretStatement,
  { transaction, newSecret }: SecretContext,
): Promise<void> {
  if (newSecret === undefined) {
    throw new PlanError('invalid_request', 'Only a running server signs cursors.', { position })
  }
  const { first, made, formerMicros } = await newSecret()
  const until = transaction.now + formerMicros
  await rotateAccessSecret(transaction, CURSOR, { first, made, until })
}
