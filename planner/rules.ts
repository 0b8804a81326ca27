// SPDX-License-Identifier: Apache-2.0
import type { AccessPath, AccessQuestion, AccessRule } from './access-path.ts'
import { type CandidateKey, keyText } from './candidate-key.ts'
import { nameText } from './expression-text.ts'
import { walkingDirection } from './key-order.ts'
import { boundsOf } from './key-range.ts'
import { PlanError } from './plan-error.ts'
import { ruleFullKey } from './rule-full-key.ts'
import { ruleHint } from './rule-hint.ts'
import { ruleKeyPrefix } from './rule-key-prefix.ts'
import { ruleWholeKey } from './rule-whole-key.ts'

/** The rules in their order; the first that has a path decides. There is no cost and no guess. */
const RULES: readonly AccessRule[] = [ruleHint, ruleFullKey, ruleKeyPrefix, ruleWholeKey]

/** A rule that was asked and had no path, for EXPLAIN. */
export type LostRule = { readonly rule: string; readonly reason: string }

/**
 * The path to the rows of a SCAN or a DELETE. Throws PlanError unbounded_scan when no condition
 * bounds a key and the statement does not say that the table may be walked, and invalid_request when
 * no key gives the ORDER BY: the planner never sorts.
 */
export function chooseAccess(question: AccessQuestion): {
  readonly path: AccessPath
  readonly lost: readonly LostRule[]
} {
  requireOrder(question)
  const lost: LostRule[] = []
  for (const rule of RULES) {
    const answer = rule.choose(question)
    if ('path' in answer) return { path: answer.path, lost }
    lost.push({ rule: rule.name, reason: answer.lost })
  }
  throw unbounded(question)
}

/** Thrown as well when a parameter turns out, at execution, to bound nothing. */
export function unbounded(
  question: Pick<AccessQuestion, 'statement' | 'position' | 'table' | 'hasWhere'> & {
    readonly keys: readonly CandidateKey[]
  },
): PlanError {
  const { statement, position, table, keys, hasWhere } = question
  const message = hasWhere
    ? `The WHERE bounds no key of ${table.name}, so this ${statement} would read the whole table.`
    : `This ${statement} without WHERE would read the whole table ${table.name}.`
  const firsts = keys.map((key) => nameText(key.parts[0]?.name ?? '')).join(' or ')
  const hint =
    `Bound ${firsts} by =, IN, <, <=, >, >=, BETWEEN or LIKE 'prefix%', ` +
    `or write ${statement === 'SCAN' ? 'SCAN … FROM' : 'DELETE FROM'} ${nameText(table.name)} USE PRIMARY KEY` +
    `${hasWhere ? ' WHERE …' : ''} to walk the table.`
  const fields = { table: table.name, keys: keys.map(keyText) }
  return new PlanError('unbounded_scan', message, { position, hint, fields })
}

function requireOrder({ keys, conditions, orderBy, table, ...at }: AccessQuestion): void {
  const serves = keys.some((key) => walkingDirection(boundsOf(key, conditions), orderBy))
  if (serves) return
  const orders = keys.map((key) => orderText(key, false))
  const reversed = keys.map((key) => orderText(key, true))
  throw new PlanError('invalid_request', `No key of ${table.name} gives this ORDER BY.`, {
    position: at.orderPosition ?? at.position,
    hint: `Rows come in the order of a key: ORDER BY ${[...orders, ...reversed].join(', or ORDER BY ')}.`,
    fields: { table: table.name, keys: keys.map(keyText) },
  })
}

function orderText(key: CandidateKey, reverse: boolean): string {
  return key.parts
    .map((part) => `${nameText(part.name)}${part.descending !== reverse ? ' DESC' : ''}`)
    .join(', ')
}
