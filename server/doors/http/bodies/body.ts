// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import { JsonSource, noteSource } from '../../../../planner/planner.ts'
import { endOfJsonString, shapeOfJson } from '../../../../storage/values/values.ts'
import { limitExceeded, ServerError } from '../../../errors/server-error.ts'
import { SERVER_LIMITS } from '../../../limits.ts'
import { offsetOfJsonError, positionAt } from './json-position.ts'
import type { LargeBodies } from './large-bodies.ts'

/** Types whose body is the text of statements, as it stands. The last one is what curl sends. */
export const FORM_TYPE = 'application/x-www-form-urlencoded'
/** Its body is the bytes of one value. */
export const BYTES_TYPE = 'application/octet-stream'
const TEXT_TYPES = ['text/plain', 'application/sql', FORM_TYPE]

/** Reads bodies ourselves: UTF-8 strictly, and JSON with the place of what is wrong with it. */
export function addBodyParsers(
  fastify: FastifyInstance,
  large: Pick<LargeBodies, 'isLarge' | 'turn'>,
  wasRead?: BodyListener,
): void {
  fastify.removeAllContentTypeParsers()
  const asBuffer = { parseAs: 'buffer' } as const
  fastify.addContentTypeParser('application/json', asBuffer, ({ raw }, bytes: Buffer, done) => {
    const finish = wasRead === undefined ? done : telling(wasRead, raw, bytes, done)
    if (!large.isLarge(bytes.length)) answer(finish, () => parseJson(bytes))
    else parseLargeJson(bytes, () => large.turn(raw)).then((body) => finish(null, body), finish)
  })
  fastify.addContentTypeParser(BYTES_TYPE, asBuffer, (_request, bytes: Buffer, done) =>
    done(null, bytes),
  )
  fastify.addContentTypeParser(TEXT_TYPES, asBuffer, ({ raw }, bytes: Buffer, done) =>
    answer(wasRead === undefined ? done : telling(wasRead, raw, bytes, done), () =>
      decodeUtf8(bytes),
    ),
  )
}

/** Told of each body of JSON or text, as it came and as it was read. */
type BodyListener = (raw: IncomingMessage, bytes: Buffer, body: unknown) => void

function telling(
  wasRead: BodyListener,
  raw: IncomingMessage,
  bytes: Buffer,
  done: BodyDone,
): BodyDone {
  return (error, body) => {
    if (error === null) wasRead(raw, bytes, body)
    done(error, body)
  }
}

type BodyDone = (error: Error | null, body?: unknown) => void

/** By callback instead of promise, which every request would wait a few turns of microtasks for. */
function answer(done: BodyDone, parse: () => unknown): void {
  let body: unknown
  try {
    body = parse()
  } catch (error) {
    done(error as Error)
    return
  }
  done(null, body)
}

/** In a longer body the position of a mistake is not sought: that would take too long. */
const PLACED_CHARACTERS_MAX = 1024 * 1024

/**
 * Undefined for an empty body; an object or array knows its source. Throws ServerError
 * `invalid_request` and `limit_exceeded`.
 */
export function parseJson(bytes: Buffer): unknown {
  if (bytes.length === 0) return undefined
  const text = decodeUtf8(bytes)
  // Most bodies are too short to nest too deeply.
  const names = text.length > SERVER_LIMITS.bodyNestingMax ? checkShape(text) : undefined
  return parsed(text, names)
}

/** As `parseJson`, with a turn for each part of it, which are some tens of milliseconds for the longest body. */
async function parseLargeJson(bytes: Buffer, turn: () => Promise<void>): Promise<unknown> {
  // To put the chunks together has taken one already.
  await turn()
  const text = decodeUtf8(bytes)
  await turn()
  const names = checkShape(text)
  await turn()
  return parsed(text, names)
}

function parsed(text: string, names: number | undefined): unknown {
  try {
    const json: unknown = JSON.parse(text)
    if (typeof json !== 'object' || json === null) return json
    return noteSource(json, JsonSource.of(text, names))
  } catch (cause) {
    if (text.length > PLACED_CHARACTERS_MAX) {
      throw new ServerError('invalid_request', 'The body is not JSON.', {}, { cause })
    }
    const position = positionAt(text, offsetOfJsonError(text))
    const detail = `The body is not JSON, from line ${position.line}, column ${position.column} on.`
    throw new ServerError('invalid_request', detail, position, { cause })
  }
}

const STRICT_UTF8 = new TextDecoder('utf-8', { fatal: true })

/** Throws ServerError `invalid_request`. */
export function decodeUtf8(bytes: Buffer): string {
  try {
    return STRICT_UTF8.decode(bytes)
  } catch (cause) {
    throw new ServerError('invalid_request', 'The body is not well-formed UTF-8.', {}, { cause })
  }
}

/**
 * Values nested without bound would exhaust the stack of whatever walks them later, and `JSON.parse` holds everybody up
 * for as long as it makes millions of small ones. Returns how many names there are. Throws ServerError
 * `limit_exceeded`.
 */
export function checkShape(text: string): number {
  const { bodyNestingMax, bodyValuesMax, bodyNamesMax } = SERVER_LIMITS
  const { deepest, values, names } = shapeOfJson(text, bodyNestingMax, bodyValuesMax)
  if (deepest > bodyNestingMax)
    throw tooMuch('bodyNestingMax', deepest, 'Levels of nesting in JSON')
  if (values > bodyValuesMax) throw tooMuch('bodyValuesMax', values, 'Values in JSON')
  // Rows repeat their names; only of many it has to be found out how many different ones they are.
  const different = names > bodyNamesMax ? namesToMake(text) : 0
  if (different > bodyNamesMax) throw tooMuch('bodyNamesMax', different, 'Different names in JSON')
  return names
}

function tooMuch(
  name: 'bodyNestingMax' | 'bodyValuesMax' | 'bodyNamesMax',
  actual: number,
  what: string,
) {
  return limitExceeded(name, SERVER_LIMITS[name], actual, what)
}

/**
 * `curl -d @file` drops the newlines of the file, so that a `--` comment swallows every statement after it.
 * A form body without a newline whose comment holds more than a note is that accident.
 */
export function refuseLostNewlines(text: string): void {
  if (text.includes('\n') || !text.includes('--')) return
  for (const { 0: match, index } of text.matchAll(QUOTED_OR_COMMENT)) {
    if (match !== '--') continue
    const isAll = text.slice(0, index).trim() === ''
    if (!isAll && !PART_OF_STATEMENT.test(text.slice(index + 2))) return
    throw new ServerError(
      'invalid_request',
      'The text has a -- comment but no newline, so that everything after it would be ignored.',
      { hint: 'use --data-binary @file' },
    )
  }
}

/** What a note after a statement does not hold, and the rest of a statement, or another one, does. */
const PART_OF_STATEMENT =
  /[;=(<>*]|--|\b(?:from|where|values|into|limit|returning|begin|commit|rollback|create|drop|alter|show)\b/i

/** No statement begins with a brace: this is JSON whose type was forgotten. */
export function refuseJsonAsText(text: string): void {
  if (!text.trimStart().startsWith('{')) return
  throw new ServerError('invalid_request', 'The text is JSON, and statements were expected.', {
    hint: "send JSON with -H 'content-type: application/json'",
  })
}

// What is not closed reaches to the end, which keeps the search linear.
const QUOTED_OR_COMMENT = /'[^']*(?:'|$)|"[^"]*(?:"|$)|\/\*[\s\S]*?(?:\*\/|$)|--/g

/**
 * So many members of one object cost what those of small ones do; more are kept in another way, at
 * several times the cost.
 */
const CHEAP_MEMBERS = 1_000

/** Names share this many marks: of 50,000 about one in forty meets the mark of another, and is not counted. */
const MARK_BITS = 20

/** Different in each process, so that no client can send names that share a mark. */
const FACTOR = Math.floor(Math.random() * 2 ** 31) * 2 + 1

/**
 * How many names of members `JSON.parse` has to make of the text: different ones, and all but the first thousand of
 * one object. One that it knows already costs next to nothing; to make one takes a microsecond or two. The text need
 * not be JSON.
 */
function namesToMake(text: string): number {
  const marks = new Uint32Array(2 ** (MARK_BITS - 5))
  /** Members of each object that has begun. */
  const members: number[] = [0]
  let names = 0
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (unit === OPENING) members.push(0)
    else if (unit === CLOSING && members.length > 1) members.pop()
    else if (unit === QUOTE) {
      const end = endOfJsonString(text, at + 1)
      if (isName(text, end + 1)) {
        const last = members.length - 1
        const count = (members[last] as number) + 1
        members[last] = count
        if (count > CHEAP_MEMBERS || isNew(marks, markOf(text, at + 1, end))) names += 1
      }
      at = end
    }
  }
  return names
}

const QUOTE = 0x22
const COLON = 0x3a
const OPENING = 0x7b
const CLOSING = 0x7d
const SPACE = 0x20

/** Whether a colon follows. */
function isName(text: string, from: number): boolean {
  let at = from
  while (text.charCodeAt(at) <= SPACE) at += 1
  return text.charCodeAt(at) === COLON
}

function markOf(text: string, from: number, to: number): number {
  let hash = FACTOR
  for (let at = from; at < to; at += 1) {
    hash = Math.imul(hash ^ text.charCodeAt(at), FACTOR)
    hash ^= hash >>> 15
  }
  return Math.imul(hash, FACTOR) >>> (32 - MARK_BITS)
}

function isNew(marks: Uint32Array, mark: number): boolean {
  const word = marks[mark >>> 5] as number
  const bit = 1 << (mark & 31)
  if ((word & bit) !== 0) return false
  marks[mark >>> 5] = word | bit
  return true
}
