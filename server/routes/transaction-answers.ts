// SPDX-License-Identifier: Apache-2.0
import type { FastifyReply } from 'fastify'
import type { Timestamp } from '../../storage/storage.ts'
import type { TransactionSession } from '../transaction-session.ts'

export function answerReadTimestamp(reply: FastifyReply, timestamp: Timestamp): void {
  reply.header('Percolite-Read-Timestamp', timestamp)
}

export function answerCommitTimestamp(reply: FastifyReply, timestamp: Timestamp | null): void {
  if (timestamp !== null) reply.header('Percolite-Commit-Timestamp', timestamp)
}

/** 201 with `OpenedTransaction` of `openapi.yaml`. */
export function openedAnswer(reply: FastifyReply, session: TransactionSession) {
  const { id, transaction, expiresAt } = session
  answerReadTimestamp(reply, transaction.startTs)
  reply.code(201).header('Location', `/v1/transactions/${id}`)
  return { transaction: id, readTimestamp: transaction.startTs, expiresAt }
}
