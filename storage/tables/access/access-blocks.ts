// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto'
import type { Timestamp } from '../../cells/cell.ts'
import { limitExceeded, StorageError } from '../../errors.ts'
import { STORAGE_LIMITS } from '../../limits.ts'
import { compareText } from '../../values/sql-value.ts'
import { type AccessReads, AccessRows, type AccessWrites } from './access-rows.ts'

/** Whose JWTs they are. */
type Whose = { readonly issuer: string; readonly subject: string }

/** Refuses the JWTs of a subject that were issued up to a moment, as long as one of them could still count. */
export type AccessBlock = Whose & {
  readonly from: Timestamp
  readonly expires: Timestamp
}

const ROWS = new AccessRows('block', isBlock)

/** The blocks that have not ended at `now`, by issuer and subject. */
export async function readAccessBlocks(
  transaction: Pick<AccessReads, 'scanBatches'>,
  now: Timestamp,
): Promise<AccessBlock[]> {
  const blocks = await ROWS.read(transaction)
  return blocks
    .filter(({ expires }) => expires > now)
    .sort((a, b) => compareText(a.issuer, b.issuer) || compareText(a.subject, b.subject))
}

/**
 * Where the subject is blocked already, it is again, and nothing that was refused counts earlier for that. Deletes the
 * blocks that have ended. Throws StorageError `limit_exceeded`.
 */
export async function createAccessBlock(
  transaction: AccessWrites,
  block: AccessBlock,
): Promise<void> {
  transaction.requireRoom()
  const all = await ROWS.read(transaction)
  const kept = all.filter(({ expires }) => expires > block.from)
  for (const ended of all.filter(({ expires }) => expires <= block.from)) {
    ROWS.delete(transaction, idOf(ended))
  }
  const id = idOf(block)
  const former = kept.find((each) => idOf(each) === id)
  if (former === undefined && kept.length >= STORAGE_LIMITS.accessBlocksMax) {
    throw limitExceeded('accessBlocksMax', kept.length + 1, 'There are too many blocks.')
  }
  const expires = Math.max(block.expires, former?.expires ?? 0)
  ROWS.write(transaction, id, { ...block, expires })
}

/** Throws StorageError `unknown_block` where the subject is not blocked at `now`. */
export async function dropAccessBlock(
  transaction: AccessWrites,
  whose: Whose,
  now: Timestamp,
): Promise<void> {
  const id = idOf(whose)
  const blocks = await readAccessBlocks(transaction, now)
  if (!blocks.some((each) => idOf(each) === id)) {
    const { subject } = whose
    throw new StorageError('unknown_block', `The subject ${subject} is not blocked.`, { subject })
  }
  ROWS.delete(transaction, id)
}

/** A subject may have any characters, and more of them than a key takes. */
function idOf({ issuer, subject }: Whose): string {
  return createHash('sha256').update(`${issuer}|${subject}`).digest('hex')
}

function isBlock(json: unknown): json is AccessBlock {
  const { issuer, subject, from, expires } = (json ?? {}) as Partial<AccessBlock>
  const isText = typeof issuer === 'string' && typeof subject === 'string'
  return isText && Number.isSafeInteger(from) && Number.isSafeInteger(expires)
}
