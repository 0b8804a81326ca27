// SPDX-License-Identifier: Apache-2.0
import type { Position } from '../../parser/ast.ts'
import type { SqlType, SqlValue } from '../../storage/values/values.ts'
import { type JsonSource, sourceOf } from '../json/json-source.ts'
import { valueFromJson } from '../json/json-value.ts'
import { fromSource } from '../json/sourced-json.ts'
import { limitExceeded, PlanError } from '../plan-error.ts'
import { PLANNER_LIMITS } from '../planner-limits.ts'
import { lengthOf, paidIdentityOf } from './value-work.ts'
import { NODE_UNITS, type WorkMeter } from './work-meter.ts'

/** What a token says of its holder, by name. */
export type Claims = Readonly<Record<string, string | number | boolean>>

/** JSON values as they came over the wire: `$1` is the first of an array, `:name` a field. */
export type Parameters = Readonly<Record<string, unknown>> | readonly unknown[]

/**
 * One place of a statement where a parameter stands, with the type of what it meets there. A
 * parameter used twice has two slots, perhaps of two types.
 */
export type ParameterSlot = {
  readonly key: string | number
  readonly type: SqlType
  /** True for `IN :list`, which takes an array of that type. */
  readonly list: boolean
  readonly position: Position
  /** The number of an earlier slot of the same parameter and type, whose value it shares. */
  readonly sharesWith?: number
  /** An earlier statement of the request has read its value. */
  readonly isVariable?: true
}

/** What earlier statements of the request have read INTO names. */
export type KnownVariables = {
  /** Throws PlanError. */
  valueOf(name: string, position: Position): SqlValue
}

/** The values of `IN :list`, without repetitions and without NULL, in the order given. */
export type BoundList = {
  readonly values: readonly SqlValue[]
  readonly identities: { readonly size: number; has(identity: SqlValue): boolean }
  readonly hasNull: boolean
}

export type BoundParameter =
  | { readonly kind: 'value'; readonly value: SqlValue }
  | { readonly kind: 'list'; readonly list: BoundList }

/** Collects the slots of one statement while its expressions are compiled. */
export class ParameterSlots {
  readonly #slots: ParameterSlot[] = []
  /** The first slot of each parameter and type. */
  readonly #first = new Map<string, number>()
  #constants = 0

  /** The slot's number, which is its position among the bound parameters. */
  add(slot: Omit<ParameterSlot, 'sharesWith'>): number {
    const number = this.#slots.length
    const identity = slotIdentity(slot)
    const sharesWith = this.#first.get(identity)
    if (sharesWith === undefined) this.#first.set(identity, number)
    this.#slots.push(sharesWith === undefined ? slot : { ...slot, sharesWith })
    return number
  }

  /** The number of an expression that has one value for the whole statement. */
  addConstant(): number {
    this.#constants += 1
    return this.#constants - 1
  }

  get count(): number {
    return this.#slots.length
  }

  get all(): readonly ParameterSlot[] {
    return this.#slots
  }

  /** Takes back the slots added since there were `count`, when what used them came to nothing. */
  keepFirst(count: number): void {
    for (const slot of this.#slots.splice(count)) {
      if (slot.sharesWith === undefined) this.#first.delete(slotIdentity(slot))
    }
  }
}

function slotIdentity({ type, list, key }: ParameterSlot): string {
  return `${type} ${list} ${key}`
}

/** Where the values of parameters come from. */
export type GivenValues = {
  readonly parameters: Parameters
  readonly claims?: Claims | undefined
  readonly variables?: KnownVariables | undefined
}

/**
 * A value for every slot. Slots of one parameter and one type share theirs: a large parameter that
 * is named a thousand times is converted, and held, once. Throws PlanError when a value is absent or
 * has the wrong type.
 */
export function bindParameters(
  slots: readonly ParameterSlot[],
  given: GivenValues,
  work: WorkMeter,
): BoundParameter[] {
  const bound: BoundParameter[] = []
  for (const slot of slots) {
    const { sharesWith } = slot
    bound.push(
      sharesWith === undefined ? boundTo(slot, given, work) : (bound[sharesWith] as BoundParameter),
    )
  }
  return bound
}

function boundTo(
  slot: ParameterSlot,
  { parameters, claims, variables }: GivenValues,
  work: WorkMeter,
): BoundParameter {
  if (isClaim(slot.key)) return boundToClaim(slot, claims)
  if (slot.isVariable) return boundToVariable(slot, parameters, variables)
  const json = parameterJson(slot.key, parameters, slot.position)
  const source = sourceOfSlot(slot, parameters)
  if (slot.list) return { kind: 'list', list: listOf(slot, { json, source }, work) }
  const value = convertedFor(slot, { json, source })
  work.spend(NODE_UNITS + lengthOf(value))
  return { kind: 'value', value }
}

/** Throws PlanError where the client gives a value of that name as well. */
function boundToVariable(
  { key, position }: ParameterSlot,
  parameters: Parameters,
  variables: KnownVariables | undefined,
): BoundParameter {
  const name = String(key)
  if (variables === undefined) throw new Error(`The variable ${name} has no value.`)
  if (!Array.isArray(parameters) && Object.hasOwn(parameters, name)) {
    const message = `${parameterText(name)} is read INTO by an earlier statement, and params has it as well.`
    throw new PlanError('invalid_request', message, {
      position,
      hint: 'Give one of the two another name.',
      fields: { parameter: name },
    })
  }
  return { kind: 'value', value: variables.valueOf(name, position) }
}

/** One that is absent or of another type is NULL: then no comparison with it is TRUE. */
export function boundToClaim(
  { key, type, list, position }: ParameterSlot,
  claims: Claims | undefined,
): BoundParameter {
  if (list) return { kind: 'list', list: { values: [], identities: new Map(), hasNull: true } }
  const name = String(key).slice(CLAIM.length)
  const json = claims !== undefined && Object.hasOwn(claims, name) ? claims[name] : null
  try {
    return { kind: 'value', value: valueFromJson(type, json, { position }) }
  } catch (error) {
    if (error instanceof PlanError) return { kind: 'value', value: null }
    throw error
  }
}

/** What is asked of a token, by name, with what it says; null where it does not. */
export function claimsAsked(
  slots: readonly ParameterSlot[],
  claims: Claims | undefined,
): ReadonlyArray<readonly [name: string, value: Claims[string] | null]> {
  const keys = new Set(slots.map(({ key }) => key).filter(isClaim))
  return [...keys].sort().map((key) => {
    const name = String(key).slice(CLAIM.length)
    return [
      name,
      claims !== undefined && Object.hasOwn(claims, name) ? (claims[name] ?? null) : null,
    ]
  })
}

/** Whether it is what a token says of its holder; no parameter of a client has such a name. */
export function isClaim(key: string | number): boolean {
  return typeof key === 'string' && key.startsWith(CLAIM)
}

const CLAIM = 'token.'

/** The text that a parameter was read from, where its value alone may not be all of it. */
function sourceOfSlot(
  { type, key }: ParameterSlot,
  parameters: Parameters,
): JsonSource | undefined {
  if (type !== 'JSON' && type !== 'INTEGER' && type !== 'DECIMAL') return undefined
  const source = sourceOf(parameters)
  if (source === undefined || (type !== 'JSON' && !source.mayRound)) return undefined
  return source.member(typeof key === 'number' ? key - 1 : key)
}

type SourcedValue = { readonly json: unknown; readonly source: JsonSource | undefined }

/** Says which parameter it was that did not fit. */
function convertedFor(slot: ParameterSlot, { json, source }: SourcedValue): SqlValue {
  try {
    const exact = source === undefined ? json : fromSource(slot.type, json, source)
    return valueFromJson(slot.type, exact, slot)
  } catch (error) {
    if (!(error instanceof PlanError)) throw error
    throw new PlanError(error.code, `Parameter ${parameterText(slot.key)}: ${error.message}`, {
      position: slot.position,
      fields: { ...error.fields, parameter: slot.key },
      hint: error.hint,
    })
  }
}

/** The JSON value of one parameter. Throws PlanError invalid_request when it is absent. */
export function parameterJson(
  key: string | number,
  parameters: Parameters,
  position: Position,
): unknown {
  if (typeof key === 'number') {
    if (Array.isArray(parameters) && key >= 1 && key <= parameters.length) {
      return parameters[key - 1]
    }
  } else if (!Array.isArray(parameters) && Object.hasOwn(parameters, key)) {
    return (parameters as Readonly<Record<string, unknown>>)[key]
  }
  const hint =
    typeof key === 'number'
      ? `Give params as an array of at least ${key} values.`
      : `Give params as an object with the field ${key}.`
  throw new PlanError('invalid_request', `The parameter ${parameterText(key)} has no value.`, {
    position,
    hint,
    fields: { parameter: key },
  })
}

/** A parameter as the user wrote it. */
export function parameterText(key: string | number): string {
  if (typeof key === 'number') return `$${key}`
  return isClaim(key) ? key : `:${key}`
}

/** What it costs to convert an element of a list and to keep it where it is found. */
const ITEM_UNITS = 4 * NODE_UNITS

function listOf(slot: ParameterSlot, { json, source }: SourcedValue, work: WorkMeter): BoundList {
  if (!Array.isArray(json)) {
    throw new PlanError(
      'type_mismatch',
      `The parameter ${parameterText(slot.key)} after IN must be an array.`,
      { position: slot.position, fields: { parameter: slot.key } },
    )
  }
  const max = PLANNER_LIMITS.listItemsMax
  if (json.length > max) {
    const message = `The parameter ${parameterText(slot.key)} may have ${max} elements, and it has ${json.length}.`
    throw limitExceeded('listItemsMax', json.length, message, { position: slot.position })
  }
  const byIdentity = new Map<SqlValue, SqlValue>()
  let hasNull = false
  for (const [index, item] of json.entries()) {
    work.spend(ITEM_UNITS)
    const value = convertedFor(slot, { json: item, source: source?.member(index) })
    if (value === null) hasNull = true
    else {
      const identity = paidIdentityOf(slot.type, value, work)
      if (!byIdentity.has(identity)) byIdentity.set(identity, value)
    }
  }
  return { values: [...byIdentity.values()], identities: byIdentity, hasNull }
}
