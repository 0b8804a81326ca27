// SPDX-License-Identifier: Apache-2.0

import { ClauseGrammar } from './clause-grammar.ts'
import type { Rule } from './expression-grammar.ts'
import * as keyword from './keywords.ts'
import * as token from './tokens.ts'

/** The statements that read and write rows. */
export class RowGrammar extends ClauseGrammar {
  readonly dataStatement: Rule = this.RULE('dataStatement', () => {
    this.OR([
      { ALT: () => this.SUBRULE(this.getStatement) },
      { ALT: () => this.SUBRULE(this.scanStatement) },
      { ALT: () => this.SUBRULE(this.setStatement) },
      { ALT: () => this.SUBRULE(this.insertStatement) },
      { ALT: () => this.SUBRULE(this.deleteStatement) },
    ])
  })

  readonly getStatement: Rule = this.RULE('getStatement', () => {
    this.CONSUME(keyword.Get)
    this.SUBRULE(this.projection)
    this.CONSUME(keyword.From)
    this.SUBRULE(this.tableRead)
    this.MANY(() => this.SUBRULE(this.lookupClause))
    this.SUBRULE(this.whereClause)
    this.OPTION1(() => {
      this.CONSUME(keyword.For)
      this.CONSUME(keyword.Update)
    })
    this.OPTION2(() => this.SUBRULE(this.intoClause))
  })

  readonly scanStatement: Rule = this.RULE('scanStatement', () => {
    this.CONSUME(keyword.Scan)
    this.OPTION(() => this.CONSUME(keyword.Distinct))
    this.SUBRULE(this.projection)
    this.CONSUME(keyword.From)
    this.SUBRULE(this.tableRead)
    this.OPTION1(() => this.SUBRULE(this.keyHint))
    this.MANY(() => this.SUBRULE(this.lookupClause))
    this.OPTION2(() => this.SUBRULE(this.whereClause))
    this.OPTION3(() => this.SUBRULE(this.groupByClause))
    this.OPTION4(() => this.SUBRULE(this.orderByClause))
    this.OPTION5(() => this.SUBRULE(this.limitClause))
    this.OPTION6(() => this.SUBRULE(this.intoClause))
  })

  readonly setStatement: Rule = this.RULE('setStatement', () => {
    this.CONSUME(keyword.SetWord)
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.assignment) })
    this.CONSUME(keyword.On)
    this.SUBRULE(this.tableName)
    this.OPTION1(() => this.SUBRULE(this.keyHint))
    this.SUBRULE(this.whereClause)
    this.OPTION2(() => this.SUBRULE(this.precondition))
    this.OPTION3(() => this.SUBRULE(this.limitClause))
    this.OPTION4(() => this.SUBRULE(this.returningClause))
  })

  readonly assignment: Rule = this.RULE('assignment', () => {
    this.SUBRULE(this.columnName)
    this.CONSUME(token.Equal)
    this.SUBRULE(this.expression)
  })

  readonly precondition: Rule = this.RULE('precondition', () => {
    this.CONSUME(keyword.If)
    this.OR([
      { ALT: () => this.CONSUME1(keyword.Exists) },
      {
        // The second token decides: a condition may begin with NOT, too.
        ALT: () => {
          this.CONSUME(keyword.Not)
          this.CONSUME2(keyword.Exists)
        },
      },
      { ALT: () => this.SUBRULE(this.expression) },
    ])
  })

  readonly insertStatement: Rule = this.RULE('insertStatement', () => {
    this.CONSUME(keyword.Insert)
    this.CONSUME(keyword.Into)
    this.SUBRULE(this.tableName)
    this.SUBRULE(this.columnList)
    this.OPTION1(() => {
      this.CONSUME(keyword.Overriding)
      this.CONSUME(keyword.System)
      this.CONSUME(keyword.Value)
    })
    this.CONSUME(keyword.Values)
    this.SUBRULE(this.insertedRows)
    this.OPTION2(() => this.SUBRULE(this.conflictClause))
    this.OPTION3(() => this.SUBRULE(this.returningClause))
  })

  readonly conflictClause: Rule = this.RULE('conflictClause', () => {
    this.CONSUME(keyword.On)
    this.CONSUME(keyword.Conflict)
    this.OPTION(() => this.SUBRULE(this.keyPartList))
    this.CONSUME(keyword.Do)
    this.OR([
      { ALT: () => this.CONSUME(keyword.Nothing) },
      { ALT: () => this.SUBRULE(this.updateAction) },
    ])
  })

  readonly updateAction: Rule = this.RULE('updateAction', () => {
    this.CONSUME(keyword.Update)
    this.CONSUME(keyword.SetWord)
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.assignment) })
    this.OPTION(() => {
      this.CONSUME(keyword.If)
      this.SUBRULE(this.expression)
    })
  })

  readonly insertedRows: Rule = this.RULE('insertedRows', () => {
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.insertedRow) })
  })

  readonly insertedRow: Rule = this.RULE('insertedRow', () => {
    this.CONSUME(token.LeftParenthesis)
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.expression) })
    this.CONSUME(token.RightParenthesis)
  })

  readonly deleteStatement: Rule = this.RULE('deleteStatement', () => {
    this.CONSUME(keyword.Delete)
    this.CONSUME(keyword.From)
    this.SUBRULE(this.tableName)
    this.OPTION1(() => this.SUBRULE(this.keyHint))
    this.OPTION2(() => this.SUBRULE(this.whereClause))
    this.OPTION3(() => this.SUBRULE(this.limitClause))
    this.OPTION4(() => this.SUBRULE(this.returningClause))
  })

  readonly checkStatement: Rule = this.RULE('checkStatement', () => {
    this.CONSUME(keyword.Check)
    this.SUBRULE(this.expression)
    this.CONSUME(keyword.On)
    this.SUBRULE(this.tableName)
    this.SUBRULE(this.whereClause)
  })
}
