// SPDX-License-Identifier: Apache-2.0

import type { Rule } from './expression-grammar.ts'
import * as keyword from './keywords.ts'
import { Name } from './keywords.ts'
import { ObserverGrammar } from './observer-grammar.ts'
import * as token from './tokens.ts'

/** What follows CREATE, ALTER and DROP of a schedule. */
export class ScheduleGrammar extends ObserverGrammar {
  readonly scheduleName: Rule = this.RULE('scheduleName', () => {
    this.CONSUME(Name)
  })

  readonly newSchedule: Rule = this.RULE('newSchedule', () => {
    this.CONSUME(keyword.Schedule)
    this.OPTION1(() => this.SUBRULE(this.ifNotExists))
    this.SUBRULE(this.scheduleName)
    this.OR([
      { ALT: () => this.SUBRULE(this.everyClause) },
      { ALT: () => this.SUBRULE(this.cronClause) },
    ])
    this.OPTION2(() => this.SUBRULE(this.zoneClause))
    this.CONSUME(keyword.Run)
    this.SUBRULE(this.observerName)
    this.OPTION3(() => this.SUBRULE(this.missedClause))
  })

  readonly everyClause: Rule = this.RULE('everyClause', () => {
    this.CONSUME(keyword.Every)
    this.CONSUME1(token.Text)
    this.OPTION(() => {
      this.CONSUME(keyword.At)
      this.CONSUME2(token.Text)
    })
  })

  readonly cronClause: Rule = this.RULE('cronClause', () => {
    this.CONSUME(keyword.Cron)
    this.CONSUME(token.Text)
  })

  readonly zoneClause: Rule = this.RULE('zoneClause', () => {
    this.CONSUME(keyword.Zone)
    this.CONSUME(token.Text)
  })

  readonly missedClause: Rule = this.RULE('missedClause', () => {
    this.CONSUME(keyword.Missed)
    this.OR([{ ALT: () => this.CONSUME(keyword.Latest) }, { ALT: () => this.CONSUME(keyword.All) }])
  })

  readonly alteredSchedule: Rule = this.RULE('alteredSchedule', () => {
    this.CONSUME(keyword.Schedule)
    this.SUBRULE(this.scheduleName)
    this.OR([
      { ALT: () => this.CONSUME(keyword.Pause) },
      { ALT: () => this.CONSUME(keyword.Resume) },
    ])
  })

  readonly droppedSchedule: Rule = this.RULE('droppedSchedule', () => {
    this.CONSUME(keyword.Schedule)
    this.OPTION(() => this.SUBRULE(this.ifExists))
    this.SUBRULE(this.scheduleName)
  })
}
