// SPDX-License-Identifier: Apache-2.0

import type { Rule } from './expression-grammar.ts'
import * as keyword from './keywords.ts'
import { Name } from './keywords.ts'
import { TokenGrammar } from './token-grammar.ts'
import * as token from './tokens.ts'

/** Roles, and what they may do; and what an administrator sets of the store. */
export class RoleGrammar extends TokenGrammar {
  readonly newRole: Rule = this.RULE('newRole', () => {
    this.CONSUME(keyword.Role)
    this.SUBRULE(this.roleName)
    this.OPTION(() => {
      this.CONSUME(keyword.For)
      this.CONSUME(keyword.Jwt)
    })
  })

  readonly alteredRole: Rule = this.RULE('alteredRole', () => {
    this.CONSUME(keyword.Role)
    this.SUBRULE(this.roleName)
    this.CONSUME(keyword.Limit)
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.roleLimit) })
  })

  readonly roleLimit: Rule = this.RULE('roleLimit', () => {
    this.CONSUME(Name)
    this.OR([
      { ALT: () => this.CONSUME(keyword.None) },
      {
        ALT: () => {
          this.CONSUME(token.Integer)
          this.OPTION(() => this.SUBRULE(this.durationUnit))
        },
      },
    ])
  })

  /** STORE SET RETENTION = '7 days', in the words of an INTERVAL. */
  readonly alteredStore: Rule = this.RULE('alteredStore', () => {
    this.CONSUME(keyword.Store)
    this.CONSUME(keyword.SetWord)
    this.CONSUME(keyword.Retention)
    this.CONSUME(token.Equal)
    this.CONSUME(token.Text)
  })

  readonly droppedRole: Rule = this.RULE('droppedRole', () => {
    this.CONSUME(keyword.Role)
    this.SUBRULE(this.roleName)
  })

  readonly grantStatement: Rule = this.RULE('grantStatement', () => {
    this.CONSUME(keyword.Grant)
    this.SUBRULE(this.rightList)
    this.OPTION1(() => this.SUBRULE(this.rightsPlace))
    this.CONSUME(keyword.To)
    this.SUBRULE(this.roleName)
    this.OPTION2(() => this.SUBRULE(this.whereClause))
  })

  readonly revokeStatement: Rule = this.RULE('revokeStatement', () => {
    this.CONSUME(keyword.Revoke)
    this.OR([{ ALT: () => this.CONSUME(keyword.All) }, { ALT: () => this.SUBRULE(this.rightList) }])
    this.OPTION(() => this.SUBRULE(this.rightsPlace))
    this.CONSUME(keyword.From)
    this.SUBRULE(this.roleName)
  })

  readonly rightList: Rule = this.RULE('rightList', () => {
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.right) })
  })

  readonly right: Rule = this.RULE('right', () => {
    this.OR([
      { ALT: () => this.CONSUME(keyword.Read) },
      { ALT: () => this.CONSUME(keyword.Write) },
      { ALT: () => this.CONSUME(keyword.Observe) },
      { ALT: () => this.CONSUME(keyword.Define) },
      { ALT: () => this.CONSUME(keyword.Inspect) },
      { ALT: () => this.CONSUME(keyword.Follow) },
      { ALT: () => this.CONSUME(keyword.Admin) },
    ])
  })

  readonly rightsPlace: Rule = this.RULE('rightsPlace', () => {
    this.CONSUME(keyword.On)
    this.OR([
      {
        // ALL is also a name; only the word after it tells.
        GATE: () => this.LA(2).tokenType === keyword.Tables,
        ALT: () => {
          this.CONSUME(keyword.All)
          this.CONSUME(keyword.Tables)
        },
        IGNORE_AMBIGUITIES: true,
      },
      { ALT: () => this.SUBRULE(this.tableName) },
    ])
  })
}
