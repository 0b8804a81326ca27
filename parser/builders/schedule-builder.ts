// SPDX-License-Identifier: Apache-2.0

import type { IToken } from 'chevrotain'
import type {
  AlterScheduleStatement,
  CreateScheduleStatement,
  DropScheduleStatement,
  Name,
  Position,
  TimesClause,
} from '../ast.ts'
import type * as cst from '../grammar/grammar-cst.gen.ts'
import { observerOf } from './clause-builder.ts'
import { only, positionOfToken } from './cst-position.ts'
import { buildName, unquoted } from './literal.ts'

// The position of a definition is that of its first word, which stands outside of these nodes.

export function buildNewSchedule(
  { children }: cst.NewScheduleCstNode,
  position: Position,
): CreateScheduleStatement {
  const { zoneClause, missedClause } = children
  return {
    kind: 'createSchedule',
    ifNotExists: children.ifNotExists !== undefined,
    schedule: scheduleOf(children),
    times: timesOf(children),
    ...(zoneClause && { zone: buildText(only(only(zoneClause).children.Text)) }),
    observer: observerOf(children),
    missed: missedClause && only(missedClause).children.ALL !== undefined ? 'all' : 'latest',
    position,
  }
}

function timesOf({ everyClause, cronClause }: cst.NewScheduleCstChildren): TimesClause {
  if (everyClause === undefined) {
    return { cron: buildText(only(only(cronClause).children.Text)) }
  }
  const [every, at] = only(everyClause).children.Text
  return { every: buildText(every as IToken), ...(at && { at: buildText(at) }) }
}

export function buildAlteredSchedule(
  { children }: cst.AlteredScheduleCstNode,
  position: Position,
): AlterScheduleStatement {
  const kind = children.PAUSE === undefined ? 'resumeSchedule' : 'pauseSchedule'
  return { kind, schedule: scheduleOf(children), position }
}

export function buildDroppedSchedule(
  { children }: cst.DroppedScheduleCstNode,
  position: Position,
): DropScheduleStatement {
  const ifExists = children.ifExists !== undefined
  return { kind: 'dropSchedule', ifExists, schedule: scheduleOf(children), position }
}

function scheduleOf(children: { scheduleName: cst.ScheduleNameCstNode[] }): Name {
  return buildName(only(only(children.scheduleName).children.Name))
}

function buildText(token: IToken): Name {
  return { text: unquoted(token.image), position: positionOfToken(token) }
}
