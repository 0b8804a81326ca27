// SPDX-License-Identifier: Apache-2.0
import type { IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import type { Timestamp } from '../../../storage/storage.ts'
import type { Caller } from '../../guard/access/principal.ts'
import { COUNTED_BYTES_MIN } from '../../guard/budgets/hold.ts'

/** The operations that can be answered straight. */
export type StraightOperation = 'query' | 'queryInTransaction' | 'getRow'

const IN_TRANSACTION = /^\/v1\/transactions\/\d{1,16}\.[0-9a-f]{32}\/query$/
const TRANSACTION_AT = '/v1/transactions/'.length
const QUERY = '/query'
const ROWS = '/v1/tables/'

export function operationOf({ url = '', method }: IncomingMessage): StraightOperation | undefined {
  if (method === 'GET') return url.startsWith(ROWS) ? 'getRow' : undefined
  if (method !== 'POST') return undefined
  if (url === '/v1/query') return 'query'
  return IN_TRANSACTION.test(url) ? 'queryInTransaction' : undefined
}

/** Of the path of a query inside a transaction. */
export function transactionOf(path: string): string {
  return path.slice(TRANSACTION_AT, -QUERY.length)
}

/** What a connection was let in with, and by what it is let in again. */
export type SeenHead = {
  readonly operation: StraightOperation
  /** Whether its body is the text of statements, and not JSON. */
  readonly isText: boolean
  /** Names and values in turn; empty where the value decides nothing. */
  readonly rawHeaders: readonly string[]
  /** Whether that place must have this text: a name, or a value that decides something. */
  readonly decides: readonly boolean[]
  /** Where the length of the body is; 0 without one. */
  readonly lengthAt: number
  /** Of what the store says of tokens and roles. */
  readonly version: number
  /** The token holds until then. */
  readonly until: Timestamp
  readonly caller: Caller
  /** Whether its requests are counted. */
  readonly isRated: boolean
}

/** Their values decide who asks, for whom, and in which form. */
const DECIDING: ReadonlySet<string> = new Set([
  ...['host', 'authorization', 'content-type', 'accept', 'x-forwarded-for', 'percolite-history'],
])

/** Heads that one connection may be known by: those of a proxy are of many users. */
const HEADS_MAX = 8
/** What is kept of all of them together: a client has many connections, and writes long heads if it likes. */
const CHARACTERS_MAX = 8_192

const HEADS = Symbol('heads')
type KnownSocket = Socket & { [HEADS]?: SeenHead[] }

/** Remembers what a request was let in with, on its connection. */
export function remember(
  { socket, rawHeaders }: IncomingMessage,
  seen: Omit<SeenHead, 'rawHeaders' | 'decides' | 'lengthAt'>,
): void {
  const names = rawHeaders.map((text, at) => (at % 2 === 0 ? text.toLowerCase() : ''))
  const decides = names.map((_, at) => at % 2 === 0 || DECIDING.has(names[at - 1] as string))
  const lengthAt = names.indexOf('content-length') + 1
  const kept = rawHeaders.map((text, at) => (decides[at] === true ? text : ''))
  const known: KnownSocket = socket
  // Those of before a change are of no use any more.
  const others = (known[HEADS] ?? []).filter(({ version }) => version === seen.version)
  let characters = 0
  known[HEADS] = [
    { ...seen, rawHeaders: kept, decides, lengthAt },
    ...others.slice(0, HEADS_MAX - 1),
  ].filter((head) => {
    for (const text of head.rawHeaders) characters += text.length
    return characters <= CHARACTERS_MAX
  })
}

/** The head that its connection was let in with before, in the same words; undefined where there is none. */
export function seenBefore(
  { socket, rawHeaders }: IncomingMessage,
  operation: StraightOperation,
  version: number,
): SeenHead | undefined {
  const heads = (socket as KnownSocket)[HEADS]
  if (heads === undefined) return undefined
  for (const head of heads) {
    if (head.operation === operation && head.version === version && isSame(head, rawHeaders)) {
      return head
    }
  }
  return undefined
}

function isSame({ rawHeaders, decides, lengthAt }: SeenHead, given: readonly string[]): boolean {
  if (given.length !== rawHeaders.length) return false
  for (let at = 0; at < given.length; at += 1) {
    if (decides[at] === true && given[at] !== rawHeaders[at]) return false
  }
  return lengthAt === 0 || Number(given[lengthAt]) < COUNTED_BYTES_MIN
}
