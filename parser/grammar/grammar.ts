// SPDX-License-Identifier: Apache-2.0

import type { IToken, Rule as ProductionRule } from 'chevrotain'
import { DefinitionGrammar } from './definition-grammar.ts'
import type { Rule } from './expression-grammar.ts'
import type { InsertedRowsCstNode, ScriptCstNode } from './grammar-cst.gen.ts'
import * as keyword from './keywords.ts'
import * as token from './tokens.ts'

/**
 * The grammar of the dialect, a class upon another: expressions, clauses, rows, observers, schedules, definitions, and
 * here the script. All decisions but a few need a single token of lookahead, so the token at which the parser stops is
 * the token that is wrong.  A parser holds the tokens it works on: one object serves one text after another,
 * synchronously.
 */
export class Grammar extends DefinitionGrammar {
  constructor(options: { skipValidations: boolean }) {
    super(options)
    this.performSelfAnalysis()
  }

  parse(tokens: IToken[]): ScriptCstNode {
    this.input = tokens
    return this.script() as ScriptCstNode
  }

  /** Rows of an INSERT that follow others. */
  parseRows(tokens: IToken[]): InsertedRowsCstNode {
    this.input = tokens
    return this.insertedRows() as InsertedRowsCstNode
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
      { ALT: () => this.SUBRULE(this.checkStatement) },
      { ALT: () => this.SUBRULE(this.notifyStatement) },
      { ALT: () => this.SUBRULE(this.createStatement) },
      { ALT: () => this.SUBRULE(this.alterStatement) },
      { ALT: () => this.SUBRULE(this.dropStatement) },
      { ALT: () => this.SUBRULE(this.rotateStatement) },
      { ALT: () => this.SUBRULE(this.grantStatement) },
      { ALT: () => this.SUBRULE(this.revokeStatement) },
      { ALT: () => this.SUBRULE(this.showStatement) },
      { ALT: () => this.SUBRULE(this.describeStatement) },
    ])
  })

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

  readonly explainStatement: Rule = this.RULE('explainStatement', () => {
    this.CONSUME(keyword.Explain)
    this.OPTION(() => this.CONSUME(keyword.Analyze))
    this.OR([
      { ALT: () => this.SUBRULE(this.explainedStatement) },
      { ALT: () => this.SUBRULE(this.explainedScript) },
    ])
  })

  readonly explainedStatement: Rule = this.RULE('explainedStatement', () => {
    this.OR([
      { ALT: () => this.SUBRULE(this.dataStatement) },
      { ALT: () => this.SUBRULE(this.checkStatement) },
      { ALT: () => this.SUBRULE(this.notifyStatement) },
    ])
  })

  /** Its first statement; those after it are statements of the text. */
  readonly explainedScript: Rule = this.RULE('explainedScript', () => {
    this.CONSUME(keyword.Script)
    this.OR([
      { ALT: () => this.SUBRULE(this.beginStatement) },
      { ALT: () => this.SUBRULE(this.explainedStatement) },
    ])
  })

  readonly showStatement: Rule = this.RULE('showStatement', () => {
    this.CONSUME(keyword.Show)
    this.OR([
      { ALT: () => this.CONSUME(keyword.Tables) },
      { ALT: () => this.CONSUME(keyword.Observers) },
      { ALT: () => this.CONSUME(keyword.Schedules) },
      { ALT: () => this.CONSUME(keyword.Tokens) },
      { ALT: () => this.CONSUME(keyword.Roles) },
      { ALT: () => this.CONSUME(keyword.Blocks) },
      { ALT: () => this.CONSUME(keyword.Relays) },
      {
        ALT: () => {
          this.CONSUME(keyword.Grants)
          this.OPTION(() => {
            this.CONSUME(keyword.For)
            this.SUBRULE(this.roleName)
          })
        },
      },
      {
        ALT: () => {
          this.CONSUME(keyword.Indexes)
          this.CONSUME(keyword.From)
          this.SUBRULE(this.tableName)
        },
      },
      {
        ALT: () => {
          this.CONSUME(keyword.Create)
          this.CONSUME(keyword.Table)
          this.SUBRULE1(this.tableName)
        },
      },
    ])
  })

  readonly describeStatement: Rule = this.RULE('describeStatement', () => {
    this.CONSUME(keyword.Describe)
    this.SUBRULE(this.tableName)
  })
}
