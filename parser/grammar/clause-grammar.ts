// SPDX-License-Identifier: Apache-2.0

import { ExpressionGrammar, type Rule } from './expression-grammar.ts'
import * as keyword from './keywords.ts'
import * as token from './tokens.ts'

/** The clauses that several statements share. */
export class ClauseGrammar extends ExpressionGrammar {
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
    this.OR({
      // A table's columns begin as one of its columns does, and the third token tells. To let the parser look so far
      // ahead would cost each process half of the analysis of the whole grammar.
      MAX_LOOKAHEAD: 1,
      IGNORE_AMBIGUITIES: true,
      DEF: [
        {
          GATE: () => this.LA(2).tokenType === token.Dot && this.LA(3).tokenType === token.Star,
          ALT: () => this.SUBRULE(this.columnsOfTable),
        },
        { ALT: () => this.SUBRULE(this.labelledExpression) },
      ],
    })
  })

  readonly columnsOfTable: Rule = this.RULE('columnsOfTable', () => {
    this.SUBRULE(this.qualifier)
    this.CONSUME(token.Dot)
    this.CONSUME(token.Star)
  })

  readonly qualifier: Rule = this.RULE('qualifier', () => {
    this.CONSUME(keyword.Name)
  })

  readonly labelledExpression: Rule = this.RULE('labelledExpression', () => {
    this.SUBRULE(this.expression)
    this.OPTION(() => {
      this.CONSUME(keyword.As)
      this.SUBRULE(this.label)
    })
  })

  /** The table of a GET or a SCAN, and at which moment. */
  readonly tableRead: Rule = this.RULE('tableRead', () => {
    this.SUBRULE(this.tableName)
    this.OPTION1(() => {
      this.OR([
        {
          ALT: () => {
            this.SUBRULE(this.tableAlias)
            this.OPTION2(() => this.SUBRULE1(this.asOf))
          },
        },
        { ALT: () => this.SUBRULE2(this.asOf) },
      ])
    })
  })

  readonly lookupClause: Rule = this.RULE('lookupClause', () => {
    this.CONSUME(keyword.Lookup)
    this.SUBRULE(this.tableName)
    this.OPTION1(() => this.SUBRULE(this.tableAlias))
    this.CONSUME(keyword.By)
    this.SUBRULE(this.conjunction)
    this.OPTION2(() => this.CONSUME(keyword.Optional))
  })

  readonly tableAlias: Rule = this.RULE('tableAlias', () => {
    this.CONSUME(keyword.As)
    this.CONSUME(keyword.Alias)
  })

  readonly keyHint: Rule = this.RULE('keyHint', () => {
    this.CONSUME(keyword.Use)
    this.OR([
      {
        ALT: () => {
          this.CONSUME(keyword.Index)
          this.SUBRULE(this.indexName)
        },
      },
      {
        ALT: () => {
          this.CONSUME(keyword.Primary)
          this.CONSUME(keyword.Key)
        },
      },
    ])
  })

  readonly whereClause: Rule = this.RULE('whereClause', () => {
    this.CONSUME(keyword.Where)
    this.SUBRULE(this.expression)
  })

  readonly groupByClause: Rule = this.RULE('groupByClause', () => {
    this.CONSUME(keyword.Group)
    this.CONSUME(keyword.By)
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.expression) })
    this.OPTION(() => this.SUBRULE(this.havingClause))
  })

  readonly havingClause: Rule = this.RULE('havingClause', () => {
    this.CONSUME(keyword.Having)
    this.SUBRULE(this.expression)
  })

  readonly orderByClause: Rule = this.RULE('orderByClause', () => {
    this.CONSUME(keyword.Order)
    this.CONSUME(keyword.By)
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.orderPart) })
  })

  readonly orderPart: Rule = this.RULE('orderPart', () => {
    this.SUBRULE(this.expression)
    this.OPTION(() => {
      this.OR([{ ALT: () => this.CONSUME(keyword.Asc) }, { ALT: () => this.CONSUME(keyword.Desc) }])
    })
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

  readonly returningClause: Rule = this.RULE('returningClause', () => {
    this.CONSUME(keyword.Returning)
    this.SUBRULE(this.projection)
    this.OPTION(() => this.SUBRULE(this.intoClause))
  })

  readonly intoClause: Rule = this.RULE('intoClause', () => {
    this.CONSUME(keyword.Into)
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.CONSUME(token.NamedParameter) })
  })

  readonly columnList: Rule = this.RULE('columnList', () => {
    this.CONSUME(token.LeftParenthesis)
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.columnName) })
    this.CONSUME(token.RightParenthesis)
  })

  readonly keyColumnList: Rule = this.RULE('keyColumnList', () => {
    this.CONSUME(token.LeftParenthesis)
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.directedColumn) })
    this.CONSUME(token.RightParenthesis)
  })

  /** A column of a key, or what one that is JSON has at a path. */
  readonly keyPart: Rule = this.RULE('keyPart', () => {
    this.SUBRULE(this.columnName)
    this.MANY(() => this.SUBRULE(this.pathStep))
  })

  readonly pathStep: Rule = this.RULE('pathStep', () => {
    this.CONSUME(token.JsonArrow)
    this.OR([
      { ALT: () => this.CONSUME(token.Text) },
      {
        ALT: () => {
          this.OPTION(() => this.CONSUME(token.Sign))
          this.CONSUME(token.Integer)
        },
      },
    ])
  })

  readonly keyPartList: Rule = this.RULE('keyPartList', () => {
    this.CONSUME(token.LeftParenthesis)
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.keyPart) })
    this.CONSUME(token.RightParenthesis)
  })

  readonly indexPart: Rule = this.RULE('indexPart', () => {
    this.OPTION1({
      // Lookahead ends with this rule, and a column may be called each.
      GATE: () => token.isOf(this.LA(2).tokenType, keyword.Name),
      DEF: () => {
        this.OR1([
          { ALT: () => this.CONSUME(keyword.Each) },
          { ALT: () => this.CONSUME(keyword.Words) },
        ])
      },
    })
    this.SUBRULE(this.keyPart)
    this.OPTION2(() => {
      this.OR2([
        { ALT: () => this.CONSUME(keyword.Asc) },
        { ALT: () => this.CONSUME(keyword.Desc) },
      ])
    })
  })

  readonly ifNotExists: Rule = this.RULE('ifNotExists', () => {
    this.CONSUME(keyword.If)
    this.CONSUME(keyword.Not)
    this.CONSUME(keyword.Exists)
  })

  readonly ifExists: Rule = this.RULE('ifExists', () => {
    this.CONSUME(keyword.If)
    this.CONSUME(keyword.Exists)
  })
}
