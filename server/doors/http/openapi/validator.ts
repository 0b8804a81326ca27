// SPDX-License-Identifier: Apache-2.0

import type { ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { limitExceeded, ServerError, shortened } from '../../../errors/server-error.ts'
import { ALL_LIMITS } from '../../../limits.ts'
import { type JsonObject, objectAt, resolvePointer, type SchemaPointer } from './document.ts'

/** What is wrong with a value: where (a JSON pointer, empty for the value itself) and why. */
export type Violation = {
  readonly pointer: string
  readonly message: string
  /** Where the value has more parts than a limit allows. */
  readonly exceeded?: Exceeded
}

/** The error for a value that is not of its schema; `whole` is what was checked: `The body`. */
export function violationError(
  { pointer, message, exceeded }: Violation,
  whole: 'The body' | 'The frame' | 'The list of parameters',
): ServerError {
  const subject = pointer === '' ? whole : `${whole}'s ${pointer}`
  if (exceeded !== undefined) {
    const { limit, limitValue, actual } = exceeded
    return limitExceeded(limit, limitValue, actual, `${subject} is too long`)
  }
  return new ServerError('invalid_request', `${subject} ${message}.`)
}

/**
 * In a body of at most this many values (a list with two numbers is three) all mistakes are collected, which takes
 * time that grows with the square of their number. In a larger value the first mistake is told.
 */
const COLLECTED_VALUES_MAX = 200

/** Two validations of one schema: one ends at the first mistake, the other one is compiled when there is a mistake. */
type Branch = { readonly first: ValidateFunction; readonly all: () => ValidateFunction }
type Checks = { readonly limits: readonly CountLimit[]; readonly branches: readonly Branch[] }

/**
 * Checks values against schemas of the document. Bodies are checked as they are; parameters arrive as
 * text, so theirs are coerced to the type that the schema asks for. Whatever is checked, the time is
 * linear in its size: limits of counts are looked at first, then a validation that ends at the first
 * mistake decides, and one that collects all of them, to find the most telling, runs only over small
 * values.
 */
export class SchemaValidator {
  readonly #document: JsonObject
  readonly #first: Ajv2020
  /** This one and the next are made when they are needed, which takes some 20 ms for the whole document. */
  #all: Ajv2020 | undefined
  #coercing: Ajv2020 | undefined
  readonly #coercers = new Map<SchemaPointer, ValidateFunction>()
  readonly #checks = new Map<SchemaPointer, Checks>()

  constructor(document: JsonObject) {
    this.#document = document
    this.#first = createAjv(document, { allErrors: false })
  }

  /** Compiles the schema now, so that a fault of the document stops the start. */
  prepare(schema: SchemaPointer): void {
    this.#checksOf(schema)
  }

  /** The most telling mistake, or undefined when the value is of the schema. */
  check(schema: SchemaPointer, value: unknown): Violation | undefined {
    const { limits, branches } = this.#checksOf(schema)
    const exceeded = limits.length === 0 ? undefined : exceededIn(limits, value)
    if (exceeded !== undefined) return exceeded
    if (branches.some(({ first }) => first(value))) return undefined
    if (hasMoreValues(value, COLLECTED_VALUES_MAX)) {
      return violationOf(branches.flatMap(({ first }) => first.errors ?? []))
    }
    // A mistake inside one branch of `oneOf` makes every branch complain. The one that was meant is of the
    // type of the value, and has the fewest complaints.
    const complaints = branches.map((branch) => {
      const all = branch.all()
      return all(value) ? [] : (all.errors ?? [])
    })
    const meant = complaints.filter((each) => !each.some(isOfOtherType))
    if (meant.length === 0) {
      const types = complaints.flatMap((each) => each.find(isOfOtherType)?.params.type)
      return { pointer: '', message: typeMessage([...new Set(types)]) }
    }
    return violationOf(meant.reduce((best, each) => (each.length < best.length ? each : best)))
  }

  /** Checks text that came as a parameter; the answer holds the coerced value. Ajv alone takes 1e3 for 1000. */
  coerce(
    schema: SchemaPointer,
    text: string,
  ): { readonly value: unknown } | { readonly violation: Violation } {
    if (this.#typeOf(schema) === 'integer' && !PLAIN_INTEGER.test(text)) {
      return { violation: { pointer: '', message: 'must be an integer in plain decimal digits' } }
    }
    const holder = { value: text as unknown }
    const validate = this.#coercer(schema)
    if (validate(holder)) return holder
    const violation = violationOf(validate.errors as ErrorObject[])
    return { violation: { ...violation, pointer: '' } }
  }

  #typeOf(schema: SchemaPointer): unknown {
    return objectAt(this.#document, schema).type
  }

  #coercer(schema: SchemaPointer): ValidateFunction {
    let coercer = this.#coercers.get(schema)
    if (coercer === undefined) {
      const value = { $ref: `${DOCUMENT_ID}${schema}` }
      this.#coercing ??= createAjv(this.#document, { allErrors: false, coerceTypes: true })
      coercer = this.#coercing.compile({ type: 'object', properties: { value } })
      this.#coercers.set(schema, coercer)
    }
    return coercer
  }

  #checksOf(schema: SchemaPointer): Checks {
    let checks = this.#checks.get(schema)
    if (checks === undefined) {
      const pointers = this.#branchPointers(schema)
      checks = {
        limits: countLimitsOf(this.#document, pointers),
        branches: pointers.map((pointer) => ({
          first: validatorAt(this.#first, pointer),
          all: () => this.#allAt(pointer),
        })),
      }
      this.#checks.set(schema, checks)
    }
    return checks
  }

  #allAt(pointer: SchemaPointer): ValidateFunction {
    this.#all ??= createAjv(this.#document, { allErrors: true })
    return validatorAt(this.#all, pointer)
  }

  /** One for each branch of `oneOf`, or the schema itself. */
  #branchPointers(schema: SchemaPointer): SchemaPointer[] {
    const pointer = resolvePointer(this.#document, schema)
    const branches = objectAt(this.#document, pointer).oneOf
    if (!Array.isArray(branches)) return [pointer]
    return branches.map((_, index) => `${pointer}/oneOf/${index}`)
  }
}

const PLAIN_INTEGER = /^(?:0|-?[1-9]\d*)$/

const DOCUMENT_ID = 'urn:percolite:openapi'

function createAjv(
  document: JsonObject,
  options: { readonly allErrors: boolean; readonly coerceTypes?: boolean },
): Ajv2020 {
  const ajv = new Ajv2020({ ...options, strict: false, validateSchema: false })
  addFormats.default(ajv)
  return ajv.addSchema({ ...document, $id: DOCUMENT_ID })
}

function validatorAt(ajv: Ajv2020, pointer: SchemaPointer): ValidateFunction {
  const validate = ajv.getSchema(`${DOCUMENT_ID}${pointer}`)
  if (validate === undefined) throw new Error(`openapi.yaml: no schema at ${pointer}.`)
  return validate
}

/** Whether a JSON value consists of more than `max` values; looks at no more than those. */
function hasMoreValues(value: unknown, most: number): boolean {
  const pending = [value]
  let seen = 0
  while (pending.length > 0) {
    const next = pending.pop()
    seen += 1
    if (seen > most) return true
    if (typeof next !== 'object' || next === null) continue
    // A list of names would be as long as the object, so that they are gone through one by one.
    if (Array.isArray(next) && next.length > most) return true
    for (const name in next) {
      pending.push((next as JsonObject)[name])
      if (pending.length > most) return true
    }
  }
  return false
}

function violationOf(errors: readonly ErrorObject[]): Violation {
  const deepest = errors.reduce((best, error) => (depth(error) > depth(best) ? error : best))
  return { pointer: shortened(deepest.instancePath), message: messageOf(deepest) }
}

function depth(error: ErrorObject): number {
  // A parent only repeats that none of its branches fits, and another branch that its fields are missing.
  const isSummary = error.keyword === 'oneOf' || error.keyword === 'anyOf'
  const isAbsence = error.keyword === 'required'
  return error.instancePath.split('/').length - (isSummary ? 0.5 : 0) - (isAbsence ? 0.25 : 0)
}

/** Whether it says of the whole value that it is of another type. */
function isOfOtherType({ keyword, instancePath }: ErrorObject): boolean {
  return keyword === 'type' && instancePath === ''
}

function typeMessage(types: readonly string[]): string {
  const article = (type: string) => (/^[aeiou]/.test(type) ? 'an ' : type === 'null' ? '' : 'a ')
  return `must be ${types.map((type) => article(type) + type).join(' or ')}`
}

function messageOf(error: ErrorObject): string {
  const { additionalProperty, allowedValues } = error.params
  if (error.keyword === 'additionalProperties')
    return `must not have "${shortened(additionalProperty)}"`
  if (error.keyword === 'enum') return `must be one of ${(allowedValues as unknown[]).join(', ')}`
  if (error.keyword === 'type') return typeMessage([error.params.type].flat())
  if (error.keyword === 'minItems') return `must have ${error.params.limit} or more items`
  return error.message ?? 'is not as declared'
}

/** A limit of the items or members that a value may have. */
type CountLimit = {
  /** The property that holds the value; undefined for the value itself. */
  readonly property: string | undefined
  readonly limit: LimitName
  readonly limitValue: number
  readonly isOfLists: boolean
  readonly isOfObjects: boolean
}

type Exceeded = {
  readonly limit: LimitName
  readonly limitValue: number
  readonly actual: number
}

type LimitName = keyof typeof ALL_LIMITS

/**
 * The limits that schemas declare as `x-limit`, of the values themselves and of their properties: they
 * are looked at before anything else, so that the error is the limit and not what is wrong with an item
 * beyond it. Throws where a limit does not exist.
 */
function countLimitsOf(document: JsonObject, pointers: readonly SchemaPointer[]): CountLimit[] {
  const found = pointers.flatMap((pointer) => {
    const at = resolvePointer(document, pointer)
    const { properties = {} } = objectAt(document, at)
    const ofProperties = Object.keys(properties as JsonObject).map((property) =>
      countLimitAt(document, `${at}/properties/${property}`, property),
    )
    return [countLimitAt(document, pointer, undefined), ...ofProperties]
  })
  const byPlace = new Map(
    found.flatMap((each) => (each === undefined ? [] : [[each.property, each] as const])),
  )
  return [...byPlace.values()]
}

function countLimitAt(
  document: JsonObject,
  pointer: SchemaPointer,
  property: string | undefined,
): CountLimit | undefined {
  const at = resolvePointer(document, pointer)
  const { 'x-limit': limit, type } = objectAt(document, at)
  if (limit === undefined) return undefined
  if (!Object.hasOwn(ALL_LIMITS, String(limit))) {
    throw new Error(`openapi.yaml: ${at} has the limit ${limit}, which does not exist.`)
  }
  const types = [type].flat()
  return {
    property,
    limit: limit as LimitName,
    limitValue: ALL_LIMITS[limit as LimitName],
    isOfLists: types.includes('array'),
    isOfObjects: types.includes('object'),
  }
}

/** The first limit that the value exceeds, as a violation. */
function exceededIn(limits: readonly CountLimit[], value: unknown) {
  for (const each of limits) {
    const actual = countOf(each, partOf(value, each.property))
    if (actual <= each.limitValue) continue
    const pointer = each.property === undefined ? '' : `/${each.property}`
    const { limit, limitValue } = each
    const exceeded: Exceeded = { limit, limitValue, actual }
    return { pointer, message: 'is too long', exceeded }
  }
  return undefined
}

function partOf(value: unknown, property: string | undefined): unknown {
  if (property === undefined) return value
  return typeof value === 'object' && value !== null && Object.hasOwn(value, property)
    ? (value as JsonObject)[property]
    : undefined
}

function countOf({ isOfLists, isOfObjects }: CountLimit, value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  if (Array.isArray(value)) return isOfLists ? value.length : 0
  return isOfObjects ? Object.keys(value).length : 0
}
