// SPDX-License-Identifier: Apache-2.0
import { PercoliteError } from '../../client-sdk/client.ts'

/** What a tool refuses by itself; every other code comes from the server, or from its client. */
export type ToolErrorCode =
  /** A write without its confirmation, or with one that does not count. */
  | 'not_confirmed'
  /** One row, or one commit, is longer than an answer. */
  | 'answer_too_large'
  /** A moment has more rows than two are compared of. */
  | 'difference_too_large'
  /** Arguments that do not go together. */
  | 'invalid_arguments'

export class ToolError extends Error {
  readonly code: ToolErrorCode
  readonly fields: Readonly<Record<string, unknown>>

  constructor(
    code: ToolErrorCode,
    message: string,
    fields: Readonly<Record<string, unknown>> = {},
  ) {
    super(message)
    this.code = code
    this.fields = fields
  }
}

/** An error's facts in at most so many characters; beyond them only those that help everywhere are told. */
const FACTS_CHARACTERS_MAX = 20_000
const MESSAGE_CHARACTERS_MAX = 4_000

/** What an agent is told of an error: its code, its words, and what to do or write instead. */
export function factsOf(error: unknown): Readonly<Record<string, unknown>> {
  if (error instanceof ToolError) {
    return { code: error.code, message: error.message, ...error.fields }
  }
  if (!(error instanceof PercoliteError)) {
    return { code: 'internal', message: error instanceof Error ? error.message : String(error) }
  }
  const { code, retryable, retryAfterMs, fields } = error
  const message = error.message.slice(0, MESSAGE_CHARACTERS_MAX)
  const own = { code, message, retryable, ...(retryAfterMs && { retryAfterMs }) }
  const advice = adviceOf(error)
  const facts = { ...own, ...(advice && { hint: advice }), ...fields }
  if (JSON.stringify(facts).length <= FACTS_CHARACTERS_MAX) return facts
  const { line, column, statement, hint, suggestion } = fields
  const short = { line, column, statement, hint, suggestion }
  return JSON.stringify(short).length <= FACTS_CHARACTERS_MAX ? { ...own, ...short } : own
}

/** Where the server itself cannot say it. */
function adviceOf({ code }: PercoliteError): string | undefined {
  switch (code) {
    case 'connection_failed':
      return 'no server answers at the address that percolite mcp was given by --url'
    case 'unauthenticated':
    case 'token_expired':
      return 'the token of percolite mcp does not count: whoever started it gives it another one by --token-file'
    default:
      return undefined
  }
}
