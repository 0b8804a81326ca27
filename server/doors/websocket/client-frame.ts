// SPDX-License-Identifier: Apache-2.0
import { requireWithin, ServerError, shortened } from '../../errors/server-error.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import type { InspectionRequest } from '../../live/cells/socket-inspections.ts'
import type { ObservationRequest } from '../../live/observers/socket-observations.ts'
import {
  requireOneBeginning,
  type SubscriptionRequest,
} from '../../live/subscriptions/subscriptions.ts'
import type { QueryRequest } from '../../requests/prepared/query-request.ts'
import { parseJson } from '../http/bodies/body.ts'
import type { SchemaPointer } from '../http/openapi/document.ts'
import { type Declaration, requireDeclaration } from '../http/openapi/rights-and-budgets.ts'
import { type SchemaValidator, violationError } from '../http/openapi/validator.ts'

/** What a client sends: see `docs/websocket-protocol.md`. */
export type ClientFrame =
  | {
      readonly type: 'query'
      readonly id: string
      readonly request: QueryRequest
      /** The notification that the transaction is the run of. */
      readonly notification: string | undefined
    }
  | { readonly type: 'subscribe'; readonly id: string; readonly request: SubscriptionRequest }
  | { readonly type: 'inspect'; readonly id: string; readonly request: InspectionRequest }
  | { readonly type: 'unsubscribe'; readonly id: string }
  | { readonly type: 'pause'; readonly id: string }
  | { readonly type: 'resume'; readonly id: string }
  | { readonly type: 'observe'; readonly id: string; readonly request: ObservationRequest }
  | { readonly type: 'unobserve'; readonly id: string }
  | { readonly type: 'release'; readonly id: string; readonly request: GivingUp }
  | { readonly type: 'cancel'; readonly id: string }
  | { readonly type: 'auth'; readonly token: string }
  /** Its `id` can be told what is wrong with it. */
  | { readonly type: 'invalid'; readonly id: string; readonly error: ServerError }

/** A frame that cannot be answered, since it has no id; the socket is closed with 4400. */
export class BadFrame extends Error {
  override readonly name = 'BadFrame'
}

/** Throws BadFrame. */
function tokenOf({ token }: Fields): string {
  if (typeof token === 'string' && token.length <= TOKEN_CHARACTERS_MAX) return token
  throw new BadFrame(
    `An auth frame has a token, a text of at most ${TOKEN_CHARACTERS_MAX} characters.`,
  )
}

const TOKEN_CHARACTERS_MAX = 8_192

type Fields = { readonly [name: string]: unknown }

/** Every frame that a client can send; `docs/websocket-protocol.md` lists the same. */
export const FRAME_DECLARATIONS: Readonly<Record<ClientFrameType, Declaration>> = {
  query: { right: 'any', budget: 'statement' },
  subscribe: { right: 'read', budget: 'subscription' },
  inspect: { right: 'inspect', budget: 'rows' },
  unsubscribe: { right: 'any', budget: 'none' },
  pause: { right: 'any', budget: 'none' },
  resume: { right: 'any', budget: 'subscription' },
  observe: { right: 'observe', budget: 'observation' },
  unobserve: { right: 'any', budget: 'none' },
  release: { right: 'observe', budget: 'observation' },
  cancel: { right: 'any', budget: 'none' },
  auth: { right: 'none', budget: 'none' },
}

export type ClientFrameType = Exclude<ClientFrame['type'], 'invalid'>

export const CLIENT_FRAMES = Object.keys(FRAME_DECLARATIONS) as readonly ClientFrameType[]

/** More than any frame has: an object of very many names is not copied to find that out. */
const FIELDS_MAX = 64

const SCHEMAS = '#/components/schemas'

/** The schemas of the fields of each type; what is not listed is refused. `id` stands in nearly all. */
const SUBSCRIBE_FIELDS: Readonly<Record<string, SchemaPointer>> = {
  sql: `${SCHEMAS}/StatementText`,
  params: `${SCHEMAS}/Parameters`,
  integers: `${SCHEMAS}/IntegerFormat`,
  since: `${SCHEMAS}/Stamp`,
  history: `${SCHEMAS}/HistoryId`,
  view: `${SCHEMAS}/ViewId`,
  mode: `${SCHEMAS}/SubscriptionMode`,
  digest: `${SCHEMAS}/ListDigest`,
}

/** Reads frames by the schemas of `openapi.yaml`, so that a query is here what it is over HTTP. */
export class ClientFrameReader {
  readonly #validator: SchemaValidator

  /** Throws where a frame declares no right, or no budget. */
  constructor(validator: SchemaValidator) {
    this.#validator = validator
    for (const type of CLIENT_FRAMES)
      requireDeclaration(`The frame ${type}`, FRAME_DECLARATIONS[type])
  }

  /** Throws BadFrame. */
  read(bytes: Buffer): ClientFrame {
    const frame = fieldsOf(bytes)
    if (frame.type === 'auth') return { type: 'auth', token: tokenOf(frame) }
    const hasTooMany = Object.keys(frame).length > FIELDS_MAX
    const { type, id, ...fields } = hasTooMany ? { type: frame.type, id: frame.id } : frame
    const idCharactersMax = SERVER_LIMITS.frameIdCharactersMax
    if (typeof id !== 'string' || id === '' || id.length > idCharactersMax) {
      throw new BadFrame(`A frame has an id, a text of 1 to ${idCharactersMax} characters.`)
    }
    try {
      if (hasTooMany) throw invalid(`A frame has at most ${FIELDS_MAX} fields.`)
      switch (type) {
        case 'query': {
          const { notification, ...request } = fields
          const requested = notification === undefined ? undefined : textOf(fields, 'notification')
          return { type, id, request: this.#queryOf(request), notification: requested }
        }
        case 'subscribe':
          return { type, id, request: this.#subscribeOf(fields) }
        case 'observe':
          requireNothingElse(fields, ['observer', 'workers', 'leaseMs', 'integers'])
          return { type, id, request: readObservation(fields) }
        case 'inspect':
          requireNothingElse(fields, ['table', 'keys'])
          return { type, id, request: readInspection(fields) }
        case 'release':
          requireNothingElse(fields, ['notification', 'error'])
          return { type, id, request: readGivingUp(fields) }
        case 'unsubscribe':
        case 'pause':
        case 'resume':
        case 'unobserve':
        case 'cancel':
          requireNothingElse(fields, [])
          return { type, id }
      }
    } catch (error) {
      if (error instanceof ServerError) return { type: 'invalid', id, error }
      throw error
    }
    // The reason of a close has 123 bytes, too few for their names.
    throw new BadFrame(
      'The type of the frame is unknown: docs/websocket-protocol.md has those that there are.',
    )
  }

  #queryOf({ minTimestamp, ...request }: Fields): QueryRequest {
    this.#check(`${SCHEMAS}/QueryRequest`, request)
    if (minTimestamp === undefined) return request as QueryRequest
    this.#check(`${SCHEMAS}/Stamp`, minTimestamp, 'minTimestamp')
    return { ...(request as QueryRequest), minTimestamp: minTimestamp as number }
  }

  #subscribeOf(fields: Fields): SubscriptionRequest {
    requireNothingElse(fields, [...Object.keys(SUBSCRIBE_FIELDS), 'snapshot'])
    if (fields.sql === undefined) throw invalid('The frame must have "sql".')
    for (const [name, schema] of Object.entries(SUBSCRIBE_FIELDS)) {
      if (fields[name] !== undefined) this.#check(schema, fields[name], name)
    }
    const { snapshot, since } = fields
    if (snapshot !== undefined && typeof snapshot !== 'boolean')
      throw wrong('snapshot', 'a boolean')
    requireOneBeginning(snapshot === true, since)
    return fields as SubscriptionRequest
  }

  #check(schema: SchemaPointer, value: unknown, field?: string): void {
    const violation = this.#validator.check(schema, value)
    if (violation === undefined) return
    const pointer = field === undefined ? violation.pointer : `/${field}${violation.pointer}`
    throw violationError({ ...violation, pointer }, 'The frame')
  }
}

function fieldsOf(bytes: Buffer): Fields {
  let json: unknown
  try {
    json = parseJson(bytes)
  } catch (error) {
    const isTooLarge = error instanceof ServerError && error.code === 'limit_exceeded'
    throw new BadFrame(isTooLarge ? error.message : 'The frame is not JSON.')
  }
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Fields
  throw new BadFrame('The frame is not a JSON object.')
}

function requireNothingElse(fields: Fields, known: readonly string[]): void {
  const other = Object.keys(fields).find((name) => !known.includes(name))
  if (other !== undefined) throw invalid(`The frame must not have "${shortened(other)}".`)
}

function invalid(detail: string): ServerError {
  return new ServerError('invalid_request', detail)
}

/** A worker gives up a notification. */
type GivingUp = { readonly notification: string; readonly error: string | undefined }

/** The fields of `observe`, their names known. Throws `invalid_request`. */
function readObservation(fields: Fields): ObservationRequest {
  const { socketWorkersMax, observerLeaseMsDefault, observerLeaseMsMax } = SERVER_LIMITS
  const { integers = 'number' } = fields
  if (integers !== 'number' && integers !== 'string') {
    throw wrong('integers', 'one of number, string')
  }
  return {
    observer: textOf(fields, 'observer'),
    workers: countOf(fields, 'workers', { most: socketWorkersMax, byDefault: 1 }),
    leaseMs: countOf(fields, 'leaseMs', {
      most: observerLeaseMsMax,
      byDefault: observerLeaseMsDefault,
    }),
    integers,
  }
}

/** The fields of `inspect`, their names known. Throws `invalid_request` and `limit_exceeded`. */
function readInspection(fields: Fields): InspectionRequest {
  const { keys } = fields
  if (Array.isArray(keys)) requireWithin('inspectedRowsMax', keys.length, 'Rows that are inspected')
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every((key) => Array.isArray(key))) {
    throw wrong('keys', 'a list of keys, each a list of values')
  }
  return { table: textOf(fields, 'table'), keys }
}

/** The fields of `release`, their names known. Throws `invalid_request`. */
function readGivingUp(fields: Fields): GivingUp {
  const error = fields.error === undefined ? undefined : textOf(fields, 'error')
  return { notification: textOf(fields, 'notification'), error }
}

/** Throws `invalid_request` for what is no text, or empty. */
function textOf(fields: Fields, name: string): string {
  const value = fields[name]
  if (typeof value === 'string' && value !== '') return value
  throw wrong(name, 'a text that is not empty')
}

function countOf(
  fields: Fields,
  name: string,
  { most, byDefault }: { readonly most: number; readonly byDefault: number },
): number {
  const { [name]: value = byDefault } = fields
  if (Number.isSafeInteger(value) && (value as number) > 0 && (value as number) <= most) {
    return value as number
  }
  throw wrong(name, `a whole number from 1 to ${most}`)
}

function wrong(name: string, wanted: string): ServerError {
  return invalid(`The frame's "${name}" must be ${wanted}.`)
}
