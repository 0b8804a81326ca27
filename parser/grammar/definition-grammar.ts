// SPDX-License-Identifier: Apache-2.0

import type { Rule } from './expression-grammar.ts'
import * as keyword from './keywords.ts'
import { Literal, Name } from './keywords.ts'
import { RelayGrammar } from './relay-grammar.ts'
import * as token from './tokens.ts'

/**
 * The statements that change the catalog. What follows CREATE, DROP and ALTER are rules of their
 * own, so that one token decides.
 */
export class DefinitionGrammar extends RelayGrammar {
  readonly createStatement: Rule = this.RULE('createStatement', () => {
    this.CONSUME(keyword.Create)
    this.OR([
      { ALT: () => this.SUBRULE(this.newTable) },
      { ALT: () => this.SUBRULE(this.newIndex) },
      { ALT: () => this.SUBRULE(this.newObserver) },
      { ALT: () => this.SUBRULE(this.newSchedule) },
      { ALT: () => this.SUBRULE(this.newToken) },
      { ALT: () => this.SUBRULE(this.newRole) },
      { ALT: () => this.SUBRULE(this.newBlock) },
      { ALT: () => this.SUBRULE(this.newRelay) },
    ])
  })

  readonly dropStatement: Rule = this.RULE('dropStatement', () => {
    this.CONSUME(keyword.Drop)
    this.OR([
      { ALT: () => this.SUBRULE(this.droppedTable) },
      { ALT: () => this.SUBRULE(this.droppedIndex) },
      { ALT: () => this.SUBRULE(this.droppedObserver) },
      { ALT: () => this.SUBRULE(this.droppedSchedule) },
      { ALT: () => this.SUBRULE(this.droppedToken) },
      { ALT: () => this.SUBRULE(this.droppedRole) },
      { ALT: () => this.SUBRULE(this.block) },
      { ALT: () => this.SUBRULE(this.droppedRelay) },
    ])
  })

  readonly alterStatement: Rule = this.RULE('alterStatement', () => {
    this.CONSUME(keyword.Alter)
    this.OR([
      { ALT: () => this.SUBRULE(this.alteredTable) },
      { ALT: () => this.SUBRULE(this.alteredObserver) },
      { ALT: () => this.SUBRULE(this.alteredSchedule) },
      { ALT: () => this.SUBRULE(this.alteredToken) },
      { ALT: () => this.SUBRULE(this.alteredRole) },
      { ALT: () => this.SUBRULE(this.alteredStore) },
      { ALT: () => this.SUBRULE(this.alteredRelay) },
    ])
  })

  // Tables

  readonly newTable: Rule = this.RULE('newTable', () => {
    this.CONSUME(keyword.Table)
    this.OPTION(() => this.SUBRULE(this.ifNotExists))
    this.SUBRULE(this.tableName)
    this.CONSUME(token.LeftParenthesis)
    this.AT_LEAST_ONE_SEP({
      SEP: token.Comma,
      DEF: () => {
        this.OR([
          // PRIMARY and KEY are also names, and `primary key` could be a column of the type `key`.
          // There is no such type: the clause comes first and wins.
          { ALT: () => this.SUBRULE(this.primaryKeyClause), IGNORE_AMBIGUITIES: true },
          {
            GATE: () => this.#beginsFamily(),
            ALT: () => this.SUBRULE(this.familyClause),
            IGNORE_AMBIGUITIES: true,
          },
          {
            GATE: () => this.#beginsUnique(),
            ALT: () => this.SUBRULE(this.uniqueClause),
            IGNORE_AMBIGUITIES: true,
          },
          {
            GATE: () => this.#beginsCheck(),
            ALT: () => this.SUBRULE(this.checkClause),
            IGNORE_AMBIGUITIES: true,
          },
          { ALT: () => this.SUBRULE(this.columnClause) },
        ])
      },
    })
    this.CONSUME(token.RightParenthesis)
  })

  /** FAMILY is also a name, and `family text` is a column; only the third token tells. */
  #beginsFamily(): boolean {
    return this.LA(1).tokenType === keyword.Family && this.LA(3).tokenType === token.LeftParenthesis
  }

  /** CONSTRAINT is also a name, and `constraint text` is a column; CHECK alone is none. */
  #beginsCheck(): boolean {
    return [this.LA(1), this.LA(3)].some(({ tokenType }) => tokenType === keyword.Check)
  }

  /** UNIQUE is also a name, and `unique text` is a column. */
  #beginsUnique(): boolean {
    const unique = this.LA(1).tokenType === keyword.Constraint ? 3 : 1
    const next = this.LA(unique + 1).tokenType
    return this.LA(unique).tokenType === keyword.Unique && next === token.LeftParenthesis
  }

  readonly uniqueClause: Rule = this.RULE('uniqueClause', () => {
    this.OPTION(() => {
      this.CONSUME(keyword.Constraint)
      this.SUBRULE(this.constraintName)
    })
    this.CONSUME(keyword.Unique)
    this.SUBRULE(this.keyColumnList)
  })

  /** [CONSTRAINT name] CHECK (condition), of a table or of a column. */
  readonly checkClause: Rule = this.RULE('checkClause', () => {
    this.OPTION(() => {
      this.CONSUME(keyword.Constraint)
      this.SUBRULE(this.constraintName)
    })
    this.CONSUME(keyword.Check)
    this.CONSUME(token.LeftParenthesis)
    this.SUBRULE(this.expression)
    this.CONSUME(token.RightParenthesis)
  })

  readonly constraintName: Rule = this.RULE('constraintName', () => {
    this.CONSUME(Name)
  })

  readonly primaryKeyClause: Rule = this.RULE('primaryKeyClause', () => {
    this.CONSUME(keyword.Primary)
    this.CONSUME(keyword.Key)
    this.SUBRULE(this.keyColumnList)
  })

  readonly familyClause: Rule = this.RULE('familyClause', () => {
    this.CONSUME(keyword.Family)
    this.SUBRULE(this.familyName)
    this.SUBRULE(this.columnList)
  })

  readonly columnClause: Rule = this.RULE('columnClause', () => {
    this.SUBRULE(this.columnName)
    this.SUBRULE(this.typeName)
    this.MANY(() => this.SUBRULE(this.columnConstraint))
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
      { ALT: () => this.CONSUME(keyword.Unique) },
      { ALT: () => this.SUBRULE(this.checkClause) },
      { ALT: () => this.SUBRULE(this.identityClause) },
    ])
  })

  readonly identityClause: Rule = this.RULE('identityClause', () => {
    this.CONSUME(keyword.Generated)
    this.OR([
      { ALT: () => this.CONSUME(keyword.Always) },
      {
        ALT: () => {
          this.CONSUME(keyword.By)
          this.CONSUME(keyword.Default)
        },
      },
    ])
    this.CONSUME(keyword.As)
    this.CONSUME(keyword.Identity)
    this.OPTION(() => {
      this.CONSUME(token.LeftParenthesis)
      this.CONSUME(keyword.Start)
      this.CONSUME(keyword.With)
      this.SUBRULE(this.wholeNumber)
      this.CONSUME(token.RightParenthesis)
    })
  })

  readonly wholeNumber: Rule = this.RULE('wholeNumber', () => {
    this.OPTION(() => this.CONSUME(token.Sign))
    this.CONSUME(token.Integer)
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

  readonly droppedTable: Rule = this.RULE('droppedTable', () => {
    this.CONSUME(keyword.Table)
    this.OPTION(() => this.SUBRULE(this.ifExists))
    this.SUBRULE(this.tableName)
  })

  readonly alteredTable: Rule = this.RULE('alteredTable', () => {
    this.CONSUME(keyword.Table)
    this.SUBRULE(this.tableName)
    this.OR([
      { ALT: () => this.SUBRULE(this.addedColumn) },
      { ALT: () => this.SUBRULE(this.addedCheck) },
      { ALT: () => this.SUBRULE(this.droppedColumn) },
      { ALT: () => this.SUBRULE(this.droppedConstraint) },
      { ALT: () => this.SUBRULE(this.alteredColumn) },
      { ALT: () => this.SUBRULE(this.renamedColumn) },
      { ALT: () => this.SUBRULE(this.renamedTable) },
    ])
  })

  readonly addedColumn: Rule = this.RULE('addedColumn', () => {
    this.CONSUME(keyword.Add)
    this.CONSUME(keyword.Column)
    this.SUBRULE(this.columnClause)
  })

  readonly droppedColumn: Rule = this.RULE('droppedColumn', () => {
    this.CONSUME(keyword.Drop)
    this.CONSUME(keyword.Column)
    this.SUBRULE(this.columnName)
  })

  readonly alteredColumn: Rule = this.RULE('alteredColumn', () => {
    this.CONSUME(keyword.Alter)
    this.CONSUME(keyword.Column)
    this.SUBRULE(this.columnName)
    this.OR([
      {
        ALT: () => {
          this.CONSUME(keyword.SetWord)
          this.CONSUME1(keyword.Default)
          this.SUBRULE(this.defaultValue)
        },
      },
      {
        ALT: () => {
          this.CONSUME2(keyword.SetWord)
          this.CONSUME1(keyword.Not)
          this.CONSUME1(keyword.Null)
        },
      },
      {
        ALT: () => {
          this.CONSUME1(keyword.Drop)
          this.CONSUME2(keyword.Default)
        },
      },
      {
        ALT: () => {
          this.CONSUME2(keyword.Drop)
          this.CONSUME2(keyword.Not)
          this.CONSUME2(keyword.Null)
        },
      },
      {
        ALT: () => {
          this.CONSUME(keyword.Restart)
          this.CONSUME(keyword.With)
          this.SUBRULE(this.wholeNumber)
        },
      },
    ])
  })

  readonly renamedColumn: Rule = this.RULE('renamedColumn', () => {
    this.CONSUME(keyword.Rename)
    this.CONSUME(keyword.Column)
    this.SUBRULE1(this.columnName)
    this.CONSUME(keyword.To)
    this.SUBRULE2(this.columnName)
  })

  readonly renamedTable: Rule = this.RULE('renamedTable', () => {
    this.CONSUME(keyword.Rename)
    this.CONSUME(keyword.To)
    this.SUBRULE(this.tableName)
  })

  readonly addedCheck: Rule = this.RULE('addedCheck', () => {
    this.CONSUME(keyword.Add)
    this.SUBRULE(this.checkClause)
  })

  readonly droppedConstraint: Rule = this.RULE('droppedConstraint', () => {
    this.CONSUME(keyword.Drop)
    this.CONSUME(keyword.Constraint)
    this.SUBRULE(this.constraintName)
  })

  // Indexes

  readonly newIndex: Rule = this.RULE('newIndex', () => {
    this.OPTION1(() => this.CONSUME(keyword.Unique))
    this.CONSUME(keyword.Index)
    this.OPTION2(() => this.SUBRULE(this.ifNotExists))
    this.SUBRULE(this.indexName)
    this.CONSUME(keyword.On)
    this.SUBRULE(this.tableName)
    this.CONSUME(token.LeftParenthesis)
    this.AT_LEAST_ONE_SEP({ SEP: token.Comma, DEF: () => this.SUBRULE(this.indexPart) })
    this.CONSUME(token.RightParenthesis)
    this.OPTION3(() => {
      this.CONSUME(keyword.Storing)
      this.SUBRULE(this.columnList)
    })
  })

  readonly droppedIndex: Rule = this.RULE('droppedIndex', () => {
    this.CONSUME(keyword.Index)
    this.OPTION(() => this.SUBRULE(this.ifExists))
    this.SUBRULE(this.indexName)
  })
}
