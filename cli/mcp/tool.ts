// SPDX-License-Identifier: Apache-2.0
import type { Database } from '../../client-sdk/client.ts'

export type ToolArguments = Readonly<Record<string, unknown>>

export type ToolAnswer = {
  readonly content: Readonly<Record<string, unknown>>
  /** For those who read texts; else it is the content as JSON. */
  readonly text?: string
}

export type ToolCall = {
  readonly db: Database
  /** As its schema has them. */
  readonly given: ToolArguments
  /** Aborted when the one who called does not wait any more. */
  readonly signal: AbortSignal
}

export type Tool = {
  readonly name: string
  readonly title: string
  readonly description: string
  /** JSON Schema of its arguments. */
  readonly schema: { readonly type: 'object'; readonly [keyword: string]: unknown }
  /** Whether it may change something. */
  readonly writes: boolean
  /** Rejects with ToolError and PercoliteError. */
  run(call: ToolCall): Promise<ToolAnswer>
}

/** A server takes no longer text. */
const TEXT_CHARACTERS_MAX = 1024 * 1024

export const SQL_SCHEMA = { type: 'string', minLength: 1, maxLength: TEXT_CHARACTERS_MAX }

export const PARAMETERS_SCHEMA = {
  description: 'Values of the text: an object for :name, an array for $1.',
  type: ['object', 'array'],
}

export const STAMP_SCHEMA = {
  description:
    'A stamp in microseconds since 1970, as readTimestamp and commitTimestamp are, or an ISO time.',
  type: ['integer', 'string'],
  minimum: 0,
  maxLength: 40,
}

const ROWS_DEFAULT = 100
const ROWS_MAX = 1_000

export const ROWS_SCHEMA = {
  description: `Rows of the answer, ${ROWS_DEFAULT} if not given.`,
  type: 'integer',
  minimum: 1,
  maximum: ROWS_MAX,
}

export function rowsMaxOf({ given }: ToolCall): number {
  return (given.rows as number | undefined) ?? ROWS_DEFAULT
}
