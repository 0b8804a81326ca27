// SPDX-License-Identifier: Apache-2.0
import type { Expression, GetStatement, Position } from '../../parser/ast.ts'
import type { TableDefinition } from '../../storage/tables/tables.ts'
import type { ExpressionCompiler } from '../expressions/compiled-expression.ts'
import { createExpressionCompiler } from '../expressions/expression.ts'
import {
  expressionText,
  intoText,
  lookupText,
  nameText,
  projectionText,
  tableText,
} from '../expressions/expression-text.ts'
import { compileAs } from '../expressions/type-check.ts'
import { type CandidateKey, candidateKeys, keyText, primaryKeyOf } from '../keys/candidate-key.ts'
import type { KeyCondition } from '../keys/condition.ts'
import { byTerm, conjunctsOf, keyConditionOf, termsOf } from '../keys/key-condition.ts'
import { boundsOf, conditionsOf, type KeyBounds } from '../keys/key-range.ts'
import { columnOfTerm, type KeyTerm, termText } from '../keys/key-term.ts'
import { type RejectedKey, unreadableKeys } from '../keys/rejected-keys.ts'
import { PlanError } from '../plan-error.ts'
import { rowOf } from '../row-parts.ts'
import { eitherValueHint } from './either-value.ts'

type Request =
  | { readonly name: 'SET' | 'CHECK' | 'NOTIFY'; readonly where: Expression }
  | (GetStatement & { readonly name: 'GET' })

/**
 * The WHERE of a SET, a CHECK or a NOTIFY: each column of the primary key exactly once, by =, and nothing else.
 * Throws PlanError invalid_request that tells what is missing or too much.
 */
export function planFullKey(
  compiler: ExpressionCompiler,
  table: TableDefinition,
  statement: Request,
): KeyBounds {
  return planAmong([primaryKeyOf(table)], compiler, table, statement).keys
}

/** Whether the WHERE is that of `planFullKey`, so that it names one row, which may be missing. */
export function namesOneRow(table: TableDefinition, where: Expression): boolean {
  const compiler = createExpressionCompiler(rowOf(table))
  const terms = conjunctsOf(where).map((conjunct) => {
    const condition = keyConditionOf(compiler, conjunct)
    return condition !== undefined && isPoint(condition, 'SET') ? condition.term : undefined
  })
  const { parts } = primaryKeyOf(table)
  return terms.length === parts.length && parts.every(({ term }) => terms.includes(term))
}

/**
 * The WHERE of a GET: each column of the primary key or of a unique index exactly once, by = or IN,
 * and nothing else. Where it fits several keys of the same columns, the primary key comes first.
 */
export function planGetKey(
  compiler: ExpressionCompiler,
  table: TableDefinition,
  statement: GetStatement,
): { readonly keys: KeyBounds; readonly rejected: readonly RejectedKey[] } {
  const unique = candidateKeys(table).filter((key) => key.unique)
  return planAmong(unique, compiler, table, { ...statement, name: 'GET' })
}

function planAmong(
  keys: readonly CandidateKey[],
  compiler: ExpressionCompiler,
  table: TableDefinition,
  request: Request,
): { readonly keys: KeyBounds; readonly rejected: readonly RejectedKey[] } {
  const conditions = conjunctsOf(request.where).map((conjunct): KeyCondition => {
    const condition = keyConditionOf(compiler, conjunct)
    if (condition !== undefined && isPoint(condition, request.name)) return condition
    // A mistake in its types is the better message where there is one.
    compileAs(compiler, conjunct, 'BOOLEAN')
    throw notTheKey(keys, table, request, conjunct.position)
  })
  const named = new Set<KeyTerm>()
  for (const condition of conditions) {
    for (const term of termsOf(condition)) {
      if (named.has(term)) throw namedTwice(table, term, condition.source.position)
      named.add(term)
    }
  }
  const isWhole = (key: CandidateKey) =>
    key.parts.length === named.size && key.parts.every((part) => named.has(part.term))
  const bounds = keys.filter(isWhole).map((key) => boundsOf(key, byTerm(conditions)))
  const chosen = bounds.find((each) => conditionsOf(each).every(({ exact }) => exact))
  if (chosen === undefined) {
    throw notTheKey(keys, table, request, misfit(keys, conditions) ?? request.where.position)
  }
  const others = candidateKeys(table).filter((key) => key.name !== chosen.key.name)
  const rejected = others.map((key) => ({
    key: keyText(key),
    reason: isWhole(key)
      ? 'it is no better, and comes after the other'
      : 'the WHERE does not name its columns, each by = or IN',
  }))
  return {
    keys: chosen,
    rejected: [...rejected, ...unreadableKeys(table)],
  }
}

function isPoint(condition: KeyCondition, statement: Request['name']): boolean {
  if (condition.kind !== 'points' || condition.source.kind === 'isNull') return false
  return statement === 'GET' || condition.source.kind !== 'in'
}

/** The first condition on what no key has. */
function misfit(
  keys: readonly CandidateKey[],
  conditions: readonly KeyCondition[],
): Position | undefined {
  const inKeys = new Set(keys.flatMap(({ parts }) => parts.map(({ term }) => term)))
  return conditions.find((each) => !termsOf(each).every((term) => inKeys.has(term)))?.source
    .position
}

function namedTwice(table: TableDefinition, term: KeyTerm, position: Position): PlanError {
  const { name } = table.columns[columnOfTerm(term)] as { name: string }
  const what = typeof term === 'number' ? `the column ${name}` : termText(table, term)
  return new PlanError('invalid_request', `The WHERE names ${what} twice.`, {
    position,
    fields: { table: table.name, column: name },
  })
}

/** The walk that finds what a GET asks for, or the keys of what the others are to write. */
function asScan(request: Request, table: TableDefinition, primaryKey: readonly string[]): string {
  const where = `WHERE ${expressionText(request.where)}`
  if (request.name !== 'GET') {
    return `SCAN ${primaryKey.join(', ')} FROM ${nameText(table.name)} USE PRIMARY KEY ${where}`
  }
  const { projection, asOf, lookups = [], into } = request
  const moment = asOf === undefined ? '' : ` AS OF ${expressionText(asOf)}`
  const looked = lookups.map((lookup) => `${lookupText(lookup)} `).join('')
  return `SCAN ${projectionText(projection)} FROM ${tableText(request)}${moment} USE PRIMARY KEY ${looked}${where}${intoText(into)}`
}

/** Longer statements are nothing to write down in a hint. */
export const SUGGESTION_CHARACTERS_MAX = 1_000

function notTheKey(
  keys: readonly CandidateKey[],
  table: TableDefinition,
  request: Request,
  position: Position,
): PlanError {
  const { name: statement, where } = request
  const [names, ...ofIndexes] = keys.map((key) => key.parts.map(({ text }) => text))
  const primaryKey = names as readonly string[]
  const by = statement === 'GET' ? 'by = or IN' : 'by ='
  const indexes = ofIndexes.map((columns) => ` or of a unique index (${columns.join(', ')})`)
  const message = `The WHERE of a ${statement} names each column of the primary key (${primaryKey.join(', ')})${indexes.join('')} ${by}, and nothing else.`
  const wanted = `WHERE ${primaryKey.map((column) => `${column} = …`).join(' AND ')}`
  const choice = eitherValueHint(where)
  const suggestion = asScan(request, table, primaryKey)
  const isShort = suggestion.length <= SUGGESTION_CHARACTERS_MAX
  const scan = isShort ? suggestion : `SCAN … FROM ${nameText(table.name)} WHERE …`
  const why =
    statement === 'GET' ? 'rows by any other condition' : 'the keys of rows by other conditions'
  const hint = `${choice === undefined ? '' : `${choice}. `}Write ${wanted}; ${why} are found by: ${scan}`
  return new PlanError('invalid_request', message, {
    position,
    hint,
    fields: {
      table: table.name,
      primaryKey: keys[0]?.parts.map((part) => part.name),
      ...(isShort ? { suggestion } : {}),
    },
  })
}
