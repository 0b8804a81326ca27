// SPDX-License-Identifier: Apache-2.0
import type { CreateBlockStatement, DropBlockStatement, Duration } from '../../parser/ast.ts'
import type { Timestamp, Transaction } from '../../storage/storage.ts'
import { createAccessBlock, dropAccessBlock } from '../../storage/tables/access/access.ts'
import { PlanError } from '../plan-error.ts'
import { endOf } from './duration.ts'

/** Whose JWTs are taken, and for how long one of them counts at most. */
export type JwtIssuer = {
  readonly issuer: string
  readonly subjectBytesMax: number
  readonly lifeMicrosMax: number
}

export type BlockContext = {
  readonly transaction: Transaction
  /** Undefined where no JWTs are taken. */
  readonly jwtIssuer?: JwtIssuer | undefined
}

const HOUR_MICROS = 3_600_000_000

/** Throws as `executeAccess`. */
export async function executeBlockStatement(
  statement: CreateBlockStatement | DropBlockStatement,
  { transaction, jwtIssuer }: BlockContext,
): Promise<void> {
  const { subject } = statement
  if (jwtIssuer === undefined) {
    const message = 'This server takes no JWTs, so it has no subjects to block: see --jwt-issuer.'
    throw new PlanError('invalid_request', message, { position: subject.position })
  }
  const { subjectBytesMax } = jwtIssuer
  const bytes = Buffer.byteLength(subject.text)
  if (bytes === 0 || bytes > subjectBytesMax) {
    const message = `The subject of a JWT has 1 to ${subjectBytesMax} bytes.`
    throw new PlanError('out_of_range', message, { position: subject.position })
  }
  const whose = { issuer: jwtIssuer.issuer, subject: subject.text }
  const { now } = transaction
  if (statement.kind === 'dropBlock') return await dropAccessBlock(transaction, whose, now)
  const expires = endOfBlock(now, statement.expires, jwtIssuer)
  await createAccessBlock(transaction, { ...whose, from: now, expires })
}

/** When none of the JWTs that it refuses can count any more, or earlier where that is said. */
function endOfBlock(
  now: Timestamp,
  said: Duration | undefined,
  { lifeMicrosMax }: JwtIssuer,
): Timestamp {
  if (said === undefined) return now + lifeMicrosMax
  const hoursMax = Math.floor(lifeMicrosMax / HOUR_MICROS)
  const words = `A block lasts for a minute to ${hoursMax} hours: no JWT lives longer.`
  return endOf(now, said, { minutesMax: BigInt(hoursMax * 60), words })
}
