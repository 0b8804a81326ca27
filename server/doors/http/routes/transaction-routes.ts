// SPDX-License-Identifier: Apache-2.0
import type { FastifyReply } from 'fastify'
import { readStamp } from '../../../../planner/planner.ts'
import { HISTORY_HEADER, namedHistory } from '../../../guard/history/request-history.ts'
import {
  outcomeUnknown,
  type SessionEnding,
  TransactionSession,
} from '../../../requests/transactions/transaction-session.ts'
import { catalogAt } from '../../../snapshot.ts'
import {
  answerCommitTimestamp,
  answerReadTimestamp,
  locationOf,
  openedTransaction,
} from '../answers/transaction-answers.ts'
import type { RouteDependencies } from '../dependencies.ts'
import { listedUntilVisible, listedWork } from '../listed-work.ts'
import type { Handlers } from '../openapi/binding.ts'
import { minTimestampOf } from './row-parameters.ts'

type OpenRequest = {
  readonly readOnly?: boolean
  readonly asOf?: unknown
  readonly history?: string
}

export function transactionRoutes({
  storage,
  sessions,
  requests,
  begins,
  access,
}: RouteDependencies): Handlers {
  const addressOf = (parameters: Readonly<Record<string, unknown>>, reply: FastifyReply) => {
    return { id: String(parameters.transaction), owner: access.of(reply.request.raw)?.id }
  }
  return {
    async openTransaction({ body, parameters, reply }) {
      const { readOnly = false, asOf, history } = (body ?? {}) as OpenRequest
      const past = asOf === undefined ? {} : { asOf: readStamp('AS OF', asOf) }
      const wanted = {
        readOnly: readOnly || asOf !== undefined,
        ...past,
        ...namedHistory(parameters[HISTORY_HEADER], history),
        ...minTimestampOf(parameters),
      }
      await listedUntilVisible({ requests, storage }, reply, wanted)
      const session = await sessions.open(requests.callerOf(reply.request.raw), wanted)
      await begins.watch(session.id, reply.raw)
      answerReadTimestamp(reply, session.transaction.startTs)
      reply.code(201).header('Location', locationOf(session))
      return openedTransaction(session)
    },

    async listTransactions({ parameters, reply }) {
      const limit = Number(parameters.limit ?? 100)
      const principal = access.of(reply.request.raw)
      const seen = sessions.list(principal?.id, access.may(principal, 'inspect'))
      return listedWork(requests, reply, async ({ turns }) => {
        const catalog = await catalogAt(storage)
        const transactions: object[] = []
        for (const session of seen.slice(0, limit)) {
          const writes = await session.work.writes(session.transaction, catalog, turns)
          transactions.push({ ...openTransactionOf(session, principal?.id), writes })
        }
        return { transactions, total: seen.length }
      })
    },

    async getTransaction({ parameters, reply }) {
      const address = addressOf(parameters, reply)
      return outcomeOf(address.id, await sessions.outcome(address))
    },

    async commitTransaction({ parameters, reply }) {
      const address = addressOf(parameters, reply)
      const commitTimestamp = await listedWork(requests, reply, (running) => {
        running.commits()
        const committing = sessions.commit(address, running.principal)
        return running.untilCopied(committing, () => outcomeUnknown(address.id))
      })
      answerReadTimestamp(reply, Number.parseInt(address.id, 10))
      answerCommitTimestamp(reply, commitTimestamp)
      return { commitTimestamp }
    },

    async rollBackTransaction({ parameters, reply }) {
      const address = addressOf(parameters, reply)
      await listedWork(requests, reply, (running) =>
        running.untilCopied(sessions.rollBack(address), () => outcomeUnknown(address.id)),
      )
      reply.code(204)
      return undefined
    },
  }
}

/** Of one of another owner there is only the stamp in place of the id, which is of no use to anybody else. */
function openTransactionOf(session: TransactionSession, owner: string | undefined) {
  const { transaction, busy, openedAt, expiresAt, client, work } = session
  const id = session.owner === owner ? session.id : String(transaction.startTs)
  const { startTs: readTimestamp, readOnly, written } = transaction
  const { statements, last } = work
  const about = {
    client,
    statements,
    ...(last === undefined ? {} : { last }),
    bytes: written?.bytes ?? 0,
  }
  const idleMs = Math.round(session.idleMs)
  return { transaction: id, readTimestamp, readOnly, busy, openedAt, expiresAt, idleMs, ...about }
}

/** `TransactionOutcome` of `openapi.yaml`. */
function outcomeOf(transaction: string, found: TransactionSession | SessionEnding) {
  if (found instanceof TransactionSession) {
    return { transaction, status: 'active', expiresAt: found.expiresAt }
  }
  switch (found.kind) {
    case 'active':
      return { transaction, status: 'active' }
    case 'committed':
      return { transaction, status: 'committed', commitTimestamp: found.commitTs }
    case 'expired':
      return { transaction, status: 'rolledBack', reason: 'expired' }
    case 'rolledBack':
    case 'failed':
      return { transaction, status: 'rolledBack', reason: found.reason }
    case 'unknown':
      return { transaction, status: 'unknown' }
  }
}
