// SPDX-License-Identifier: Apache-2.0

import type { Rule } from './expression-grammar.ts'
import * as keyword from './keywords.ts'
import { Name } from './keywords.ts'
import { RowGrammar } from './row-grammar.ts'

/** What follows CREATE, ALTER and DROP of an observer, and NOTIFY. */
export class ObserverGrammar extends RowGrammar {
  readonly observerName: Rule = this.RULE('observerName', () => {
    this.CONSUME(Name)
  })

  readonly newObserver: Rule = this.RULE('newObserver', () => {
    this.OPTION1(() => this.CONSUME(keyword.Weak))
    this.CONSUME(keyword.Observer)
    this.OPTION2(() => this.SUBRULE(this.ifNotExists))
    this.SUBRULE(this.observerName)
    this.CONSUME(keyword.On)
    this.SUBRULE(this.tableName)
    this.SUBRULE(this.columnList)
    this.OPTION3(() => this.SUBRULE(this.dueClause))
  })

  readonly dueClause: Rule = this.RULE('dueClause', () => {
    this.CONSUME(keyword.Due)
    this.SUBRULE(this.columnName)
  })

  readonly alteredObserver: Rule = this.RULE('alteredObserver', () => {
    this.CONSUME(keyword.Observer)
    this.SUBRULE(this.observerName)
    this.OR([
      { ALT: () => this.CONSUME(keyword.Pause) },
      { ALT: () => this.CONSUME(keyword.Resume) },
      { ALT: () => this.SUBRULE(this.replayClause) },
    ])
  })

  readonly replayClause: Rule = this.RULE('replayClause', () => {
    this.CONSUME(keyword.Replay)
    this.CONSUME(keyword.From)
    this.SUBRULE(this.stamp)
  })

  readonly droppedObserver: Rule = this.RULE('droppedObserver', () => {
    this.CONSUME(keyword.Observer)
    this.OPTION(() => this.SUBRULE(this.ifExists))
    this.SUBRULE(this.observerName)
  })

  readonly notifyStatement: Rule = this.RULE('notifyStatement', () => {
    this.CONSUME(keyword.Notify)
    this.SUBRULE(this.observerName)
    this.CONSUME(keyword.On)
    this.SUBRULE(this.tableName)
    this.SUBRULE(this.whereClause)
  })
}
