// SPDX-License-Identifier: Apache-2.0
import type { KeyHint } from '../../parser/ast.ts'
import { nameText } from '../expressions/expression-text.ts'
import { PlanError } from '../plan-error.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import { requireIndexOf } from '../unknown-name.ts'
import {
  type AccessPath,
  type AccessQuestion,
  type AccessRule,
  type Candidate,
  pathAlong,
} from './access-path.ts'
import { buildingHint, type CandidateKey, keyText, partText } from './candidate-key.ts'
import { boundsNothing, isFullKey } from './key-range.ts'
import { type RejectedKey, rejectedKeys } from './rejected-keys.ts'
import { orderIndexText, suggestedIndex } from './suggested-index.ts'

/** Every column of the primary key fixed by = or IN: the rows are got by their keys, without a scan. */
const ruleFullPrimaryKey: AccessRule = (question) => {
  const [primary] = fullKeys(question).filter(({ key }) => key.index === undefined)
  return primary && pathAlong(primary, 'full primary key')
}

/** The same of a unique index: its entries are got by their keys. One that covers is the better one. */
const ruleFullUniqueIndex: AccessRule = (question) => {
  const indexes = fullKeys(question).filter(({ key }) => key.index !== undefined)
  const best = indexes.find(({ covering }) => covering) ?? indexes[0]
  return best && pathAlong(best, 'full unique index')
}

function fullKeys({ candidates }: AccessQuestion): readonly Candidate[] {
  return candidates.filter(({ bounds, direction }) => direction !== undefined && isFullKey(bounds))
}

/**
 * Of the keys that the conditions bound and that give the ORDER BY, the one with the most fixed
 * columns, then one with a range on the next, then one that covers; the first of equals wins, which
 * is the primary key before all indexes.
 */
const ruleKeyPrefix: AccessRule = ({ candidates }) => {
  const best = bestOf(candidates.filter(({ bounds }) => !boundsNothing(bounds)))
  return best && pathAlong(best, 'key prefix')
}

/** The first of the best among those that give the order. */
function bestOf(candidates: readonly Candidate[]): Candidate | undefined {
  let best: Candidate | undefined
  for (const candidate of candidates) {
    if (candidate.direction === undefined) continue
    if (best === undefined || isBetter(candidate, best)) best = candidate
  }
  return best
}

function isBetter(a: Candidate, b: Candidate): boolean {
  const [ranksA, ranksB] = [ranksOf(a), ranksOf(b)]
  const position = ranksA.findIndex((rank, index) => rank !== ranksB[index])
  return position >= 0 && (ranksA[position] as number) > (ranksB[position] as number)
}

function ranksOf({ bounds, covering }: Candidate): readonly number[] {
  return [bounds.points.length, bounds.range.length > 0 ? 1 : 0, covering ? 1 : 0]
}

/** A SCAN without WHERE says itself that it walks the table. A DELETE has to say it by a hint. */
const ruleWholeKey: AccessRule = ({ statement, hasWhere, candidates }) => {
  if (hasWhere || statement === 'DELETE') return undefined
  const best = bestOf(candidates)
  return best && pathAlong(best, 'whole key', true)
}

/** The rules after the hint, in their order; the first that has a path decides. There is no cost and no guess. */
const RULES: readonly AccessRule[] = [
  ruleFullPrimaryKey,
  ruleFullUniqueIndex,
  ruleKeyPrefix,
  ruleWholeKey,
]

type Chosen = {
  readonly path: AccessPath
  readonly rejected: readonly RejectedKey[]
  /** The one that is answered, and its position. */
  readonly question: AccessQuestion
  readonly at: number
}

/**
 * The path to the rows of a statement, by the first of the questions that has one: each asks for less
 * than the one before. Of the last one it throws PlanError `unbounded_scan` when no condition bounds a key and the
 * statement does not say that the table may be walked, and `invalid_request` when no key gives the order or the groups.
 * `ifLimited` is what could be answered if the statement had a LIMIT.
 */
export function chooseAccess(
  questions: readonly AccessQuestion[],
  ifLimited?: AccessQuestion,
): Chosen {
  for (const [at, question] of questions.entries()) {
    const path = pathOf(question)
    if (path !== undefined) return { path, rejected: rejectedKeys(question, path), question, at }
  }
  const last = questions.at(-1) as AccessQuestion
  throw refusal(last, ifLimited === undefined ? '' : limitHintOf(ifLimited, last))
}

/** A LIMIT alone is no leave to walk the whole table. */
function limitHintOf(ifLimited: AccessQuestion, question: AccessQuestion): string {
  if (pathOf(ifLimited) !== undefined) return LIMIT_HINT
  const { position, hint } = ifLimited
  if (hint !== undefined || servingKey(question) !== undefined) return ''
  const walk = pathOf({ ...ifLimited, hint: { kind: 'primaryKey', position } })
  return walk === undefined ? '' : WALK_AND_LIMIT_HINT
}

/** The first of the keys that give the order and the groups. */
function servingKey({ candidates }: AccessQuestion): CandidateKey | undefined {
  return candidates.find(({ direction }) => direction !== undefined)?.key
}

const { sortRowsMax } = PLANNER_LIMITS
const LIMIT_HINT = ` Or write LIMIT n, up to ${sortRowsMax}: then the first n of the range are sorted.`
const WALK_AND_LIMIT_HINT = ` Or write USE PRIMARY KEY and LIMIT n, up to ${sortRowsMax}: then the whole table is read, and its first n are sorted.`

/** A hint decides, also where its key cannot serve. */
function pathOf(question: AccessQuestion): AccessPath | undefined {
  const rules = question.hint === undefined ? RULES : [ruleHint]
  for (const rule of rules) {
    const path = rule(question)
    if (path !== undefined) return path
  }
  return undefined
}

function refusal(question: AccessQuestion, limitHint: string): PlanError {
  const byHint = hintRefusal(question, limitHint)
  if (byHint !== undefined) return byHint
  const isServed = servingKey(question) !== undefined
  return isServed ? unbounded(question, limitHint) : noSuchOrder(question, limitHint)
}

/** Those that are of use without a condition on a member. */
function walkable({ candidates }: AccessQuestion): readonly Candidate[] {
  return candidates.filter(({ misses }) => misses !== 'member')
}

const BEFORE_TABLE = { SCAN: 'SCAN … FROM', SET: 'SET … ON', DELETE: 'DELETE FROM' } as const

/** Thrown as well when a parameter turns out, at execution, to bound nothing. */
export function unbounded(question: AccessQuestion, limitHint = ''): PlanError {
  const { statement, position, table, hasWhere } = question
  const candidates = walkable(question)
  const keys = candidates.map(({ key }) => key)
  const clause = candidates.some(({ misses }) => misses !== undefined)
    ? ` that gives the ${question.groupBy === undefined ? 'ORDER' : 'GROUP'} BY`
    : ''
  const message = hasWhere
    ? `The WHERE bounds no key of ${table.name}${clause}, so this ${statement} would read the whole table.`
    : `This ${statement} without WHERE would read the whole table ${table.name}.`
  const firsts = new Set(keys.map((key) => key.parts[0]?.text ?? ''))
  const suggested = hasWhere ? suggestedIndex(question) : undefined
  const hint = [
    suggested === undefined ? 'Bound' : `Create an index for it: ${suggested}; or bound`,
    `${[...firsts].join(' or ')} by =, IN, <, <=, >, >=, BETWEEN or LIKE 'prefix%',`,
    `or write ${BEFORE_TABLE[statement]} ${nameText(table.name)} USE ${walkedKey(question)}`,
    `${hasWhere ? 'WHERE … ' : ''}to walk the table.`,
  ].join(' ')
  return new PlanError('unbounded_scan', message, {
    position,
    hint: `${otherwiseText(question)}${hint}${limitHint}${buildingHint(table.indexes)}`,
    fields: fieldsOf(question, keys, suggested),
  })
}

function walkedKey(question: AccessQuestion): string {
  const index = servingKey(question)?.index
  return index === undefined ? 'PRIMARY KEY' : `INDEX ${nameText(index.name)}`
}

function otherwiseText({ whereHint }: AccessQuestion): string {
  const otherwise = whereHint()
  return otherwise === undefined ? '' : `${otherwise}. `
}

function noSuchOrder(question: AccessQuestion, limitHint: string): PlanError {
  const { table, position, orderPosition, groupPosition } = question
  const candidates = walkable(question)
  const keys = candidates.map(({ key }) => key)
  const suggested = suggestedIndex(question)
  const create = orderIndexText(question)
  const byGroups = candidates.every(({ misses }) => misses === 'groups')
  const fields = fieldsOf(question, keys, suggested)
  if (byGroups) {
    const groups = keys.map((key) => key.order.map(({ text }) => text).join(', '))
    const inOrder = orderPosition === undefined ? '' : ' in this order'
    const message = `No key of ${table.name} gives this GROUP BY${inOrder}.`
    return new PlanError('invalid_request', message, {
      position: orderPosition ?? groupPosition ?? position,
      hint: `Groups follow each other along the first columns of a key, such as ${groups.join(' or ')}.${create}${limitHint}`,
      fields,
    })
  }
  const orders = keys.map((key) => orderText(key, false))
  const reversed = keys.map((key) => orderText(key, true))
  return new PlanError('invalid_request', `No key of ${table.name} gives this ORDER BY.`, {
    position: orderPosition ?? position,
    hint: `${otherwiseText(question)}Rows come in the order of a key: ORDER BY ${[...orders, ...reversed].join(', or ORDER BY ')}.${create}${limitHint}`,
    fields,
  })
}

function fieldsOf(
  { table }: AccessQuestion,
  keys: readonly CandidateKey[],
  suggested: string | undefined,
): Readonly<Record<string, unknown>> {
  const fields = { table: table.name, keys: keys.map(keyText) }
  return suggested === undefined ? fields : { ...fields, suggestedIndex: suggested }
}

function orderText(key: CandidateKey, reverse: boolean): string {
  return key.order
    .map((part) => partText({ text: part.text, descending: part.descending !== reverse }))
    .join(', ')
}

/**
 * A hint decides, or no path is left: `hintRefusal` says why. The key is walked whole when no
 * condition bounds it: the statement said so. Only a DELETE without WHERE has to say USE PRIMARY KEY.
 */
const ruleHint: AccessRule = (question) => {
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
function hintRefusal(question: AccessQuestion, limitHint: string): PlanError | undefined {
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
  if (misses === 'member') {
    const isOfWords = key.parts.some(({ each }) => each === 'words')
    const [by, such] = isOfWords
      ? ['their words', "a MATCH: column MATCH 'word'"]
      : ['one member', "a member: 'x' = ANY (column)"]
    const message = `The hint names ${keyText(key)}, where rows are found by ${by}.`
    throw new PlanError('invalid_request', message, {
      position: hint.position,
      hint: `Leave out the hint, or ask for ${such}.`,
      fields: { table: table.name, hinted: keyText(key) },
    })
  }
  const clause = misses === 'groups' ? 'GROUP BY' : 'ORDER BY'
  const position = misses === 'groups' ? groupPosition : orderPosition
  const message = `The hint names ${keyText(key)}, which does not give this ${clause}.`
  return new PlanError('invalid_request', message, {
    position: position ?? hint.position,
    hint: `Leave out the hint, or ask for the order of its key.${orderIndexText(question)}${limitHint}`,
    fields: { table: table.name, hinted: keyText(key) },
  })
}
