// SPDX-License-Identifier: Apache-2.0

import { type CstNode, CstParser, type ParserMethod } from 'chevrotain'
import * as keyword from './keywords.ts'
import { Literal, Name } from './keywords.ts'
import * as token from './tokens.ts'

/** A word that is a name everywhere else, so that it is no keyword. */
export const isCast = (image: string): boolean => image.toUpperCase() === 'CAST'

/** Both words for the type that has a size. */
export const isDecimal = (image: string): boolean => /^(?:DECIMAL|NUMERIC)$/i.test(image)

export type Rule = ParserMethod<[], CstNode>

/**
 * The expressions of the grammar, the loosest binding first, and the names that stand everywhere.
 * Chains of one operator are loops, never recursion: only parentheses and prefix operators deepen
 * the stack (see nesting.ts).
 */
export class ExpressionGrammar extends CstParser {
  constructor(options: { skipValidations: boolean }) {
    super(token.VOCABULARY, {
      maxLookahead: 2,
      nodeLocationTracking: 'full',
      recoveryEnabled: false,
      skipValidations: options.skipValidations,
    })
  }

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
    return [keyword.In, keyword.Between, keyword.Like, keyword.Match].includes(next)
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
            { ALT: () => this.SUBRULE(this.matchTail) },
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

  readonly matchTail: Rule = this.RULE('matchTail', () => {
    this.CONSUME(keyword.Match)
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
      {
        ALT: () => {
          this.CONSUME(keyword.Case)
          this.SUBRULE(this.caseParts)
        },
      },
      { ALT: () => this.SUBRULE(this.interval) },
      { ALT: () => this.SUBRULE(this.columnOrCall) },
      {
        ALT: () => {
          this.CONSUME(token.LeftParenthesis)
          this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.expression) })
          this.CONSUME(token.RightParenthesis)
        },
      },
    ])
    this.MANY(() => this.SUBRULE(this.castTail))
  })

  readonly castTail: Rule = this.RULE('castTail', () => {
    this.CONSUME(token.CastMark)
    this.SUBRULE(this.typeName)
  })

  readonly caseParts: Rule = this.RULE('caseParts', () => {
    this.OPTION1(() => this.SUBRULE1(this.expression))
    this.AT_LEAST_ONE(() => this.SUBRULE(this.caseBranch))
    this.OPTION2(() => {
      this.CONSUME(keyword.Else)
      this.SUBRULE2(this.expression)
    })
    this.CONSUME(keyword.End)
  })

  readonly caseBranch: Rule = this.RULE('caseBranch', () => {
    this.CONSUME(keyword.When)
    this.SUBRULE1(this.expression)
    this.CONSUME(keyword.Then)
    this.SUBRULE2(this.expression)
  })

  readonly columnOrCall: Rule = this.RULE('columnOrCall', () => {
    const { image } = this.CONSUME(Name)
    this.OPTION(() => {
      this.OR([
        { ALT: () => this.SUBRULE(this.qualifiedName) },
        // A function's name is one only before a parenthesis; anywhere else it is free for columns.
        {
          ALT: () => {
            this.SUBRULE(this.callArguments, { ARGS: [image] })
            this.OPTION1(() => this.SUBRULE(this.filterClause))
          },
        },
      ])
    })
  })

  readonly interval: Rule = this.RULE('interval', () => {
    this.CONSUME(token.IntervalMark)
    this.CONSUME(token.Text)
  })

  readonly qualifiedName: Rule = this.RULE('qualifiedName', () => {
    this.CONSUME(token.Dot)
    this.SUBRULE(this.columnName)
  })

  readonly callArguments = this.RULE('callArguments', (name = '') => {
    this.CONSUME(token.LeftParenthesis)
    this.OPTION1(() => {
      this.OR([
        { ALT: () => this.CONSUME(token.Star) },
        {
          ALT: () => {
            this.OPTION3(() => this.CONSUME(keyword.Distinct))
            this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.expression) })
          },
        },
      ])
    })
    this.OPTION2({ GATE: () => isCast(name), DEF: () => this.SUBRULE(this.castType) })
    this.CONSUME(token.RightParenthesis)
  })

  /** Only after `CAST (`: see `isAskedFor` of expected-tokens.ts. */
  readonly castType: Rule = this.RULE('castType', () => {
    this.CONSUME(keyword.As)
    this.SUBRULE(this.typeName)
  })

  readonly filterClause: Rule = this.RULE('filterClause', () => {
    this.CONSUME(keyword.Filter)
    this.CONSUME(token.LeftParenthesis)
    this.CONSUME(keyword.Where)
    this.SUBRULE(this.expression)
    this.CONSUME(token.RightParenthesis)
  })

  readonly typeName: Rule = this.RULE('typeName', () => {
    const { image } = this.CONSUME(Name)
    this.OPTION1({ GATE: () => isDecimal(image), DEF: () => this.SUBRULE(this.typeSize) })
  })

  readonly typeSize: Rule = this.RULE('typeSize', () => {
    this.CONSUME(token.LeftParenthesis)
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.CONSUME(token.Integer) })
    this.CONSUME(token.RightParenthesis)
  })

  // Names

  readonly tableName: Rule = this.RULE('tableName', () => {
    this.CONSUME(Name)
  })

  readonly columnName: Rule = this.RULE('columnName', () => {
    this.CONSUME(Name)
  })

  readonly indexName: Rule = this.RULE('indexName', () => {
    this.CONSUME(Name)
  })

  readonly familyName: Rule = this.RULE('familyName', () => {
    this.CONSUME(Name)
  })

  readonly label: Rule = this.RULE('label', () => {
    this.CONSUME(Name)
  })
}
