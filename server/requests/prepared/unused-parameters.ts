// SPDX-License-Identifier: Apache-2.0
import { type Parameters, parameterText } from '../../../planner/planner.ts'
import { nearestNames } from '../../../storage/tables/tables.ts'
import { ServerError } from '../../errors/server-error.ts'

type ParameterKey = string | number
export type ParameterKeys = ReadonlySet<ParameterKey>

/**
 * A value that no statement uses is a mistake: of a name, of a number, or of the text. `keys` are those of all `length`
 * statements. Throws `invalid_request`.
 */
export function requireParametersUsed(
  parameters: Parameters,
  { keys, length }: { readonly keys: ParameterKeys; readonly length: number },
): void {
  if (!Array.isArray(parameters)) {
    for (const name in parameters) if (!keys.has(name)) throw unused(name, keys, length)
    return
  }
  for (let number = 1; number <= parameters.length; number += 1) {
    if (!keys.has(number)) throw unused(number, keys, length)
  }
}

function unused(parameter: ParameterKey, keys: ParameterKeys, length: number): ServerError {
  const what = length === 1 ? 'the statement' : 'any statement'
  return new ServerError(
    'invalid_request',
    `The parameter ${parameterText(parameter)} has a value, and it does not stand in ${what}.`,
    { parameter, hint: hintFor(parameter, keys) },
  )
}

/** The parameters that stand in these statements. */
export function keysOfAll(statements: readonly object[]): ParameterKeys {
  const keys = new Set<ParameterKey>()
  for (const statement of statements) collectKeys(statement, keys)
  return keys
}

function collectKeys(node: object, keys: Set<ParameterKey>): void {
  if (node instanceof Uint8Array) return
  if ('kind' in node && node.kind === 'parameter' && 'key' in node) {
    keys.add(node.key as ParameterKey)
    return
  }
  for (const [name, part] of Object.entries(node)) {
    if (name !== 'position' && typeof part === 'object' && part !== null) collectKeys(part, keys)
  }
}

/** Names of any length and number come from the client, and to compare them takes the square of it. */
const COMPARED_NAMES_MAX = 50
const COMPARED_CHARACTERS_MAX = 64

function hintFor(unused: ParameterKey, keys: ParameterKeys): string | undefined {
  const names = [...keys].filter((key) => typeof key === 'string')
  const highest = Math.max(0, ...[...keys].filter((key) => typeof key === 'number'))
  if (keys.size === 0) return 'leave params out: there is no parameter'
  if (typeof unused === 'number') {
    if (highest === 0) return `give params as an object with the field ${names[0]}`
    return highest < unused ? `the highest number that stands there is $${highest}` : undefined
  }
  if (names.length === 0) return `give params as an array of ${highest}`
  const short = names.filter(({ length }) => length <= COMPARED_CHARACTERS_MAX)
  if (unused.length > COMPARED_CHARACTERS_MAX) return undefined
  const [near] = nearestNames(unused, short.slice(0, COMPARED_NAMES_MAX), 1)
  return near === undefined ? undefined : `did you mean :${near}?`
}
