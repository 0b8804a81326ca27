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
  const hint = isRefused(error) ? { hint: START_HINT } : {}
  return errorText({ ...hint, ...fields, code, detail: message }, sql || undefined)
}

const START_HINT =
  'Nothing listens there: percolite serve starts a server, and --url names another one.'

function isRefused({ code, cause }: PercoliteError): boolean {
  if (code !== 'connection_failed') return false
  for (let reason = cause; reason instanceof Error; reason = reason.cause) {
    if ((reason as NodeJS.ErrnoException).code === 'ECONNREFUSED') return true
  }
  return false
}
