// SPDX-License-Identifier: Apache-2.0
import type { ErrorObject, ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import addFormats from 'ajv-formats'
import { type JsonObject, objectAt, resolvePointer, type SchemaPointer } from './document.ts'

/** What is wrong with a value: where (a JSON pointer, empty for the value itself) and why. */
export type Violation = { readonly pointer: string; readonly message: string }

/**
 * Checks values against schemas of the document. Bodies are checked as they are; parameters arrive
 * as text, so theirs are coerced to the type that the schema asks for.
 */
export class SchemaValidator {
  readonly #document: JsonObject
  readonly #strict: Ajv2020
  readonly #coercing: Ajv2020
  readonly #coercers = new Map<SchemaPointer, ValidateFunction>()
  readonly #validators = new Map<SchemaPointer, readonly ValidateFunction[]>()

  constructor(document: JsonObject) {
    this.#document = document
    this.#strict = createAjv(document, false)
    this.#coercing = createAjv(document, true)
  }

  /** Compiles the schema now, so that a fault of the document stops the start. */
  prepare(schema: SchemaPointer): void {
    this.#validatorsOf(schema)
  }

  /** The most telling mistake, or undefined when the value is of the schema. */
  check(schema: SchemaPointer, value: unknown): Violation | undefined {
    // A mistake inside one branch of `oneOf` makes every branch complain. The branch with the
    // fewest complaints is the one that was meant.
    let best: ErrorObject[] | undefined
    for (const validate of this.#validatorsOf(schema)) {
      if (validate(value)) return undefined
      const errors = validate.errors as ErrorObject[]
      if (best === undefined || errors.length < best.length) best = errors
    }
    return violationOf(best as ErrorObject[])
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
      coercer = this.#coercing.compile({ type: 'object', properties: { value } })
      this.#coercers.set(schema, coercer)
    }
    return coercer
  }

  /** One for each branch. */
  #validatorsOf(schema: SchemaPointer): readonly ValidateFunction[] {
    let validators = this.#validators.get(schema)
    if (validators === undefined) {
      validators = this.#branches(schema).map((pointer) => this.#validator(this.#strict, pointer))
      this.#validators.set(schema, validators)
    }
    return validators
  }

  #branches(schema: SchemaPointer): SchemaPointer[] {
    const pointer = resolvePointer(this.#document, schema)
    const branches = objectAt(this.#document, pointer).oneOf
    if (!Array.isArray(branches)) return [pointer]
    return branches.map((_, index) => `${pointer}/oneOf/${index}`)
  }

  #validator(ajv: Ajv2020, pointer: SchemaPointer): ValidateFunction {
    const validate = ajv.getSchema(`${DOCUMENT_ID}${pointer}`)
    if (validate === undefined) throw new Error(`openapi.yaml: no schema at ${pointer}.`)
    return validate
  }
}

const PLAIN_INTEGER = /^(?:0|-?[1-9]\d*)$/

const DOCUMENT_ID = 'urn:percolite:openapi'

function createAjv(document: JsonObject, coerceTypes: boolean): Ajv2020 {
  const ajv = new Ajv2020({ allErrors: true, strict: false, coerceTypes, validateSchema: false })
  addFormats.default(ajv)
  return ajv.addSchema({ ...document, $id: DOCUMENT_ID })
}

function violationOf(errors: readonly ErrorObject[]): Violation {
  const deepest = errors.reduce((best, error) => (depth(error) > depth(best) ? error : best))
  return { pointer: deepest.instancePath, message: messageOf(deepest) }
}

function depth(error: ErrorObject): number {
  // A parent only repeats that none of its branches fits.
  const isSummary = error.keyword === 'oneOf' || error.keyword === 'anyOf'
  return error.instancePath.split('/').length - (isSummary ? 0.5 : 0)
}

function messageOf(error: ErrorObject): string {
  const { additionalProperty, allowedValues } = error.params
  if (error.keyword === 'additionalProperties') return `must not have "${additionalProperty}"`
  if (error.keyword === 'enum') return `must be one of ${(allowedValues as unknown[]).join(', ')}`
  if (error.keyword === 'type') return `must be ${[error.params.type].flat().join(' or ')}`
  return error.message ?? 'is not as declared'
}
