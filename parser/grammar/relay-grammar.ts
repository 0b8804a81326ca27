// SPDX-License-Identifier: Apache-2.0

import type { Rule } from './expression-grammar.ts'
import * as keyword from './keywords.ts'
import { Name } from './keywords.ts'
import { RoleGrammar } from './role-grammar.ts'
import * as token from './tokens.ts'

/** What follows CREATE, ALTER and DROP of a relay. */
export class RelayGrammar extends RoleGrammar {
  readonly relayName: Rule = this.RULE('relayName', () => {
    this.CONSUME(Name)
  })

  readonly newRelay: Rule = this.RULE('newRelay', () => {
    this.CONSUME(keyword.Relay)
    this.OPTION1(() => this.SUBRULE(this.ifNotExists))
    this.SUBRULE(this.relayName)
    this.CONSUME(keyword.On)
    this.CONSUME(keyword.Tables)
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.tableName) })
    this.CONSUME(keyword.To)
    this.CONSUME(token.Text)
    this.OPTION2(() => {
      this.CONSUME(keyword.As)
      this.CONSUME(keyword.Role)
      this.SUBRULE(this.roleName)
    })
  })

  readonly alteredRelay: Rule = this.RULE('alteredRelay', () => {
    this.CONSUME(keyword.Relay)
    this.SUBRULE(this.relayName)
    this.OR([
      { ALT: () => this.CONSUME(keyword.Pause) },
      { ALT: () => this.SUBRULE(this.resumedRelay) },
      { ALT: () => this.SUBRULE(this.rotatedRelay) },
    ])
  })

  readonly resumedRelay: Rule = this.RULE('resumedRelay', () => {
    this.CONSUME(keyword.Resume)
    this.OPTION(() => {
      this.CONSUME(keyword.From)
      this.OR([
        { ALT: () => this.CONSUME(keyword.Now) },
        { ALT: () => this.CONSUME(keyword.Snapshot) },
      ])
    })
  })

  readonly rotatedRelay: Rule = this.RULE('rotatedRelay', () => {
    this.CONSUME(keyword.Rotate)
    this.CONSUME(keyword.Secret)
    this.OPTION(() => {
      this.CONSUME(keyword.Keep)
      this.SUBRULE(this.duration)
    })
  })

  readonly droppedRelay: Rule = this.RULE('droppedRelay', () => {
    this.CONSUME(keyword.Relay)
    this.OPTION(() => this.SUBRULE(this.ifExists))
    this.SUBRULE(this.relayName)
  })
}
