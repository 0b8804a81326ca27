// SPDX-License-Identifier: Apache-2.0
import { evaluateStamp, readStamp } from '../../../planner/planner.ts'
import {
  behind,
  type MaybePromise,
  type Storage,
  type Timestamp,
} from '../../../storage/storage.ts'
import { ServerError, StatementFailure } from '../../errors/server-error.ts'
import type { QueryOptions } from './query-request.ts'
import type { RunningRequest } from './running-request.ts'
import type { Paging } from './scan-paging.ts'
import type { IndexedStatement, Script } from './script.ts'

export type SnapshotRequest = {
  readonly readOnly: boolean
  readonly asOf?: Timestamp | undefined
  /** It has to be this new. */
  readonly minTimestamp?: number | undefined
  /** The history that `asOf` and `minTimestamp` are said to be of. */
  readonly history?: string | undefined
  /** Ends the waiting for it. */
  readonly signal?: AbortSignal
}

/** What a BEGIN asks for, and the request around it. */
export function beginOptions(
  { statement, parameters }: Extract<Script, { kind: 'open' }>['begin'],
  request: Pick<QueryOptions, 'asOf' | 'history'>,
): SnapshotRequest {
  const { readOnly, asOf } = statement
  if (asOf !== undefined && request.asOf !== undefined) {
    throw new ServerError('invalid_request', 'BEGIN … AS OF and asOf are both given.')
  }
  if (request.asOf !== undefined) return pastOf(readStamp('AS OF', request.asOf), request)
  return asOf === undefined
    ? { readOnly }
    : pastOf(evaluateStamp('AS OF', asOf, parameters), request)
}

/** The snapshot of a whole request: the cursor's, or what it, BEGIN or its only statement says. */
export function snapshotOf(
  script: Script & { readonly kind: 'transaction' },
  paging: Pick<Paging, 'readTimestamp'>,
  request: Pick<QueryOptions, 'asOf' | 'history'>,
): SnapshotRequest {
  if (paging.readTimestamp !== undefined) return { readOnly: true, asOf: paging.readTimestamp }
  if (script.begin !== undefined) return beginOptions(script.begin, request)
  if (request.asOf !== undefined) return pastOf(readStamp('AS OF', request.asOf), request)
  const [only] = script.statements
  const asOf = only !== undefined && script.statements.length === 1 ? asOfOf(only) : undefined
  return asOf === undefined ? { readOnly: false } : pastOf(asOf, request)
}

function pastOf(asOf: Timestamp, { history }: Pick<QueryOptions, 'history'>): SnapshotRequest {
  return { readOnly: true, asOf, ...(history === undefined ? {} : { history }) }
}

/**
 * For a client that has seen a commit and wants to read at least that: waits until the snapshot of a request is as new
 * as its `minTimestamp`, for no longer than it may wait before its first statement. Undefined where there is nothing to
 * wait for. A snapshot of the past is what was asked for, however old.
 *
 * Throws or rejects with StorageError `history_replaced` for a stamp of another history, `timestamp_in_future` for one
 * that no server of this history can have issued, and `behind` where the time is over; and with the reason of the
 * request's signal.
 */
export function whenVisible(
  storage: Pick<Storage, 'history' | 'visible' | 'visibleAt'>,
  { minTimestamp, history, asOf }: Omit<SnapshotRequest, 'readOnly'>,
  running: RunningRequest,
): MaybePromise<void> {
  if (minTimestamp === undefined) return undefined
  storage.history.require(minTimestamp, history)
  if (asOf !== undefined) return undefined
  const late = () => behind(minTimestamp, storage.visible.newest)
  return running.waitingFor((signal) => storage.visibleAt(minTimestamp, signal), late)
}

/** The AS OF of a statement that reads, evaluated; undefined where there is none. */
export function asOfOf({ statement, parameters, index }: IndexedStatement): Timestamp | undefined {
  const read = statement.kind === 'explain' ? statement.statement : statement
  if ((read.kind !== 'get' && read.kind !== 'scan') || read.asOf === undefined) return undefined
  try {
    return evaluateStamp('AS OF', read.asOf, parameters)
  } catch (error) {
    throw error instanceof StatementFailure ? error : new StatementFailure(index, error)
  }
}
