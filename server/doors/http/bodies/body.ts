// SPDX-License-Identifier: Apache-2.0
import type { FastifyInstance } from 'fastify'
import { JsonSource, noteSource } from '../../../../planner/planner.ts'
import { shapeOfJson } from '../../../../storage/values/values.ts'
import { limitExceeded, ServerError } from '../../../errors/server-error.ts'
import { SERVER_LIMITS } from '../../../limits.ts'
import { namesToMake } from './body-names.ts'
import { offsetOfJsonError, positionAt } from './json-position.ts'
import type { LargeBodies } from './large-bodies.ts'

/** Types whose body is the text of statements, as it stands. The last one is what curl sends. */
export const FORM_TYPE = 'application/x-www-form-urlencoded'
const TEXT_TYPES = ['text/plain', 'application/sql', FORM_TYPE]

/** Reads bodies ourselves: UTF-8 strictly, and JSON with the place of what is wrong with it. */
export function addBodyParsers(
  fastify: FastifyInstance,
  large: Pick<LargeBodies, 'isLarge' | 'turn'>,
): void {
  fastify.removeAllContentTypeParsers()
  const asBuffer = { parseAs: 'buffer' } as const
  fastify.addContentTypeParser('application/json', asBuffer, ({ raw }, bytes: Buffer, done) => {
    if (!large.isLarge(bytes.length)) answer(done, () => parseJson(bytes))
    else parseLargeJson(bytes, () => large.turn(raw)).then((body) => done(null, body), done)
  })
  fastify.addContentTypeParser(TEXT_TYPES, asBuffer, (_request, bytes: Buffer, done) =>
    answer(done, () => decodeUtf8(bytes)),
  )
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
