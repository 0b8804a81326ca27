// SPDX-License-Identifier: Apache-2.0
import { type Declaration, requireDeclaration } from './rights-and-budgets.ts'

/**
 * The contract: `openapi.yaml` as the server needs it. It is the only place where the shapes of
 * requests and answers are declared.
 */
export type OpenApiDocument = {
  /** The contract as a plain JSON value. */
  readonly json: JsonObject
  readonly operations: readonly Operation[]
}

export type Operation = {
  readonly id: string
  readonly method: 'get' | 'post' | 'put' | 'patch' | 'delete'
  /** As in the document: `/v1/tables/{table}`. */
  readonly path: string
  /** What a client needs for it, and what bounds its work: `x-right` and `x-budget`. */
  readonly declaration: Declaration
  readonly parameters: readonly Parameter[]
  readonly body?: {
    readonly required: boolean
    readonly schemas: ReadonlyMap<string, SchemaPointer>
  }
  /** The schema of each status and media type; null where the answer has no body. */
  readonly answers: ReadonlyMap<number, ReadonlyMap<string, SchemaPointer>>
}

export type Parameter = {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required: boolean
  readonly schema: SchemaPointer
  /** Whether it may be given several times, each an item; only in a query. */
  readonly isList: boolean
}

/** A JSON pointer into the document, in the form of a fragment: `#/components/schemas/Row`. */
export type SchemaPointer = string

export type JsonObject = { readonly [name: string]: unknown }

const METHODS = ['get', 'post', 'put', 'patch', 'delete'] as const

/** Reads the parsed contract; throws where it is not of the shape that this server understands. */
export function readOpenApiDocument(json: JsonObject): OpenApiDocument {
  const operations: Operation[] = []
  for (const [path, item] of Object.entries(objectAt(json, '#/paths'))) {
    const itemPointer = `#/paths/${escapePointer(path)}`
    for (const method of METHODS) {
      if ((item as JsonObject)[method] === undefined) continue
      operations.push(readOperation(json, { path, method, itemPointer }))
    }
  }
  const ids = new Set(operations.map((operation) => operation.id))
  if (ids.size !== operations.length) throw new Error('openapi.yaml: an operationId is used twice.')
  return { json, operations }
}

function readOperation(
  json: JsonObject,
  at: { path: string; method: (typeof METHODS)[number]; itemPointer: string },
): Operation {
  const pointer = `${at.itemPointer}/${at.method}`
  const operation = objectAt(json, pointer)
  const id = operation.operationId
  if (typeof id !== 'string') throw new Error(`openapi.yaml: ${pointer} has no operationId.`)
  const body = readBody(json, `${pointer}/requestBody`, operation.requestBody !== undefined)
  return {
    id,
    method: at.method,
    path: at.path,
    declaration: requireDeclaration(`openapi.yaml: ${id}`, {
      right: operation['x-right'],
      budget: operation['x-budget'],
    }),
    parameters: [
      ...readParameters(json, `${at.itemPointer}/parameters`),
      ...readParameters(json, `${pointer}/parameters`),
    ],
    ...(body === undefined ? {} : { body }),
    answers: new Map(
      Object.keys(objectAt(json, `${pointer}/responses`)).map((status) => [
        Number(status),
        readContent(json, resolvePointer(json, `${pointer}/responses/${status}`)),
      ]),
    ),
  }
}

function readBody(json: JsonObject, pointer: string, declared: boolean): Operation['body'] {
  if (!declared) return undefined
  return {
    required: objectAt(json, pointer).required === true,
    schemas: readContent(json, pointer),
  }
}

function readParameters(json: JsonObject, pointer: string): Parameter[] {
  const list = valueAt(json, pointer)
  if (!Array.isArray(list)) return []
  return list.map((_, index) => {
    const at = resolvePointer(json, `${pointer}/${index}`)
    const parameter = objectAt(json, at)
    const { in: location } = parameter
    if (location !== 'path' && location !== 'query' && location !== 'header') {
      throw new Error(`openapi.yaml: ${at} is no parameter of path, query or header.`)
    }
    return {
      name: String(parameter.name),
      in: location,
      required: parameter.required === true,
      schema: `${at}/schema`,
      isList: objectAt(json, `${at}/schema`).type === 'array',
    }
  })
}

function readContent(json: JsonObject, pointer: string): Map<string, SchemaPointer> {
  const content = objectAt(json, pointer).content
  return new Map(
    Object.keys((content as JsonObject | undefined) ?? {}).map((mediaType) => [
      mediaType,
      `${pointer}/content/${escapePointer(mediaType)}/schema`,
    ]),
  )
}

/** The pointer itself, or where its `$ref` leads. */
export function resolvePointer(json: JsonObject, pointer: string): string {
  const reference = (valueAt(json, pointer) as JsonObject | undefined)?.$ref
  return typeof reference === 'string' ? resolvePointer(json, reference) : pointer
}

/** The object at the pointer, following a `$ref`. */
export function objectAt(json: JsonObject, pointer: string): JsonObject {
  const value = valueAt(json, resolvePointer(json, pointer))
  if (typeof value !== 'object' || value === null) {
    throw new Error(`openapi.yaml: nothing stands at ${pointer}.`)
  }
  return value as JsonObject
}

function valueAt(json: JsonObject, pointer: string): unknown {
  let value: unknown = json
  for (const part of pointer.split('/').slice(1)) {
    value = (value as JsonObject | undefined)?.[unescapePointer(part)]
  }
  return value
}

function escapePointer(part: string): string {
  return encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))
}

function unescapePointer(part: string): string {
  return decodeURIComponent(part).replaceAll('~1', '/').replaceAll('~0', '~')
}
