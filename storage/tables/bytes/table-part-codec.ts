// SPDX-License-Identifier: Apache-2.0

import type { Timestamp } from '../../cells/cell.ts'
import {
  type CheckConstraint,
  type ColumnDefinition,
  type IndexDefinition,
  type ObserverDefinition,
  type RowRule,
  type ScheduleDefinition,
  TABLE_RIGHTS,
  type TableGrant,
} from '../table-definition.ts'
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
import { hasOtherWords, jsonOfPart, partsOfJson } from './key-part-codec.ts'

/**
 * An index in the row of its table:
 *
 *     {"id":8,"name":"byTime","unique":false,"columns":[…],"storing":[4],"state":"ready"}
 *     { … ,"state":"failed","failure":"…"}
 */
export function jsonOfIndex(index: IndexDefinition): JsonObject {
  const { id, name, unique, parts, storing, state, failure } = index
  const columns = parts.map(jsonOfPart)
  return { id, name, unique, columns, storing, state, ...(failure && { failure }) }
}

/** `mayHave` is what the format of the table lets its parts have. Violations of T3. */
export function indexOfJson(
  json: unknown,
  tableColumns: readonly ColumnDefinition[],
  mayHave: Parameters<typeof partsOfJson>[2],
): IndexDefinition {
  const { members, ...common } = commonOfJson(json, ['building', 'ready', 'failed'])
  const { unique, columns: parts, storing, failure } = members
  return {
    ...common,
    unique: requireBoolean(unique),
    parts: partsOfJson(parts, tableColumns, mayHave),
    storing: requireColumnIds(storing, tableColumns),
    ...(failure !== undefined && { failure: requireText(failure) }),
    ...(hasOtherWords(parts) && OTHER_WORDS),
  }
}

/** What is written now would have other entries than what is there. */
const OTHER_WORDS = {
  state: 'failed',
  failure: 'This server finds the words of a text by another version of ICU.',
} as const

/**
 * An observer in the row of its table:
 *
 *     {"id":9,"name":"invert","weak":false,"columns":[2],"state":"active","backfilled":true}
 *     { … ,"epoch":1767225600000100,"replayFrom":1767225600000000}          after a REPLAY
 *     { … ,"resumedAt":1767225600000200}                                    after a RESUME
 *     { … ,"due":3}                                                         DUE, of format 10
 */
export function jsonOfObserver(observer: ObserverDefinition): JsonObject {
  const { id, name, isWeak, columns, due, state, isBackfilled } = observer
  const { epoch, replayFrom, resumedAt } = observer
  const replay = epoch === undefined ? {} : { epoch, replayFrom }
  const resumed = resumedAt === undefined ? {} : { resumedAt }
  return {
    id,
    name,
    weak: isWeak,
    columns,
    ...(due !== undefined && { due }),
    state,
    backfilled: isBackfilled,
    ...replay,
    ...resumed,
  }
}

/** Violations of T3. */
export function observerOfJson(
  json: unknown,
  tableColumns: readonly ColumnDefinition[],
  mayHave: { readonly due: boolean },
): ObserverDefinition {
  const { members, ...common } = commonOfJson(json, ['active', 'paused'])
  const columns = requireColumnIds(members.columns, tableColumns)
  if (columns.length === 0) throw damaged('an observer has no columns')
  const { due, epoch, replayFrom, resumedAt } = members
  const isDue = due !== undefined
  if (isDue && !(mayHave.due && columns.includes(due as number))) {
    throw damaged('an observer has no such time')
  }
  const wasReplayed = epoch !== undefined || replayFrom !== undefined
  return {
    ...common,
    isWeak: requireBoolean(members.weak),
    columns,
    ...(isDue && { due: due as number }),
    isBackfilled: requireBoolean(members.backfilled),
    ...(wasReplayed && {
      epoch: timestampOfJson(epoch),
      replayFrom: timestampOfJson(replayFrom),
    }),
    ...(resumedAt !== undefined && { resumedAt: timestampOfJson(resumedAt) }),
  }
}

/**
 * A schedule in the row of its table, which is of format 11:
 *
 *     {"id":10,"name":"nightly","observer":9,"every":"1 day","at":"03:00","zone":"Europe/Zurich","missed":"latest",
 *       "state":"active"}
 *     { … ,"cron":"0 3 * * *", … }
 */
export function jsonOfSchedule(schedule: ScheduleDefinition): JsonObject {
  const { id, name, observer, times, zone, missed, state } = schedule
  return { id, name, observer, ...times, zone, missed, state }
}

/** Violations of T3. */
export function scheduleOfJson(json: unknown): ScheduleDefinition {
  const { members, ...common } = commonOfJson(json, ['active', 'paused'])
  const { observer, every, at, cron, zone, missed } = members
  if (missed !== 'latest' && missed !== 'all')
    throw damaged('a schedule does not say what is missed')
  const times =
    cron === undefined
      ? { every: requireText(every), ...(at !== undefined && { at: requireText(at) }) }
      : { cron: requireText(cron) }
  const observerId = requireId(observer, TABLE_ID_MAX)
  return { ...common, observer: observerId, times, zone: requireText(zone), missed }
}

/** Violations of T3. */
export function grantOfJson(json: unknown, columns: readonly ColumnDefinition[]): TableGrant {
  const { role, right: given, rule } = requireObject(json)
  const right = TABLE_RIGHTS.find((candidate) => candidate === given)
  if (right === undefined) throw damaged('a grant has no right')
  const grant = { role: requireText(role), right }
  return rule === undefined ? grant : { ...grant, rule: ruleOfJson(rule, columns) }
}

function ruleOfJson(json: unknown, columns: readonly ColumnDefinition[]): RowRule {
  const { text, columns: named, isByKey } = requireObject(json)
  return {
    text: requireText(text),
    columns: requireColumnIds(named, columns),
    isByKey: requireBoolean(isByKey),
  }
}

/** Violations of T3. */
export function checkOfJson(json: unknown, columns: readonly ColumnDefinition[]): CheckConstraint {
  const { name, text, columns: named, state } = requireObject(json)
  if (state !== 'adding' && state !== 'ready') throw damaged('a check has no state')
  const check = { name: requireText(name), text: requireText(text), state } as const
  return { ...check, columns: requireColumnIds(named, columns) }
}

function commonOfJson<State extends string>(json: unknown, states: readonly State[]) {
  const members = requireObject(json)
  const state = states.find((candidate) => candidate === members.state)
  if (state === undefined) throw damaged('an index, an observer or a schedule has no state')
  const { id, name } = members
  return { members, id: requireId(id, TABLE_ID_MAX), name: requireText(name), state }
}

function timestampOfJson(json: unknown): Timestamp {
  return requireId(json, Number.MAX_SAFE_INTEGER)
}
