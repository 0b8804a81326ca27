// SPDX-License-Identifier: Apache-2.0

import {
  Alternation,
  type Alternative,
  type IProduction,
  type IToken,
  NonTerminal,
  Option,
  RepetitionMandatory,
  RepetitionMandatoryWithSeparator,
  RepetitionWithSeparator,
  type Rule,
  Terminal,
  type TokenType,
} from 'chevrotain'
import { isAggregate } from '../builders/aggregates.ts'
import { isCast, isDecimal } from '../grammar/expression-grammar.ts'
import * as keyword from '../grammar/keywords.ts'
import { isOf, LeftParenthesis, RightParenthesis } from '../grammar/tokens.ts'

/** A token that could have come next, and the rule of the grammar that asks for it. */
export type ExpectedToken = { readonly type: TokenType; readonly rule: string }

/** What the grammar would take after some tokens; `mayEnd`: also the end of the text. */
export type Expectation = { readonly expected: readonly ExpectedToken[]; readonly mayEnd: boolean }

type Sequence = readonly IProduction[]
type Walk = { readonly tokens: readonly IToken[]; next: number; readonly expected: ExpectedToken[] }

/**
 * Follows the grammar over the tokens that were right and collects everything that could have come
 * after them; the parser itself only knows the one alternative it tried last. Used only when a text is
 * wrong; the time is linear in the tokens.
 */
export class ExpectedTokens {
  readonly #script: Rule
  readonly #firstTokens = new Map<Sequence, readonly TokenType[]>()

  constructor(script: Rule) {
    this.#script = script
  }

  /** `tokens` begin at the beginning of a statement. */
  after(tokens: readonly IToken[]): Expectation {
    const walk: Walk = { tokens, next: 0, expected: [] }
    const mayEnd = this.#follow(this.#script.definition, walk, this.#script.name)
    const expected = walk.expected.filter((each) => isAskedFor(each, tokens))
    return { expected, mayEnd: mayEnd && atEnd(walk) }
  }

  /** False once a token is missing: nothing after it in the grammar can be reached. */
  #follow(sequence: Sequence, walk: Walk, rule: string): boolean {
    return sequence.every((production) => this.#followOne(production, walk, rule))
  }

  #followOne(production: IProduction, walk: Walk, rule: string): boolean {
    if (production instanceof Terminal) return take(production.terminalType, walk, rule)
    if (production instanceof NonTerminal) {
      return this.#follow(production.definition, walk, production.referencedRule.name)
    }
    if (production instanceof Alternation) return this.#followAlternation(production, walk, rule)
    const { definition } = production as unknown as { definition: Sequence }
    if (production instanceof RepetitionMandatory) {
      if (!this.#follow(definition, walk, rule)) return false
    } else if (isSeparated(production)) {
      const mandatory = production instanceof RepetitionMandatoryWithSeparator
      if (mandatory && !this.#follow(definition, walk, rule)) return false
      if (!mandatory && !this.#followIfPresent(definition, walk, rule)) return false
      return this.#followSeparated(production.separator, definition, walk, rule)
    }
    if (production instanceof Option) return this.#followIfPresent(definition, walk, rule)
    while (!atEnd(walk) && this.#mayBegin(definition, walk)) {
      if (!this.#follow(definition, walk, rule)) return false
    }
    return this.#followIfPresent(definition, walk, rule)
  }

  #followIfPresent(sequence: Sequence, walk: Walk, rule: string): boolean {
    if (!atEnd(walk)) return !this.#mayBegin(sequence, walk) || this.#follow(sequence, walk, rule)
    this.#follow(sequence, walk, rule)
    return true
  }

  #followSeparated(separator: TokenType, sequence: Sequence, walk: Walk, rule: string): boolean {
    for (;;) {
      const token = walk.tokens[walk.next]
      if (token === undefined) {
        take(separator, walk, rule)
        return true
      }
      if (!isOf(token.tokenType, separator)) return true
      walk.next += 1
      if (!this.#follow(sequence, walk, rule)) return false
    }
  }

  #followAlternation(production: Alternation, walk: Walk, rule: string): boolean {
    const alternatives = production.definition as readonly IProduction[] as readonly Alternative[]
    const possible = atEnd(walk)
      ? alternatives
      : alternatives.filter((each) => this.#mayBegin(each.definition, walk))
    const [only, ...others] = possible
    if (only !== undefined && others.length === 0) {
      return this.#follow(only.definition, walk, rule)
    }
    return this.#followFurthest(possible, walk, rule)
  }

  /**
   * Where several alternatives begin with the same token, the one is meant that takes the most of
   * the tokens; all of them while nothing tells them apart. None of the grammar's stands within
   * itself, so that trying them all stays linear.
   */
  #followFurthest(possible: readonly Alternative[], walk: Walk, rule: string): boolean {
    const trials = possible.map(({ definition }) => {
      const trial: Walk = { tokens: walk.tokens, next: walk.next, expected: [] }
      return { trial, complete: this.#follow(definition, trial, rule) }
    })
    const furthest = Math.max(walk.next, ...trials.map(({ trial }) => trial.next))
    walk.next = furthest
    const meant = trials.filter(({ trial }) => trial.next === furthest)
    for (const { trial } of meant) walk.expected.push(...trial.expected)
    return meant.some(({ complete }) => complete)
  }

  #mayBegin(sequence: Sequence, walk: Walk): boolean {
    const token = walk.tokens[walk.next]
    return (
      token !== undefined && this.#firstOf(sequence).some((type) => isOf(token.tokenType, type))
    )
  }

  /** Every token that can begin the sequence: what a walk over no tokens at all would collect. */
  #firstOf(sequence: Sequence): readonly TokenType[] {
    let first = this.#firstTokens.get(sequence)
    if (first === undefined) {
      const walk: Walk = { tokens: [], next: 0, expected: [] }
      this.#follow(sequence, walk, '')
      first = walk.expected.map(({ type }) => type)
      this.#firstTokens.set(sequence, first)
    }
    return first
  }
}

/** What the grammar, or what is made of the text, takes after some names only. */
function isAskedFor({ type, rule }: ExpectedToken, tokens: readonly IToken[]): boolean {
  if (rule === 'callArguments' && type === keyword.Distinct) {
    return isAggregate(tokens.at(-2)?.image.toLowerCase() ?? '')
  }
  if (rule === 'filterClause' && type === keyword.Filter) {
    const opened = innermostOpen(tokens.slice(0, -1))
    return isAggregate(tokens[opened - 1]?.image.toLowerCase() ?? '')
  }
  if (rule === 'typeSize' && type === LeftParenthesis) return isDecimal(tokens.at(-1)?.image ?? '')
  return rule !== 'castType' || isCast(tokens[innermostOpen(tokens) - 1]?.image ?? '')
}

/** The last parenthesis that is not closed, or -1. */
function innermostOpen(tokens: readonly IToken[]): number {
  let closed = 0
  return tokens.findLastIndex(({ tokenType }) => {
    if (tokenType === RightParenthesis) closed += 1
    if (tokenType !== LeftParenthesis) return false
    closed -= 1
    return closed < 0
  })
}

function isSeparated(
  production: IProduction,
): production is RepetitionWithSeparator | RepetitionMandatoryWithSeparator {
  return (
    production instanceof RepetitionWithSeparator ||
    production instanceof RepetitionMandatoryWithSeparator
  )
}

function atEnd(walk: Walk): boolean {
  return walk.next === walk.tokens.length
}

function take(type: TokenType, walk: Walk, rule: string): boolean {
  const token = walk.tokens[walk.next]
  if (token === undefined) walk.expected.push({ type, rule })
  if (token === undefined || !isOf(token.tokenType, type)) return false
  walk.next += 1
  return true
}
