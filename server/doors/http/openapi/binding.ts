// SPDX-License-Identifier: Apache-2.0
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteOptions } from 'fastify'
import { ServerError, shortened } from '../../../errors/server-error.ts'
import type { OpenApiDocument, Operation, Parameter } from './document.ts'
import { onlyValue, readQueryString, requireValue } from './query-string.ts'
import { type SchemaValidator, violationError } from './validator.ts'

/** A request whose parameters and body have been checked against its operation. */
export type CheckedRequest = {
  /** Path and query parameters by name, of the declared types; absent where not sent. */
  readonly parameters: Readonly<Record<string, unknown>>
  /** The body; its shape is what the operation's schema for its media type says. */
  readonly body: unknown
  readonly raw: FastifyRequest
  readonly reply: FastifyReply
}

/** Answers the body; status, headers and media type are set on `reply` where they differ from 200 JSON. */
export type Handler = (request: CheckedRequest) => Promise<unknown>
export type Handlers = Readonly<Record<string, Handler>>

/** How the routes of some operations are added, by their ids, where it is not as all others. */
export type RouteAdders = Readonly<Record<string, (route: RouteOptions) => void>>

/**
 * Makes a route of every operation. An operation without a handler, or a handler without an
 * operation, stops the start: the document and the server cannot drift apart.
 */
export function bindOperations(
  fastify: FastifyInstance,
  document: OpenApiDocument,
  validator: SchemaValidator,
  handlers: Handlers,
  {
    adders = {},
    checkParameters: checkFurther = () => {},
    isServed = () => true,
  }: {
    readonly adders?: RouteAdders
    /** Told of the parameters of each request once they are of their schemas; may throw. */
    readonly checkParameters?: (parameters: CheckedRequest['parameters']) => void
    /** Tells which operations there are; the others have no route. */
    readonly isServed?: (operation: Operation) => boolean
  } = {},
): void {
  const unbound = new Set(Object.keys(handlers))
  const headers = headersOf(document)
  for (const operation of document.operations) {
    const handler = handlers[operation.id]
    if (handler === undefined) throw new Error(`The operation ${operation.id} has no handler.`)
    unbound.delete(operation.id)
    if (!isServed(operation)) continue
    // Those of answers are compiled by who checks answers, which tests do.
    for (const schema of operation.body?.schemas.values() ?? []) validator.prepare(schema)
    const isGivenAny = parameterFinder(operation, headers)
    const parametersOf = (request: FastifyRequest) => {
      if (!isGivenAny(request)) return NO_PARAMETERS
      const parameters = checkParameters(operation, headers, validator, request)
      checkFurther(parameters)
      return parameters
    }
    const adder = adders[operation.id]
    const add = adder ?? ((route: RouteOptions) => fastify.route(route))
    add({
      method: operation.method.toUpperCase(),
      config: { operationId: operation.id },
      url: operation.path.replaceAll(/\{(\w+)\}/g, ':$1'),
      // The handshake of a socket never comes to the handler.
      ...(adder && {
        preHandler: (request: FastifyRequest, _reply: FastifyReply, done: () => void) => {
          parametersOf(request)
          done()
        },
      }),
      handler: (request, reply) => {
        reply.header('content-type', 'application/json; charset=utf-8')
        return handler({
          parameters: parametersOf(request),
          body: checkBody(operation, validator, request.body, () => mediaTypeOf(request)),
          raw: request,
          reply,
        })
      },
    })
  }
  if (unbound.size > 0) throw new Error(`No operation is named ${[...unbound].join(', ')}.`)
}

/** Checks bodies by the schemas for JSON of operations, by their ids. Throws as a route of theirs. */
export function bodyCheck(
  { operations }: OpenApiDocument,
  validator: SchemaValidator,
): (id: string, body: unknown) => void {
  const byId = new Map(operations.map((operation) => [operation.id, operation]))
  return (id, body) => {
    checkBody(byId.get(id) as Operation, validator, body, () => JSON_TYPE)
  }
}

/** The header fields that mean something to some operation, in lower case as Node has them. */
function headersOf({ operations }: OpenApiDocument): ReadonlyMap<string, string> {
  const declared = operations.flatMap(({ parameters }) => parameters.filter(isHeader))
  return new Map(declared.map(({ name }) => [name.toLowerCase(), name]))
}

function isHeader({ in: location }: Parameter): boolean {
  return location === 'header'
}

function checkParameters(
  operation: Operation,
  headers: ReadonlyMap<string, string>,
  validator: SchemaValidator,
  request: FastifyRequest,
): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  const [path = '', search = ''] = splitAtFirst(request.raw.url ?? '', '?')
  const given = {
    path: pathParameters(operation, path),
    query: readQueryString(search),
    header: headerParameters(headers, request),
  }
  requireDeclared(operation, given)
  for (const { name, in: location, required, schema, isList } of operation.parameters) {
    if (isList) {
      values[name] = listOf(validator, { name, schema }, given.query.get(name))
      continue
    }
    const text = textOf(given, location, name)
    if (text === undefined) {
      if (required) throw refused(name, location, `The parameter "${name}" is missing.`)
      continue
    }
    if (location === 'query') requireValue(name, text)
    const result = validator.coerce(schema, text)
    if ('violation' in result) {
      throw refused(name, location, `The parameter "${name}" ${result.violation.message}.`)
    }
    values[name] = result.value
  }
  return values
}

/** The items of a list; those of a query are texts. Throws `limit_exceeded`, and `invalid_request`. */
function listOf(
  validator: SchemaValidator,
  { name, schema }: Pick<Parameter, 'name' | 'schema'>,
  items: readonly string[] = [],
): readonly string[] {
  for (const item of items) requireValue(name, item)
  const violation = validator.check(schema, items)
  if (violation?.exceeded !== undefined) throw violationError(violation, 'The list of parameters')
  if (violation !== undefined) throw refused(name, 'query', `The parameter "${name}" is missing.`)
  return items
}

function textOf(
  given: GivenParameters,
  location: Parameter['in'],
  name: string,
): string | undefined {
  if (location !== 'query') return given[location].get(name)
  const texts = given.query.get(name)
  return texts === undefined ? undefined : onlyValue(name, texts)
}

type GivenParameters = Readonly<Record<'path' | 'header', ReadonlyMap<string, string>>> & {
  readonly query: ReturnType<typeof readQueryString>
}

/** What an operation gives no meaning would be ignored, and its client would not learn of it. */
function requireDeclared({ parameters }: Operation, { query, header }: GivenParameters): void {
  const isDeclared = (location: Parameter['in'], name: string) =>
    parameters.some((known) => known.in === location && known.name === name)
  for (const name of query.keys()) {
    if (!isDeclared('query', name)) {
      throw refused(name, 'query', `There is no parameter "${name}".`)
    }
  }
  for (const name of header.keys()) {
    // A preference may be ignored by whoever does not know it (RFC 7240, 2).
    if (name !== 'Prefer' && !isDeclared('header', name)) {
      throw refused(name, 'header', `${name} has no meaning for this operation.`)
    }
  }
}

function refused(parameter: string, location: Parameter['in'], detail: string): ServerError {
  return new ServerError('invalid_request', detail, { parameter, in: location })
}

const NO_PARAMETERS: CheckedRequest['parameters'] = Object.freeze({})

/** Tells whether anything can be said of a request's parameters: one is there, or one is required. */
function parameterFinder(
  { parameters }: Operation,
  headers: ReadonlyMap<string, string>,
): (request: FastifyRequest) => boolean {
  if (parameters.some(({ required }) => required)) return () => true
  const headerNames = [...headers.keys()]
  return ({ raw }) =>
    raw.url?.includes('?') === true || headerNames.some((name) => raw.headers[name] !== undefined)
}

/**
 * Split from the raw path and decoded once, part by part, so that an encoded slash or percent sign
 * inside a key stays what it is.
 */
function pathParameters(operation: Operation, path: string): Map<string, string> {
  const given = path.split('/')
  const values = new Map<string, string>()
  for (const [index, part] of operation.path.split('/').entries()) {
    if (!part.startsWith('{')) continue
    values.set(part.slice(1, -1), decodePart(given[index] ?? ''))
  }
  return values
}

/** Those that some operation declares; a request has many more that mean nothing to any of them. */
function headerParameters(
  known: ReadonlyMap<string, string>,
  { headers }: FastifyRequest,
): Map<string, string> {
  const values = new Map<string, string>()
  for (const [lowerCase, name] of known) {
    const text = headers[lowerCase]
    if (text === undefined) continue
    if (!/^[\t\x20-\x7e]*$/.test(String(text))) {
      throw refused(name, 'header', `The header ${name} is not ASCII.`)
    }
    values.set(name, String(text))
  }
  return values
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch (cause) {
    throw new ServerError('invalid_request', 'The path is not well-formed UTF-8.', {}, { cause })
  }
}

function splitAtFirst(text: string, separator: string): [string, string] {
  const at = text.indexOf(separator)
  return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)]
}

function checkBody(
  operation: Operation,
  validator: SchemaValidator,
  given: unknown,
  mediaTypeOfIt: () => string,
): unknown {
  const body = given ?? undefined
  if (operation.body === undefined) {
    if (body === undefined || body === '' || isEmptyObject(body)) return undefined
    throw new ServerError('invalid_request', 'This operation takes no body.', {
      hint: 'send none, or {}',
    })
  }
  if (body === undefined) {
    if (!operation.body.required) return undefined
    throw new ServerError('invalid_request', 'The body is missing.')
  }
  const mediaType = mediaTypeOfIt()
  const schema = operation.body.schemas.get(mediaType)
  if (schema === undefined) {
    const detail = `The body is ${shortened(mediaType)}; ${mediaTypesOf(operation)} is taken here.`
    throw new ServerError('unsupported_media_type', detail)
  }
  const violation = validator.check(schema, body)
  if (violation !== undefined) throw violationError(violation, 'The body')
  return body
}

/** What clients send that always send JSON. */
function isEmptyObject(body: unknown): boolean {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false
  for (const _ in body) return false
  return true
}

export const JSON_TYPE = 'application/json'

/** The media type of the body without its parameters, in lower case. */
export function mediaTypeOf(request: FastifyRequest): string {
  const contentType = request.headers['content-type'] ?? ''
  // What nearly every client sends needs no look at its letters.
  if (contentType === JSON_TYPE) return JSON_TYPE
  return splitAtFirst(contentType, ';')[0].trim().toLowerCase()
}

function mediaTypesOf(operation: Operation): string {
  return [...(operation.body?.schemas.keys() ?? [])].join(' or ')
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The operation of `openapi.yaml` that the route is. */
    operationId?: string
  }
}
