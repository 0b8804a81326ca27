// SPDX-License-Identifier: Apache-2.0
import { PercoliteError } from '../../client-sdk/client.ts'
import { errorText } from '../../server/answers/error-text.ts'
import { terminalText } from '../../server/answers/terminal-text.ts'

/** What went wrong, with its place in the text of the statements, if it has one and the text is not empty. */
export function failureView(error: unknown, sql: string): string {
  if (!(error instanceof PercoliteError)) {
    return `ERROR:  ${terminalText(error instanceof Error ? error.message : String(error))}\n`
  }
  const { code, message, fields } = error
  return errorText({ ...fields, code, detail: message }, sql || undefined)
}
