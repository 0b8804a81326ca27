// SPDX-License-Identifier: Apache-2.0
import type { StorageError } from '../../errors.ts'
import { schemaChanged } from '../protocol/commit-refusal.ts'
import { snapshotTooOld } from '../protocol/snapshot-age.ts'
import type { CommitRequest } from '../protocol/transaction-protocol.ts'
import type { EmbeddedContext } from './embedded-context.ts'

/** The reason why rule F1 forbids the commit, or undefined. Must be called in the turn that takes commitTs. */
export function fencedOff(
  { oracle }: EmbeddedContext,
  { startTs, schemaScopes, changedSchemas }: CommitRequest,
): StorageError | undefined {
  if (oracle.safePoint > startTs) return snapshotTooOld(startTs, oracle.safePoint)
  // Two changes of definitions conflict on a row of the catalog; they need no fence between them.
  if (changedSchemas.length > 0) return undefined
  const schemaFence = oracle.schemaFenceOf(schemaScopes)
  return schemaFence > startTs ? schemaChanged(startTs, schemaFence) : undefined
}
