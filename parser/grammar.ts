// SPDX-License-Identifier: Apache-2.0

import {
  type CstNode,
  CstParser,
  type IToken,
  type ParserMethod,
  type Rule as ProductionRule,
} from 'chevrotain'
import type { ScriptCstNode } from './grammar-cst.gen.ts'
import * as keyword from './keywords.ts'
import { Literal, Name } from './keywords.ts'
import * as token from './tokens.ts'

type Rule = ParserMethod<[], CstNode>

/**
 * The grammar of the dialect. Every decision but one needs a single token of lookahead, so the token
 * at which the parser stops is the token that is wrong. Chains of one operator are loops, never
 * recursion: only parentheses and prefix operators deepen the stack (see nesting.ts).
 *
 * A parser holds the tokens it works on: one object serves one text after another, synchronously.
 */
export class Grammar extends CstParser {
  constructor(options: { skipValidations: boolean }) {
    super(token.VOCABULARY, {
      maxLookahead: 2,
      nodeLocationTracking: 'full',
      recoveryEnabled: false,
      skipValidations: options.skipValidations,
    })
    this.performSelfAnalysis()
  }

  parse(tokens: IToken[]): ScriptCstNode {
    this.input = tokens
    return this.script() as ScriptCstNode
  }

  /** The grammar as data, from its first rule on. */
  scriptRule(): ProductionRule {
    return this.getGAstProductions().script as ProductionRule
  }

  readonly script: Rule = this.RULE('script', () => {
    this.OPTION1(() => this.SUBRULE1(this.statement))
    this.MANY(() => {
      this.CONSUME(token.Semicolon)
      this.OPTION2(() => this.SUBRULE2(this.statement))
    })
  })

  readonly statement: Rule = this.RULE('statement', () => {
    this.OR([
      { ALT: () => this.SUBRULE(this.beginStatement) },
      { ALT: () => this.SUBRULE(this.commitStatement) },
      { ALT: () => this.SUBRULE(this.rollbackStatement) },
      { ALT: () => this.SUBRULE(this.dataStatement) },
      { ALT: () => this.SUBRULE(this.explainStatement) },
      { ALT: () => this.SUBRULE(this.createTableStatement) },
      { ALT: () => this.SUBRULE(this.dropTableStatement) },
      { ALT: () => this.SUBRULE(this.showTablesStatement) },
      { ALT: () => this.SUBRULE(this.describeStatement) },
    ])
  })

  readonly dataStatement: Rule = this.RULE('dataStatement', () => {
    this.OR([
      { ALT: () => this.SUBRULE(this.getStatement) },
      { ALT: () => this.SUBRULE(this.scanStatement) },
      { ALT: () => this.SUBRULE(this.setStatement) },
      { ALT: () => this.SUBRULE(this.insertStatement) },
      { ALT: () => this.SUBRULE(this.deleteStatement) },
    ])
  })

  // Transactions

  readonly beginStatement: Rule = this.RULE('beginStatement', () => {
    this.CONSUME(keyword.Begin)
    this.OPTION1(() => {
      this.CONSUME(keyword.Read)
      this.CONSUME(keyword.Only)
    })
    this.OPTION2(() => this.SUBRULE(this.asOf))
  })

  readonly commitStatement: Rule = this.RULE('commitStatement', () => {
    this.CONSUME(keyword.Commit)
  })

  readonly rollbackStatement: Rule = this.RULE('rollbackStatement', () => {
    this.CONSUME(keyword.Rollback)
  })

  readonly asOf: Rule = this.RULE('asOf', () => {
    this.CONSUME(keyword.As)
    this.CONSUME(keyword.Of)
    this.SUBRULE(this.stamp)
  })

  readonly stamp: Rule = this.RULE('stamp', () => {
    this.OR([
      { ALT: () => this.CONSUME(token.Integer) },
      { ALT: () => this.CONSUME(token.Text) },
      { ALT: () => this.CONSUME(token.Parameter) },
    ])
  })

  // Rows

  readonly getStatement: Rule = this.RULE('getStatement', () => {
    this.CONSUME(keyword.Get)
    this.SUBRULE(this.projection)
    this.CONSUME(keyword.From)
    this.SUBRULE(this.tableName)
    this.OPTION1(() => this.SUBRULE(this.asOf))
    this.SUBRULE(this.whereClause)
    this.OPTION2(() => {
      this.CONSUME(keyword.For)
      this.CONSUME(keyword.Update)
    })
  })

  readonly scanStatement: Rule = this.RULE('scanStatement', () => {
    this.CONSUME(keyword.Scan)
    this.SUBRULE(this.projection)
    this.CONSUME(keyword.From)
    this.SUBRULE(this.tableName)
    this.OPTION1(() => this.SUBRULE(this.asOf))
    this.OPTION2(() => this.SUBRULE(this.keyHint))
    this.OPTION3(() => this.SUBRULE(this.whereClause))
    this.OPTION4(() => this.SUBRULE(this.orderByClause))
    this.OPTION5(() => this.SUBRULE(this.limitClause))
  })

  readonly setStatement: Rule = this.RULE('setStatement', () => {
    this.CONSUME(keyword.SetWord)
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.assignment) })
    this.CONSUME(keyword.On)
    this.SUBRULE(this.tableName)
    this.SUBRULE(this.whereClause)
  })

  readonly assignment: Rule = this.RULE('assignment', () => {
    this.SUBRULE(this.columnName)
    this.CONSUME(token.Equal)
    this.SUBRULE(this.expression)
  })

  readonly insertStatement: Rule = this.RULE('insertStatement', () => {
    this.CONSUME(keyword.Insert)
    this.CONSUME(keyword.Into)
    this.SUBRULE(this.tableName)
    this.CONSUME(token.LeftParenthesis)
    this.AT_LEAST_ONE_SEP1({ SEP: token.Comma, DEF: () => this.SUBRULE(this.columnName) })
    this.CONSUME(token.RightParenthesis)
    this.CONSUME(keyword.Values)
    this.AT_LEAST_ONE_SEP2({ SEP: token.Comma, DEF: () => this.SUBRULE(this.insertedRow) })
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
  })

  readonly explainStatement: Rule = this.RULE('explainStatement', () => {
    this.CONSUME(keyword.Explain)
    this.OPTION(() => this.CONSUME(keyword.Analyze))
    this.SUBRULE(this.dataStatement)
  })

  // Parts of the statements on rows

  readonly projection: Rule = this.RULE('projection', () => {
    this.OR([
      { ALT: () => this.CONSUME(token.Star) },
      {
        ALT: () =>
          this.AT_LEAST_ONE_SEP({
            SEP: token.Comma,
            DEF: () => this.SUBRULE(this.projectionItem),
          }),
      },
    ])
  })

  readonly projectionItem: Rule = this.RULE('projectionItem', () => {
    this.SUBRULE(this.expression)
    this.OPTION(() => {
      this.CONSUME(keyword.As)
      this.SUBRULE(this.label)
    })
  })

  readonly keyHint: Rule = this.RULE('keyHint', () => {
    this.CONSUME(keyword.Use)
    this.CONSUME(keyword.Primary)
    this.CONSUME(keyword.Key)
  })

  readonly whereClause: Rule = this.RULE('whereClause', () => {
    this.CONSUME(keyword.Where)
    this.SUBRULE(this.expression)
  })

  readonly orderByClause: Rule = this.RULE('orderByClause', () => {
    this.CONSUME(keyword.Order)
    this.CONSUME(keyword.By)
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.directedColumn) })
  })

  readonly directedColumn: Rule = this.RULE('directedColumn', () => {
    this.SUBRULE(this.columnName)
    this.OPTION(() => {
      this.OR([{ ALT: () => this.CONSUME(keyword.Asc) }, { ALT: () => this.CONSUME(keyword.Desc) }])
    })
  })

  readonly limitClause: Rule = this.RULE('limitClause', () => {
    this.CONSUME(keyword.Limit)
    this.SUBRULE(this.rowCount)
  })

  readonly rowCount: Rule = this.RULE('rowCount', () => {
    this.OR([
      { ALT: () => this.CONSUME(token.Integer) },
      { ALT: () => this.CONSUME(token.Parameter) },
    ])
  })

  readonly tableName: Rule = this.RULE('tableName', () => {
    this.CONSUME(Name)
  })

  readonly columnName: Rule = this.RULE('columnName', () => {
    this.CONSUME(Name)
  })

  readonly label: Rule = this.RULE('label', () => {
    this.CONSUME(Name)
  })

  // Tables

  readonly createTableStatement: Rule = this.RULE('createTableStatement', () => {
    this.CONSUME(keyword.Create)
    this.CONSUME(keyword.Table)
    this.OPTION(() => {
      this.CONSUME(keyword.If)
      this.CONSUME(keyword.Not)
      this.CONSUME(keyword.Exists)
    })
    this.SUBRULE(this.tableName)
    this.CONSUME(token.LeftParenthesis)
    this.AT_LEAST_ONE_SEP({
      SEP: token.Comma,
      DEF: () => {
        this.OR([
          // PRIMARY and KEY are also names, and `primary key` could be a column of the type `key`.
          // There is no such type: the clause comes first and wins.
          { ALT: () => this.SUBRULE(this.primaryKeyClause), IGNORE_AMBIGUITIES: true },
          { ALT: () => this.SUBRULE(this.columnClause) },
        ])
      },
    })
    this.CONSUME(token.RightParenthesis)
  })

  readonly primaryKeyClause: Rule = this.RULE('primaryKeyClause', () => {
    this.CONSUME(keyword.Primary)
    this.CONSUME(keyword.Key)
    this.CONSUME(token.LeftParenthesis)
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.directedColumn) })
    this.CONSUME(token.RightParenthesis)
  })

  readonly columnClause: Rule = this.RULE('columnClause', () => {
    this.SUBRULE(this.columnName)
    this.SUBRULE(this.typeName)
    this.MANY(() => this.SUBRULE(this.columnConstraint))
  })

  readonly typeName: Rule = this.RULE('typeName', () => {
    this.CONSUME(Name)
  })

  readonly columnConstraint: Rule = this.RULE('columnConstraint', () => {
    this.OR([
      {
        ALT: () => {
          this.CONSUME(keyword.Primary)
          this.CONSUME(keyword.Key)
        },
      },
      {
        ALT: () => {
          this.CONSUME(keyword.Not)
          this.CONSUME(keyword.Null)
        },
      },
      {
        ALT: () => {
          this.CONSUME(keyword.Default)
          this.SUBRULE(this.defaultValue)
        },
      },
    ])
  })

  readonly defaultValue: Rule = this.RULE('defaultValue', () => {
    this.OR([
      {
        ALT: () => {
          this.CONSUME(token.Sign)
          this.CONSUME(token.NumberLiteral)
        },
      },
      { ALT: () => this.CONSUME(Literal) },
      {
        ALT: () => {
          this.CONSUME(Name)
          this.CONSUME(token.LeftParenthesis)
          this.CONSUME(token.RightParenthesis)
        },
      },
    ])
  })

  readonly dropTableStatement: Rule = this.RULE('dropTableStatement', () => {
    this.CONSUME(keyword.Drop)
    this.CONSUME(keyword.Table)
    this.OPTION(() => {
      this.CONSUME(keyword.If)
      this.CONSUME(keyword.Exists)
    })
    this.SUBRULE(this.tableName)
  })

  readonly showTablesStatement: Rule = this.RULE('showTablesStatement', () => {
    this.CONSUME(keyword.Show)
    this.CONSUME(keyword.Tables)
  })

  readonly describeStatement: Rule = this.RULE('describeStatement', () => {
    this.CONSUME(keyword.Describe)
    this.SUBRULE(this.tableName)
  })

  // Expressions, the loosest binding first

  readonly expression: Rule = this.RULE('expression', () => {
    this.AT_LEAST_ONE_SEP({ SEP: keyword.Or, DEF: () => this.SUBRULE(this.conjunction) })
  })

  readonly conjunction: Rule = this.RULE('conjunction', () => {
    this.AT_LEAST_ONE_SEP({ SEP: keyword.And, DEF: () => this.SUBRULE(this.negation) })
  })

  readonly negation: Rule = this.RULE('negation', () => {
    this.MANY(() => this.CONSUME(keyword.Not))
    this.SUBRULE(this.predicate)
  })

  readonly predicate: Rule = this.RULE('predicate', () => {
    this.SUBRULE(this.sum)
    this.OPTION({
      // Lookahead ends with this rule, so it would take any NOT for the beginning of NOT IN.
      GATE: () => this.LA(1).tokenType !== keyword.Not || this.#negatesPredicate(),
      DEF: () => this.SUBRULE(this.predicateTail),
    })
  })

  #negatesPredicate(): boolean {
    const next = this.LA(2).tokenType
    return next === keyword.In || next === keyword.Between || next === keyword.Like
  }

  readonly predicateTail: Rule = this.RULE('predicateTail', () => {
    this.OR([
      { ALT: () => this.SUBRULE(this.comparisonTail) },
      { ALT: () => this.SUBRULE(this.isNullTail) },
      {
        ALT: () => {
          this.OPTION(() => this.CONSUME(keyword.Not))
          this.OR1([
            { ALT: () => this.SUBRULE(this.inTail) },
            { ALT: () => this.SUBRULE(this.betweenTail) },
            { ALT: () => this.SUBRULE(this.likeTail) },
          ])
        },
      },
    ])
  })

  readonly comparisonTail: Rule = this.RULE('comparisonTail', () => {
    this.CONSUME(token.ComparisonOperator)
    this.SUBRULE(this.sum)
  })

  readonly isNullTail: Rule = this.RULE('isNullTail', () => {
    this.CONSUME(keyword.Is)
    this.OPTION(() => this.CONSUME(keyword.Not))
    this.CONSUME(keyword.Null)
  })

  readonly inTail: Rule = this.RULE('inTail', () => {
    this.CONSUME(keyword.In)
    this.OR([
      { ALT: () => this.CONSUME(token.Parameter) },
      {
        ALT: () => {
          this.CONSUME(token.LeftParenthesis)
          this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.expression) })
          this.CONSUME(token.RightParenthesis)
        },
      },
    ])
  })

  readonly betweenTail: Rule = this.RULE('betweenTail', () => {
    this.CONSUME(keyword.Between)
    // Sums, not expressions: the AND between the bounds must not be taken for a conjunction.
    this.SUBRULE1(this.sum)
    this.CONSUME(keyword.And)
    this.SUBRULE2(this.sum)
  })

  readonly likeTail: Rule = this.RULE('likeTail', () => {
    this.CONSUME(keyword.Like)
    this.SUBRULE(this.sum)
  })

  readonly sum: Rule = this.RULE('sum', () => {
    this.SUBRULE1(this.product)
    this.MANY(() => {
      this.CONSUME(token.AdditiveOperator)
      this.SUBRULE2(this.product)
    })
  })

  readonly product: Rule = this.RULE('product', () => {
    this.SUBRULE1(this.factor)
    this.MANY(() => {
      this.CONSUME(token.MultiplicativeOperator)
      this.SUBRULE2(this.factor)
    })
  })

  readonly factor: Rule = this.RULE('factor', () => {
    this.MANY(() => this.CONSUME(token.Sign))
    this.SUBRULE(this.operand)
  })

  readonly operand: Rule = this.RULE('operand', () => {
    this.OR([
      { ALT: () => this.CONSUME(Literal) },
      { ALT: () => this.CONSUME(token.Parameter) },
      { ALT: () => this.SUBRULE(this.columnOrCall) },
      {
        ALT: () => {
          this.CONSUME(token.LeftParenthesis)
          this.SUBRULE(this.expression)
          this.CONSUME(token.RightParenthesis)
        },
      },
    ])
  })

  readonly columnOrCall: Rule = this.RULE('columnOrCall', () => {
    this.CONSUME(Name)
    // A function's name is one only before a parenthesis; anywhere else it is free for columns.
    this.OPTION(() => {
      this.CONSUME(token.LeftParenthesis)
      this.MANY_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.expression) })
      this.CONSUME(token.RightParenthesis)
    })
  })
}
