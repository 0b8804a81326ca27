// SPDX-License-Identifier: Apache-2.0
import type { Timestamp } from '../../cell-store/cell.ts'
import type { ColumnDefinition, ObserverDefinition } from '../table-definition.ts'
import { TABLE_ID_MAX } from './catalog-codec.ts'
import {
  damaged,
  type JsonObject,
  requireBoolean,
  requireColumnIds,
  requireId,
  requireObject,
  requireText,
} from './catalog-json.ts'

/**
 * An observer in the row of its table:
 *
 *     {"id":9,"name":"invert","weak":false,"columns":[2],"state":"active","backfilled":true}
 *     { … ,"epoch":1767225600000100,"replayFrom":1767225600000000}          after a REPLAY
 *     { … ,"resumedAt":1767225600000200}                                    after a RESUME
 */
const STATES = ['active', 'paused'] as const

export function jsonOfObserver(observer: ObserverDefinition): JsonObject {
  const { id, name, isWeak, columns, state, isBackfilled, epoch, replayFrom, resumedAt } = observer
  const replay = epoch === undefined ? {} : { epoch, replayFrom }
  const resumed = resumedAt === undefined ? {} : { resumedAt }
  return { id, name, weak: isWeak, columns, state, backfilled: isBackfilled, ...replay, ...resumed }
}

/** Violations of T3. */
export function observerOfJson(
  json: unknown,
  tableColumns: readonly ColumnDefinition[],
): ObserverDefinition {
  const members = requireObject(json)
  const state = STATES.find((candidate) => candidate === members.state)
  if (state === undefined) throw damaged('an observer has no state')
  const columns = requireColumnIds(members.columns, tableColumns)
  if (columns.length === 0) throw damaged('an observer has no columns')
  const { epoch, replayFrom, resumedAt } = members
  const wasReplayed = epoch !== undefined || replayFrom !== undefined
  return {
    id: requireId(members.id, TABLE_ID_MAX),
    name: requireText(members.name),
    isWeak: requireBoolean(members.weak),
    columns,
    state,
    isBackfilled: requireBoolean(members.backfilled),
    ...(wasReplayed && {
      epoch: timestampOfJson(epoch),
      replayFrom: timestampOfJson(replayFrom),
    }),
    ...(resumedAt !== undefined && { resumedAt: timestampOfJson(resumedAt) }),
  }
}

function timestampOfJson(json: unknown): Timestamp {
  return requireId(json, Number.MAX_SAFE_INTEGER)
}
