// SPDX-License-Identifier: Apache-2.0
import { PARSER_LIMITS } from '../parser/parser.ts'
import { PLANNER_LIMITS } from '../planner/planner.ts'
import { STORAGE_LIMITS } from '../storage/storage.ts'

/** The bounds that the server itself keeps, unit last. */
export const SERVER_LIMITS = {
  bodyBytesMax: 16 * 1024 * 1024,
  /** Of the header field Accept. */
  acceptCharactersMax: 1_024,
  bodyNestingMax: 260,
  bodyValuesMax: 500_000,
  bodyNamesMax: 50_000,
  pageRowsDefault: 1_000,
  pageRowsMax: 10_000,
  rowsPageDefault: 100,
  postedRowsMax: 10_000,
  pageBytesMax: 16 * 1024 * 1024,
  streamPageRows: 1_000,
  streamPageBytes: 256 * 1024,
  answerBytesMax: 64 * 1024 * 1024,
  idempotentAnswerBytesMax: 1024 * 1024,
  requestsMax: 16_384,
  queuedRequestsMax: 1_024,
  openTransactionsMax: 10_000,
  transactionAttemptsMax: 8,
  transactionRetryMsMax: 2_000,
  outcomeMemoryMs: 10 * 60 * 1000,
  pathParameterCharactersMax: 16_384,
  headerBytesMax: 32 * 1024,
  connectionsMax: 12_000,
  receivedBytesMax: 128 * 1024 * 1024,
  unsentBytesMax: 256 * 1024 * 1024,
  subscriptionBytesMax: 1024 * 1024,
  subscriptionsBytesMax: 128 * 1024 * 1024,
  arrivalMsMax: 60_000,
  tlsHandshakeMsMax: 10_000,
  subscriptionsMax: 100_000,
  changeStreamsMax: 10_000,
  socketsMax: 10_000,
  socketSubscriptionsMax: 100,
  socketQueriesMax: 32,
  socketWorkersMax: 100,
  observerWorkersMax: 10_000,
  socketUnsentBytesMax: 1024 * 1024,
  socketSilenceMsMax: 60_000,
  socketPingMs: 15_000,
  sentFrameBytesMax: 1024 * 1024,
  frameIdCharactersMax: 128,
  progressMs: 10_000,
  filterWorkMax: 50_000_000,
  filterRowWorkMax: 5_000,
  feedPageRows: 1_000,
  feedQueueRows: 10_000,
  feedRecentRows: 10_000,
  feedReadersMax: 8,
  frameCacheBytes: 16 * 1024 * 1024,
  observerLeaseMsDefault: 30_000,
  observerLeaseMsMax: 600_000,
} as const

/** Every limit of every room, as `GET /v1/limits` answers them. */
export const ALL_LIMITS = {
  ...PARSER_LIMITS,
  ...PLANNER_LIMITS,
  ...STORAGE_LIMITS,
  ...SERVER_LIMITS,
} as const
