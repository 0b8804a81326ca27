// SPDX-License-Identifier: Apache-2.0
import type { Contract } from '../../server/doors/http/openapi/contract.ts'
import { type AnswerListener, textOf } from '../../server/requests/answers/answer-body.ts'

type Answer = Parameters<AnswerListener>[1]

/** Adds a line to `undeclared` for each answer that `openapi.yaml` does not declare. */
export function declaredAnswers(
  { document, validator }: Contract,
  undeclared: string[],
): AnswerListener {
  const byId = new Map(document.operations.map((operation) => [operation.id, operation]))
  /** What is not as declared in an answer: its status, its media type or its body. */
  const problemOf = (id: string, { status, contentType, body: sent }: Answer) => {
    const operation = byId.get(id)
    if (operation === undefined) return undefined
    const body = textOf(sent)
    const content = operation.answers.get(status)
    if (content === undefined) return `status ${status} is not declared: ${body}`
    if (content.size === 0) return body === '' ? undefined : `status ${status} has a body`
    const mediaType = contentType?.split(';')[0]?.trim() ?? ''
    const schema = content.get(mediaType)
    if (schema === undefined) {
      return `status ${status} with media type "${mediaType}" is not declared`
    }
    if (!/[/+]json$/.test(mediaType)) return undefined
    if (!body.endsWith('\n')) return 'the body does not end in a newline'
    const violation = validator.check(schema, JSON.parse(body))
    return violation && `${status} ${violation.pointer} ${violation.message}: ${body}`
  }
  return (id, answer) => {
    const problem = problemOf(id, answer)
    if (problem !== undefined) undeclared.push(`${id}: ${problem}`)
  }
}
