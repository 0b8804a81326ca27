// SPDX-License-Identifier: Apache-2.0

import type { Rule } from './expression-grammar.ts'
import * as keyword from './keywords.ts'
import { Name } from './keywords.ts'
import { ScheduleGrammar } from './schedule-grammar.ts'
import * as token from './tokens.ts'

/** What follows CREATE, ALTER and DROP of a token of access, ROTATE, and blocks of subjects of JWTs. */
export class TokenGrammar extends ScheduleGrammar {
  readonly tokenName: Rule = this.RULE('tokenName', () => {
    this.CONSUME(Name)
  })

  readonly roleName: Rule = this.RULE('roleName', () => {
    this.CONSUME(Name)
  })

  readonly newToken: Rule = this.RULE('newToken', () => {
    this.CONSUME(keyword.Token)
    this.SUBRULE(this.tokenName)
    this.CONSUME(keyword.Role)
    this.SUBRULE(this.roleName)
    this.SUBRULE(this.expiry)
  })

  readonly alteredToken: Rule = this.RULE('alteredToken', () => {
    this.CONSUME(keyword.Token)
    this.SUBRULE(this.tokenName)
    this.SUBRULE(this.expiry)
  })

  readonly droppedToken: Rule = this.RULE('droppedToken', () => {
    this.CONSUME(keyword.Token)
    this.SUBRULE(this.tokenName)
  })

  readonly rotateStatement: Rule = this.RULE('rotateStatement', () => {
    this.CONSUME(keyword.Rotate)
    this.OR([
      { ALT: () => this.SUBRULE(this.rotatedToken) },
      {
        ALT: () => {
          this.CONSUME(keyword.Secret)
          this.CONSUME(keyword.Cursor)
        },
      },
    ])
  })

  readonly rotatedToken: Rule = this.RULE('rotatedToken', () => {
    this.CONSUME(keyword.Token)
    this.SUBRULE(this.tokenName)
    this.OPTION(() => {
      this.CONSUME(keyword.Keep)
      this.SUBRULE(this.duration)
    })
  })

  readonly newBlock: Rule = this.RULE('newBlock', () => {
    this.SUBRULE(this.block)
    this.OPTION(() => this.SUBRULE(this.expiry))
  })

  readonly block: Rule = this.RULE('block', () => {
    this.CONSUME(keyword.Block)
    this.CONSUME(keyword.Subject)
    this.CONSUME(token.Text)
  })

  readonly expiry: Rule = this.RULE('expiry', () => {
    this.CONSUME(keyword.Expires)
    this.CONSUME(keyword.In)
    this.SUBRULE(this.duration)
  })

  readonly duration: Rule = this.RULE('duration', () => {
    this.CONSUME(token.Integer)
    this.SUBRULE(this.durationUnit)
  })

  readonly durationUnit: Rule = this.RULE('durationUnit', () => {
    this.OR([
      { ALT: () => this.CONSUME(keyword.Millisecond) },
      { ALT: () => this.CONSUME(keyword.Milliseconds) },
      { ALT: () => this.CONSUME(keyword.Second) },
      { ALT: () => this.CONSUME(keyword.Seconds) },
      { ALT: () => this.CONSUME(keyword.Minute) },
      { ALT: () => this.CONSUME(keyword.Minutes) },
      { ALT: () => this.CONSUME(keyword.Hour) },
      { ALT: () => this.CONSUME(keyword.Hours) },
      { ALT: () => this.CONSUME(keyword.Day) },
      { ALT: () => this.CONSUME(keyword.Days) },
    ])
  })
}
