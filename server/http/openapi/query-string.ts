// SPDX-License-Identifier: Apache-2.0
import { ServerError } from '../../errors/server-error.ts'

/**
 * The parameters of a query string, decoded once. Throws `invalid_request` for what would otherwise be taken
 * as something else: escapes that are not UTF-8, a parameter that is given twice, a value that is empty.
 */
export function readQueryString(search: string): Map<string, string> {
  const values = new Map<string, string>()
  for (const pair of search.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = decoded(at < 0 ? pair : pair.slice(0, at), 'The name of a parameter')
    const value = at < 0 ? '' : decoded(pair.slice(at + 1), `The parameter "${name}"`, name)
    if (values.has(name)) throw refused(name, `The parameter "${name}" is given twice.`)
    values.set(name, value)
  }
  return values
}

/** By its schema even an empty text may be right, and none of our parameters means anything by it. */
export function requireValue(name: string, value: string): void {
  if (value !== '') return
  throw refused(name, `The parameter "${name}" is empty.`, 'leave it out, or give it a value')
}

function decoded(text: string, subject: string, parameter?: string): string {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    const position = parameter === undefined ? { in: 'query' } : { parameter, in: 'query' }
    throw new ServerError(
      'invalid_request',
      `${subject} is not well-formed UTF-8 in percent-encoding.`,
      {
        ...position,
        hint: 'a percent sign itself is written %25',
      },
    )
  }
}

function refused(parameter: string, detail: string, hint?: string): ServerError {
  return new ServerError('invalid_request', detail, { parameter, in: 'query', hint })
}
