// SPDX-License-Identifier: Apache-2.0
import type { KeyHint } from '../../parser/ast.ts'
import { nameText } from '../expressions/expression-text.ts'
import { PlanError } from '../plan-error.ts'
import { requireIndexOf } from '../unknown-name.ts'
import { type AccessQuestion, type AccessRule, type Candidate, pathAlong } from './access-path.ts'
import { keyText } from './candidate-key.ts'
import { boundsNothing } from './key-range.ts'
import { orderIndexText } from './suggested-index.ts'

/**
 * A hint decides, or no path is left: `hintRefusal` says why. The key is walked whole when no
 * condition bounds it: the statement said so. Only a DELETE without WHERE has to say USE PRIMARY KEY.
 */
export const ruleHint: AccessRule = (question) => {
  const { hint } = question
  if (hint === undefined) return undefined
  const candidate = candidateOf(question, hint)
  if (candidate.direction === undefined || walksAllByIndex(question)) return undefined
  return pathAlong(candidate, 'hint', true)
}

/** A DELETE without WHERE is not led to all rows by an index. */
function walksAllByIndex(question: AccessQuestion): boolean {
  const { hint, statement, hasWhere } = question
  if (statement !== 'DELETE' || hasWhere || hint?.kind !== 'index') return false
  return boundsNothing(candidateOf(question, hint).bounds)
}

/** Why the key of a hint cannot serve; undefined when that is not what is wrong. */
export function hintRefusal(question: AccessQuestion, limitHint: string): PlanError | undefined {
  const { hint } = question
  const candidate = hint && candidateOf(question, hint)
  if (hint === undefined || candidate === undefined || candidate.direction !== undefined)
    return undefined
  return cannotServe(question, hint, candidate, limitHint)
}

function candidateOf({ candidates, table }: AccessQuestion, hint: KeyHint): Candidate {
  if (hint.kind === 'primaryKey') return candidates[0] as Candidate
  const index = requireIndexOf(table, hint.index)
  const candidate = candidates.find(({ key }) => key.index?.id === index.id)
  if (candidate !== undefined) return candidate
  const building = index.state === 'building'
  const why = building ? 'is still being built' : 'could not be built'
  // What the rows have against it is told by SHOW INDEXES, to those who may read them.
  throw new PlanError('invalid_request', `The index ${nameText(index.name)} ${why}.`, {
    position: hint.index.position,
    hint: building
      ? `SHOW INDEXES FROM ${nameText(table.name)} tells how far it is.`
      : `SHOW INDEXES FROM ${nameText(table.name)} tells why. DROP INDEX ${nameText(index.name)}, and create it again when the rows allow it.`,
    fields: { table: table.name, index: index.name, state: index.state },
  })
}

function cannotServe(
  question: AccessQuestion,
  hint: KeyHint,
  { key, misses }: Candidate,
  limitHint: string,
): PlanError {
  const { table, orderPosition, groupPosition } = question
  const clause = misses === 'groups' ? 'GROUP BY' : 'ORDER BY'
  const position = misses === 'groups' ? groupPosition : orderPosition
  const message = `The hint names ${keyText(key)}, which does not give this ${clause}.`
  return new PlanError('invalid_request', message, {
    position: position ?? hint.position,
    hint: `Leave out the hint, or ask for the order of its key.${orderIndexText(question)}${limitHint}`,
    fields: { table: table.name, hinted: keyText(key) },
  })
}
