// SPDX-License-Identifier: Apache-2.0
import { type Parameters, parameterText } from '../../planner/planner.ts'
import { nearestNames } from '../../storage/storage.ts'
import { ServerError } from '../errors/server-error.ts'

type ParameterKey = string | number

/** Found once for each statement: the trees of the parser are shared and do not change. */
const KEYS = new WeakMap<object, ReadonlySet<ParameterKey>>()

/** A value that no statement uses is a mistake: of a name, of a number, or of the text. Throws `invalid_request`. */
export function requireParametersUsed(parameters: Parameters, statements: readonly object[]): void {
  if (isEmpty(parameters)) return
  const keys = keysOfAll(statements)
  const unused = unusedParameter(parameters, keys)
  if (unused === undefined) return
  const what = statements.length === 1 ? 'the statement' : 'any statement'
  throw new ServerError(
    'invalid_request',
    `The parameter ${parameterText(unused)} has a value, and it does not stand in ${what}.`,
    { parameter: unused, hint: hintFor(unused, keys) },
  )
}

function isEmpty(parameters: Parameters): boolean {
  if (Array.isArray(parameters)) return parameters.length === 0
  for (const _ in parameters) return false
  return true
}

/** The first one that has a value and is none of these; undefined where all are. */
export function unusedParameter(
  parameters: Parameters,
  keys: ReadonlySet<ParameterKey>,
): ParameterKey | undefined {
  if (Array.isArray(parameters)) {
    const unused = parameters.findIndex((_, index) => !keys.has(index + 1))
    return unused < 0 ? undefined : unused + 1
  }
  for (const name in parameters) if (!keys.has(name)) return name
  return undefined
}

/** The parameters that stand in these statements. */
export function keysOfAll(statements: readonly object[]): ReadonlySet<ParameterKey> {
  const [first] = statements
  if (first !== undefined && statements.length === 1) return keysOf(first)
  return new Set(statements.flatMap((statement) => [...keysOf(statement)]))
}

function keysOf(statement: object): ReadonlySet<ParameterKey> {
  let keys = KEYS.get(statement)
  if (keys === undefined) {
    const found = new Set<ParameterKey>()
    collectKeys(statement, found)
    KEYS.set(statement, found)
    keys = found
  }
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

function hintFor(unused: ParameterKey, keys: ReadonlySet<ParameterKey>): string | undefined {
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
