// SPDX-License-Identifier: Apache-2.0
import Negotiator from 'negotiator'
import { limitExceeded } from '../../errors/server-error.ts'
import { SERVER_LIMITS } from '../../limits.ts'

/** The forms in which rows are answered. */
export type AnswerFormat = 'json' | 'ndjson' | 'csv' | 'table'

export const FORMAT_TYPES = {
  json: 'application/json; charset=utf-8',
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8',
  table: 'text/plain; charset=utf-8',
} as const satisfies Readonly<Record<AnswerFormat, string>>

/** What `Accept` may ask for, with the parameter that the answer has and without it. */
const NEGOTIATED = new Map<string, AnswerFormat>(
  (['json', 'ndjson', 'csv'] as const).flatMap((format) => {
    const type = FORMAT_TYPES[format]
    return [[type.replace('; charset=utf-8', ''), format] as const, [type, format] as const]
  }),
)
const MEDIA_TYPES = [...NEGOTIATED.keys()]

/**
 * `format=` decides; without it, `Accept` may ask for NDJSON or CSV (RFC 9110, 12.5.1). Where it takes
 * none of what there is, the answer is JSON, as if nothing had been asked for. Throws `limit_exceeded`.
 */
export function formatOf(parameter: unknown, accept: string | undefined): AnswerFormat {
  if (parameter !== undefined) return parameter as AnswerFormat
  if (accept === undefined || isPlain(accept)) return 'json'
  const { acceptCharactersMax } = SERVER_LIMITS
  if (accept.length > acceptCharactersMax) {
    throw limitExceeded(
      'acceptCharactersMax',
      acceptCharactersMax,
      accept.length,
      'Characters of Accept',
    )
  }
  return negotiated(accept)
}

/** Whether `Accept` leads to JSON; not where it is too long to be read. */
export function isJsonWanted(accept: string | undefined): boolean {
  if (accept === undefined || isPlain(accept)) return true
  return accept.length <= SERVER_LIMITS.acceptCharactersMax && negotiated(accept) === 'json'
}

/** What nearly every client sends is not taken apart. */
function isPlain(accept: string): boolean {
  return accept === '*/*' || accept === 'application/json'
}

function negotiated(accept: string): AnswerFormat {
  const type = new Negotiator({ headers: { accept } }).mediaType(MEDIA_TYPES)
  return (type === undefined ? undefined : NEGOTIATED.get(type)) ?? 'json'
}
