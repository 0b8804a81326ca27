// SPDX-License-Identifier: Apache-2.0
import { ServerError } from '../../../errors/server-error.ts'

/**
 * The values of each parameter of a query string, decoded once, in their order. Throws `invalid_request` for escapes
 * that are not UTF-8.
 */
export function readQueryString(search: string): Map<string, readonly [string, ...string[]]> {
  const values = new Map<string, [string, ...string[]]>()
  for (const pair of search.split('&')) {
    if (pair === '') continue
    const at = pair.indexOf('=')
    const name = decoded(at < 0 ? pair : pair.slice(0, at), 'The name of a parameter')
    const value = at < 0 ? '' : decoded(pair.slice(at + 1), `The parameter "${name}"`, name)
    const before = values.get(name)
    if (before === undefined) values.set(name, [value])
    else before.push(value)
  }
  return values
}

/** The value of a parameter that is no list. Throws `invalid_request` where it is given twice. */
export function onlyValue(
  name: string,
  [value, ...others]: readonly [string, ...string[]],
): string {
  if (others.length === 0) return value
  throw refused(name, `The parameter "${name}" is given twice.`)
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
