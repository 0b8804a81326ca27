// SPDX-License-Identifier: Apache-2.0
import { PercoliteError } from '../../client-sdk/client.ts'

/** What is said of an error. */
export type ProblemFacts = {
  readonly code?: string | undefined
  readonly message: string
  /** Where in the text: `statement 2, line 1, column 7`. */
  readonly place?: string | undefined
  readonly hint?: string | undefined
  /** A statement to send instead, in which the hint ends. */
  readonly suggestion?: string | undefined
  /** What a script has done before it. */
  readonly done?: string | undefined
  readonly mayRunAgain: boolean
}

export function problemFacts(error: unknown): ProblemFacts {
  if (!(error instanceof PercoliteError)) {
    const message = error instanceof Error ? error.message : String(error)
    return { message, mayRunAgain: false }
  }
  const { code, message, hint, fields, retryable } = error
  const [suggestion] = [fields.suggestion, fields.suggestedIndex].filter(
    (one) => typeof one === 'string',
  )
  const { done, total } = fields
  const doneText =
    total === undefined ? undefined : `${done} of ${total} statements are done, and stay.`
  const facts = { code, message, place: placeOf(error), hint, suggestion, done: doneText }
  return { ...facts, mayRunAgain: retryable }
}

function placeOf({ statement, position }: PercoliteError): string | undefined {
  const parts = [
    ...(statement === undefined || statement === 0 ? [] : [`statement ${statement + 1}`]),
    ...(position === undefined ? [] : [`line ${position.line}`, `column ${position.column}`]),
  ]
  return parts.length === 0 ? undefined : parts.join(', ')
}

/** Whether another token is needed before anything else can be done. */
export function needsToken(error: unknown): boolean {
  if (!(error instanceof PercoliteError)) return false
  return error.code === 'unauthenticated' || error.code === 'token_expired'
}
