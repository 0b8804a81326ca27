// SPDX-License-Identifier: Apache-2.0
import { type AnswerBody, textOf } from '../../../requests/answers/answer-body.ts'
import type { Operation } from './document.ts'
import type { SchemaValidator } from './validator.ts'

export type SentAnswer = {
  readonly status: number
  readonly contentType: string | undefined
  readonly body: AnswerBody
}

/** What is not as declared in an answer: its status, its media type or its body. Used by tests. */
export function undeclaredIn(
  operation: Operation,
  validator: SchemaValidator,
  { status, contentType, body: sent }: SentAnswer,
): string | undefined {
  const body = textOf(sent)
  const content = operation.answers.get(status)
  if (content === undefined) return `${operation.id}: status ${status} is not declared: ${body}`
  if (content.size === 0) {
    return body === '' ? undefined : `${operation.id}: status ${status} has a body`
  }
  const mediaType = contentType?.split(';')[0]?.trim() ?? ''
  const schema = content.get(mediaType)
  if (schema === undefined) {
    return `${operation.id}: status ${status} with media type "${mediaType}" is not declared`
  }
  if (!/[/+]json$/.test(mediaType)) return undefined
  if (!body.endsWith('\n')) return `${operation.id}: the body does not end in a newline`
  const violation = validator.check(schema, JSON.parse(body))
  if (violation === undefined) return undefined
  return `${operation.id}: ${status} ${violation.pointer} ${violation.message}: ${body}`
}
