// SPDX-License-Identifier: Apache-2.0
import type { ALL_LIMITS } from '../../../limits.ts'

/**
 * The right that a client needs for an operation or a frame. `none` needs no token, and all others any token. `define`,
 * `inspect`, `follow` and `admin` are asked for before anything else happens; rights on a table by the planner.
 */
export const RIGHTS = {
  none: 'open to all clients',
  any: 'any client that is let in; each statement inside asks for its own right',
  read: 'reads rows of a table, or its definition',
  write: 'writes rows of a table',
  define: 'makes, changes and drops tables, indexes and observers',
  observe: 'takes and gives up the notifications of an observer',
  inspect: 'looks below the rows and at what the server does for all clients',
  follow: 'takes a copy of the whole store, and every change to it',
  admin: 'manages the server itself',
} as const

export type Right = keyof typeof RIGHTS

type Budget = {
  readonly meaning: string
  /** Names in `GET /v1/limits`; time limits that are configured are in the meaning. */
  readonly limits: ReadonlyArray<keyof typeof ALL_LIMITS>
}

/** What bounds the work of an operation or a frame. */
export const BUDGETS = {
  none: { meaning: 'a fixed response, independent of the request', limits: [] },
  statement: {
    meaning: 'statements of one transaction, and `--statement-timeout`',
    limits: [
      ...([
        'statementTextBytesMax',
        'statementsMax',
        'statementNodesMax',
        'parametersMax',
      ] as const),
      ...(['rowWorkMax', 'statementKeysMax', 'pageRowsMax', 'answerBytesMax'] as const),
      ...(['transactionRowsMax', 'transactionBytesMax', 'forwardedRequestsMax'] as const),
      ...(['bodyValuesMax', 'bodyNamesMax'] as const),
    ],
  },
  script: {
    meaning: 'statements that run one after the other, each within `--statement-timeout`',
    limits: [
      ...(['statementTextBytesMax', 'statementsMax', 'statementNodesMax', 'rowWorkMax'] as const),
      ...(['scriptRowsMax', 'scriptRowBytesMax', 'scriptNoteStatementsMax'] as const),
      ...(['transactionRowsMax', 'transactionBytesMax', 'answerBytesMax'] as const),
    ],
  },
  description: {
    meaning: 'a statement that is planned and does not run',
    limits: ['statementTextBytesMax', 'tokensMax', 'statementNodesMax', 'parametersMax'],
  },
  rows: {
    meaning: 'rows of one table, and `--statement-timeout`',
    limits: [
      ...([
        'postedRowsMax',
        'inspectedRowsMax',
        'pageRowsMax',
        'rowBytesMax',
        'rowKeyBytesMax',
        'rowWorkMax',
      ] as const),
      ...(['answerBytesMax', 'transactionBytesMax', 'bodyValuesMax', 'bodyNamesMax'] as const),
    ],
  },
  transaction: {
    meaning: 'a transaction over several requests, its idle time and its time at most',
    limits: [
      'openTransactionsMax',
      'transactionRowsMax',
      'transactionBytesMax',
      'bufferedBytesMax',
      'forwardedRequestsMax',
    ],
  },
  subscription: {
    meaning: 'a query whose changes are sent on',
    limits: [
      ...(['subscriptionsMax', 'changeStreamsMax', 'socketSubscriptionsMax'] as const),
      ...(['liveRowsMax', 'liveBytesMax', 'liveResultsBytesMax'] as const),
      ...(['filterWorkMax', 'clientFilterWorkMax'] as const),
      ...(['feedReadersMax', 'socketUnsentBytesMax'] as const),
    ],
  },
  observation: {
    meaning: 'workers that wait for notifications, and notifications that they hold',
    limits: ['socketWorkersMax', 'observerLeaseMsMax', 'observerTriesMax'],
  },
  socket: {
    meaning: 'a connection that stays open',
    limits: ['socketsMax', 'socketQueriesMax', 'socketSilenceMsMax', 'bodyBytesMax'],
  },
  list: {
    meaning: 'a list of what is in memory or in the catalog, or the `limit` of the request',
    limits: ['tablesMax', 'catalogPartsMax', 'openTransactionsMax'],
  },
  log: {
    meaning: 'what the server keeps of what has happened, in so many entries',
    limits: ['activityStepsMax', 'conflictsMax', 'hotRowsMax', 'statementShapesMax'],
  },
  completion: {
    meaning: 'a text that is cut into its words, and names of the catalog',
    limits: [
      ...(['statementTextBytesMax', 'tokensMax', 'completionTokensMax'] as const),
      ...(['catalogPartsMax', 'completionItemsMax'] as const),
    ],
  },
  backup: {
    meaning: 'one copy of the store at a time, the room of its disk, and backups that are kept',
    limits: ['backupsMax'],
  },
  replication: {
    meaning: 'groups that are read from their files, for so many standbys at a time',
    limits: ['followersMax', 'followBytesMax'],
  },
  check: { meaning: 'one reading of the whole store, shared by all who ask for it', limits: [] },
} as const satisfies Readonly<Record<string, Budget>>

export type BudgetName = keyof typeof BUDGETS

export type Declaration = { readonly right: Right; readonly budget: BudgetName }

/** What an operation or a frame declares. Throws where one is missing or does not exist. */
export function requireDeclaration(
  what: string,
  { right, budget }: { readonly right?: unknown; readonly budget?: unknown },
): Declaration {
  if (!Object.hasOwn(RIGHTS, String(right))) {
    throw new Error(
      `${what} has the right ${right}; it is one of ${Object.keys(RIGHTS).join(', ')}.`,
    )
  }
  if (!Object.hasOwn(BUDGETS, String(budget))) {
    const names = Object.keys(BUDGETS).join(', ')
    throw new Error(`${what} has the budget ${budget}; it is one of ${names}.`)
  }
  return { right: right as Right, budget: budget as BudgetName }
}
