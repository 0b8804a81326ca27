// SPDX-License-Identifier: Apache-2.0
import type { FastifyReply } from 'fastify'
import type { Timestamp } from '../../../../storage/storage.ts'
import type { TransactionSession } from '../../../requests/transactions/transaction-session.ts'

export const READ_TIMESTAMP_HEADER = 'Percolite-Read-Timestamp'
export const COMMIT_TIMESTAMP_HEADER = 'Percolite-Commit-Timestamp'

export function answerReadTimestamp(reply: FastifyReply, timestamp: Timestamp): void {
  reply.header(READ_TIMESTAMP_HEADER, timestamp)
}

export function answerCommitTimestamp(reply: FastifyReply, timestamp: Timestamp | null): void {
  if (timestamp !== null) reply.header(COMMIT_TIMESTAMP_HEADER, timestamp)
}

/** `OpenedTransaction` of `openapi.yaml`. */
export function openedTransaction({ id, transaction, expiresAt }: TransactionSession) {
  return { transaction: id, readTimestamp: transaction.startTs, expiresAt }
}

export function locationOf({ id }: TransactionSession): string {
  return `/v1/transactions/${id}`
}
