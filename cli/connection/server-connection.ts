// SPDX-License-Identifier: Apache-2.0
import { connect, type Database } from '../../client-sdk/client.ts'
import { isWebAddress } from '../../server/config-values.ts'
import { UsageError } from '../../server/usage-error.ts'
import { readFileOrPipe } from '../../storage/operations/operations.ts'
import type { Call, Flags } from '../command.ts'
import { fileProblem } from '../file-problem.ts'

/** How a server is asked: of every command that may ask one. */
export const CONNECTION_FLAGS: Flags = {
  'token-file': {
    kind: 'file',
    default: '',
    meaning: 'file with the token to show; else it is PERCOLITE_TOKEN in the environment',
  },
  insecure: {
    kind: 'switch',
    default: 'false',
    meaning: 'send a token to another machine over http',
  },
}

/** Of commands that always ask a server, which may also be their first word. */
export const SERVER_FLAGS: Flags = {
  url: {
    kind: 'text',
    default: 'http://127.0.0.1:4270',
    meaning: 'address of the server, or several, with commas',
  },
  ...CONNECTION_FLAGS,
}

/** Those of `SERVER_FLAGS` that are read from the environment as well. */
export const SERVER_FLAGS_FROM_ENVIRONMENT = ['url'] as const

export type Connection = {
  readonly url: string
  readonly db: Database
  /** The words of the call without the address. */
  readonly words: readonly string[]
}

/**
 * The server that a call of `SERVER_FLAGS` names, and its other words, which are so many at most. Nothing is sent yet.
 * Throws UsageError.
 */
export function connectionOf(call: Call, { wordsMax }: { readonly wordsMax: number }): Connection {
  const [first] = call.words
  const isFirst = first !== undefined && addressesOf(first) !== undefined
  if (isFirst && call.onCommandLine.has('url')) {
    throw new UsageError('The address stands in front or behind --url, not in both places.')
  }
  const url = isFirst ? first : call.text('url')
  const addresses = addressesOf(url)
  if (addresses === undefined) {
    throw new UsageError(`--url ${url}: it is an address such as http://127.0.0.1:4270.`)
  }
  const words = isFirst ? call.words.slice(1) : call.words
  const [word = ''] = words
  if (LOOKS_LIKE_ADDRESS.test(word)) {
    throw new UsageError(
      `"${word.slice(0, 100)}" is no address without its beginning: http://${word.slice(0, 100)}.`,
    )
  }
  const extra = words[wordsMax]
  if (extra !== undefined) {
    throw new UsageError(
      `"${extra.slice(0, 100)}" is not asked for; a statement is one word, in quotes.`,
    )
  }
  return { url, db: connectTo(addresses, call), words }
}

/** Of one server, or of a primary and its standbys with commas between them; undefined where one of them is none. */
function addressesOf(text: string): readonly string[] | undefined {
  const addresses = text.split(',')
  return addresses.every(isWebAddress) ? addresses : undefined
}

/** A host and a port, of which no statement and no file is made. */
const LOOKS_LIKE_ADDRESS = /^(?:[\w-]+\.)*[\w-]+:\d{1,5}\/?$/

/**
 * A client of that server, or of the one of several that takes writes, with the token of the call. Integers are bigints
 * and JSON columns texts, so that nothing is rounded. Throws UsageError.
 */
export function connectTo(url: string | readonly string[], call: Call): Database {
  const token = tokenOf(call)
  const insecure = call.isOn('insecure')
  try {
    return connect({ url, ...(token && { token }), insecure, integers: 'bigint', json: 'text' })
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new UsageError(
      `A token is not sent to ${url} in the clear: use https, or --insecure where the network is yours.`,
    )
  }
}

/** A token is shorter. It may come out of a pipe, so that it is in no file: `--token-file <(pass show percolite)`. */
const TOKEN_FILE_BYTES_MAX = 8_192

/**
 * The token of the call; undefined where there is none. Never from the command line, where every user of the machine
 * could read it. Throws UsageError.
 */
export function tokenOf(call: Call): string | undefined {
  const path = call.text('token-file')
  if (path === '') return call.environment.PERCOLITE_TOKEN || undefined
  let text: string
  try {
    text = readFileOrPipe(path, TOKEN_FILE_BYTES_MAX).toString('utf8').trim()
  } catch (error) {
    throw fileProblem(`--token-file ${path}`, error)
  }
  if (text !== '' && !/\s/.test(text)) return text
  throw new UsageError(`--token-file ${path}: the file holds no token.`)
}
