// SPDX-License-Identifier: Apache-2.0
import { PercoliteError } from '../../client-sdk/client.ts'
import { errorText } from '../../server/requests/answers/error-text.ts'
import { terminalText } from '../../server/requests/answers/terminal-text.ts'

/** What went wrong, with its place in the text of the statements, if it has one. */
export function failureView(error: unknown, sql: string): string {
  if (!(error instanceof PercoliteError)) {
    return `ERROR:  ${terminalText(error instanceof Error ? error.message : String(error))}\n`
  }
  const { code, message, fields } = error
  const hint = hintOf(error)
  const problem = { ...(hint && { hint }), ...fields, code, detail: message }
  return errorText(problem, sql || undefined)
}

/** What helps one who calls a command, where the error itself cannot know. */
function hintOf(error: PercoliteError): string | undefined {
  if (error.code === 'unauthenticated') {
    return 'The token is that of --token-file, or of PERCOLITE_TOKEN in the environment.'
  }
  return isRefused(error)
    ? 'Nothing listens there: percolite serve starts a server, and --url names another one.'
    : undefined
}

function isRefused({ code, cause }: PercoliteError): boolean {
  if (code !== 'connection_failed') return false
  for (let reason = cause; reason instanceof Error; reason = reason.cause) {
    if ((reason as NodeJS.ErrnoException).code === 'ECONNREFUSED') return true
  }
  return false
}
