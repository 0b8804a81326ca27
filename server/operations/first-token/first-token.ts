// SPDX-License-Identifier: Apache-2.0
import type { Logger } from 'pino'
import {
  type Clock,
  type Randomness,
  type Storage,
  StorageError,
} from '../../../storage/storage.ts'
import {
  hashOfToken,
  idOfToken,
  isAdmin,
  newTokenText,
  readAccessTokens,
  type ShownToken,
  takeFirstToken,
} from '../../../storage/tables/access/access.ts'
import type { Audit } from '../../guard/audit/audit.ts'
import { runAgain } from '../../requests/transactions/retry.ts'
import { inSnapshot, inTransaction } from '../../snapshot.ts'
import { TokenFile } from './token-file.ts'

/** Between two looks into a file that another server writes. */
const WAIT_MS_MAX = 100

/** How long another server may take to write into the file that it has just made. */
const WRITING_MS_MAX = 1_000

type Options = {
  readonly storage: Storage
  readonly clock: Clock
  readonly randomness: Randomness
  readonly log: Logger
  readonly audit: Pick<Audit, 'requireWritable' | 'firstToken'>
}

/**
 * Where the store has no valid token of the role `admin`: takes the one in the file, or makes one and writes it there.
 * It is never logged. Rejects with UsageError where the file cannot be used, and as the store does; then a file that
 * was made here is gone.
 */
export async function ensureAdmin(path: string, options: Options): Promise<void> {
  const { storage, log } = options
  // A store that has been moved takes no tokens any more.
  if (storage.movedTo !== undefined || (await hasAdmin(storage))) return
  const file = new TokenFile(path)
  const { isNew, ...token } = await tokenOf(file, options)
  try {
    // Another server may have been first: its token counts then, and its file has it.
    if (!(await keep(token, options))) {
      if (isNew) file.remove()
      return
    }
  } catch (error) {
    // Where it may have been kept, the next start takes it from the file.
    const isUnknown = error instanceof StorageError && error.code === 'commit_outcome_unknown'
    if (isNew && !isUnknown) file.remove()
    const isRefused = error instanceof StorageError && error.code === 'invalid_definition'
    throw isRefused ? file.refusal(`${error.message}; remove it, or put another one there`) : error
  }
  const facts = { token: token.id, path: file.path }
  log.info(facts, isNew ? 'a first token was made' : 'a first token was taken from its file')
}

async function hasAdmin(storage: Storage): Promise<boolean> {
  return await inSnapshot(storage, undefined, async ({ transaction }) => {
    const tokens = await readAccessTokens(transaction)
    return tokens.some((token) => isAdmin(token, transaction.now))
  })
}

type FileToken = ShownToken & { readonly isNew: boolean }

/** The token of the file, which is made with a new one where there is none. Rejects with UsageError. */
async function tokenOf(file: TokenFile, { clock, randomness }: Options): Promise<FileToken> {
  const deadlineMs = clock.monotonicMs() + WRITING_MS_MAX
  for (;;) {
    const found = file.read()
    if (found === undefined) {
      const made = newTokenText(randomness)
      if (await file.create(made.text))
        return { id: made.id, hash: hashOfToken(made.text), isNew: true }
    }
    const text = found ?? ''
    const id = idOfToken(text)
    if (id !== undefined) return { id, hash: hashOfToken(text), isNew: false }
    // Another server may be about to write into it.
    if (text !== '' || clock.monotonicMs() >= deadlineMs) {
      throw file.refusal('there is no token in it; remove it to have one made')
    }
    await clock.sleep(WAIT_MS_MAX)
  }
}

/** Resolves to whether the token counts now; false where another one of an administrator does. */
async function keep(
  token: ShownToken,
  { storage, clock, randomness, audit }: Options,
): Promise<boolean> {
  // Its commit may have been one, though its answer was lost: the next attempt sees whether it is there.
  let wasTried = false
  const beganMs = clock.monotonicMs()
  const attempt = () =>
    inTransaction(storage, {}, async (transaction) => {
      const counts = await takeFirstToken(transaction, token)
      if (!counts) return false
      if (transaction.hasWrites) {
        await audit.requireWritable()
        wasTried = true
        const { commitTs } = await transaction.commit()
        audit.firstToken(token.id, commitTs ?? undefined)
      } else if (wasTried) audit.firstToken(token.id, undefined)
      return true
    })
  const isWorthRerun = (error: unknown) => error instanceof StorageError && error.isWorthRerun
  const options = { clock, randomness, beganMs, isWorthRerun }
  return await attempt().catch((error) => runAgain(options, error, attempt))
}
