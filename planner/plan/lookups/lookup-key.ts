// SPDX-License-Identifier: Apache-2.0
import type { BinaryExpression, Expression } from '../../../parser/ast.ts'
import type { SqlType } from '../../../storage/values/values.ts'
import type { ExpressionCompiler } from '../../expressions/compiled-expression.ts'
import { expressionText, nameText } from '../../expressions/expression-text.ts'
import {
  type CandidateKey,
  keyText,
  uniqueBuildingHint,
  uniqueKeyOf,
  uniqueKeys,
} from '../../keys/candidate-key.ts'
import { conjunctsOf } from '../../keys/key-condition.ts'
import { columnOfTerm, type KeyTerm, termAt, termOf, termText } from '../../keys/key-term.ts'
import { suggestedUniqueIndex } from '../../keys/suggested-index.ts'
import { PlanError } from '../../plan-error.ts'
import type { RowPart } from '../../row-parts.ts'
import { lastPartOf } from './split-where.ts'
import type { LookupTable } from './statement-tables.ts'

/** `column = value` of a BY: a column of the table that is looked up, or a path into one, as terms of that table. */
export type KeyEquation = {
  readonly term: KeyTerm
  readonly type: SqlType
  readonly value: Expression
  readonly source: Expression
}

/**
 * The key that a BY gives all columns of, each by = to what the tables before tell, and its equations in the order of
 * its columns. Throws PlanError invalid_request that says what is missing, and which index would do.
 */
export function lookupKeyOf(
  { parts }: ExpressionCompiler,
  { part, source }: LookupTable,
): { readonly key: CandidateKey; readonly equations: readonly KeyEquation[] } {
  // The value may name no later table, so that those make none of its columns ambiguous either.
  const known = parts.slice(0, parts.indexOf(part) + 1)
  const byTerm = new Map<KeyTerm, KeyEquation>()
  for (const conjunct of conjunctsOf(source.by)) {
    const equation = equationOf(known, part, conjunct)
    if (byTerm.has(equation.term)) throw givenTwice(part, equation)
    byTerm.set(equation.term, equation)
  }
  const terms = new Set(byTerm.keys())
  const key = uniqueKeyOf(part.table, terms)
  if (key === undefined) throw noSuchKey(part, [...terms], source.by)
  const equations = key.parts.map(({ term }) => byTerm.get(term) as KeyEquation)
  return { key, equations }
}

function equationOf(known: readonly RowPart[], part: RowPart, source: Expression): KeyEquation {
  const comparison = equalityOf(source)
  if (comparison === undefined) throw noEquation(part, source)
  for (const [side, value] of comparison) {
    const meant = termOf(known, side)
    if (meant === undefined || meant.column < part.offset) continue
    if (lastPartOf(known, value) === known.length - 1) throw notBefore(part, value)
    const { column, path, type } = meant
    return { term: termAt(column - part.offset, path), type, value, source }
  }
  throw noEquation(part, source)
}

/** The two sides of an =, either of which may be the column. */
function equalityOf(
  source: Expression,
): ReadonlyArray<readonly [Expression, Expression]> | undefined {
  if (source.kind !== 'binary') return undefined
  const [rest] = source.rest as readonly [BinaryExpression['rest'][number]]
  if (rest.operator !== '=') return undefined
  return [
    [source.first, rest.operand],
    [rest.operand, source.first],
  ]
}

function noEquation({ name, table }: RowPart, { position, ...source }: Expression): PlanError {
  const shown = expressionText({ position, ...source } as Expression)
  const message = `BY gives columns of ${name} by = and nothing else, which ${shown} does not.`
  return new PlanError('invalid_request', message, {
    position,
    hint: 'Any other condition belongs in the WHERE.',
    fields: { table: table.name },
  })
}

function notBefore({ name, table }: RowPart, value: Expression): PlanError {
  const message = `BY computes the key of ${name} from the tables before it, and ${expressionText(value)} names ${name} itself.`
  return new PlanError('invalid_request', message, {
    position: value.position,
    hint: 'A condition on the row that was found belongs in the WHERE.',
    fields: { table: table.name },
  })
}

function givenTwice({ table }: RowPart, { term, source }: KeyEquation): PlanError {
  const { name } = table.columns[columnOfTerm(term)] as { name: string }
  const what = typeof term === 'number' ? `the column ${name}` : termText(table, term)
  return new PlanError('invalid_request', `The BY gives ${what} twice.`, {
    position: source.position,
    hint: 'One of the conditions belongs in the WHERE.',
    fields: { table: table.name, column: name },
  })
}

function noSuchKey({ name, table }: RowPart, terms: readonly KeyTerm[], by: Expression): PlanError {
  const named = terms.map((term) => termText(table, term))
  const unique = uniqueKeys(table)
  const keys = unique.map(keyText)
  const suggested = suggestedUniqueIndex(table, terms)
  const still = uniqueBuildingHint(table)
  const qualified = (unique[0] as CandidateKey).parts.map((part) => {
    return `${nameText(name)}.${part.text} = …`
  })
  const within = unique.find(({ parts }) => parts.every(({ term }) => terms.includes(term)))
  if (within !== undefined) throw moreThanKey(name, within, by)
  const create = suggested === undefined ? '' : `Create an index for it: ${suggested}; or `
  const message = `No unique key of ${table.name} has the columns (${named.join(', ')}), so LOOKUP would have to search for its rows.`
  return new PlanError('invalid_request', message, {
    position: by.position,
    hint: `${create}${create === '' ? 'Give' : 'give'} all columns of a key, as in BY ${qualified.join(' AND ')}. Where several rows of ${table.name} may match, begin with them: FROM ${table.name} LOOKUP ….${still}`,
    fields: {
      table: table.name,
      keys,
      ...(suggested === undefined ? {} : { suggestedIndex: suggested }),
    },
  })
}

function moreThanKey(name: string, key: CandidateKey, by: Expression): PlanError {
  const message = `BY gives all columns of ${keyText(key)} of ${name}, and others.`
  return new PlanError('invalid_request', message, {
    position: by.position,
    hint: 'That key finds the one row there is; a condition on its other columns belongs in the WHERE.',
  })
}
