// SPDX-License-Identifier: Apache-2.0
import { PercoliteError } from '../../client-sdk/client.ts'
import { EXIT, type ExitCode } from '../command.ts'

/** Errors of Node.js by which nothing has reached a server. */
const NEVER_SENT: ReadonlySet<string> = new Set([
  ...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH', 'ENETUNREACH', 'EADDRNOTAVAIL'],
  ...['UND_ERR_CONNECT_TIMEOUT', 'ERR_SSL_WRONG_VERSION_NUMBER'],
])

const UNANSWERED: ReadonlySet<string> = new Set([
  ...['connection_failed', 'request_timed_out', 'invalid_answer', 'commit_outcome_unknown'],
])

/** Whether no answer came, or none of a server, or one that does not know: what was asked for may have been done. */
export function isUnanswered({ code }: PercoliteError): boolean {
  return UNANSWERED.has(code)
}

/**
 * What a command that asked a server ends with. `mayWrite` says whether something may have been done where no answer
 * came: then nobody knows.
 */
export function exitCodeOfServer(
  error: unknown,
  { mayWrite = false }: { readonly mayWrite?: boolean } = {},
): ExitCode {
  if (!(error instanceof PercoliteError)) return EXIT.failed
  switch (error.code) {
    case 'commit_outcome_unknown':
      return EXIT.unknownOutcome
    case 'connection_failed':
    case 'request_timed_out':
      return mayWrite && !isNeverSent(error) ? EXIT.unknownOutcome : EXIT.unreachable
    case 'invalid_answer':
      // A proxy that lost the server, or a text that was cut off: the statement may have arrived all the same.
      return mayWrite && !isRefusal(error) ? EXIT.unknownOutcome : EXIT.unreachable
    case 'internal':
      return mayWrite ? EXIT.unknownOutcome : EXIT.failed
    case 'unauthenticated':
    case 'token_expired':
      return EXIT.unreachable
    default:
      return EXIT.failed
  }
}

/** By a status for mistakes of the client, of whatever else answers at the address. */
function isRefusal({ httpStatus = 0 }: PercoliteError): boolean {
  return httpStatus >= 400 && httpStatus < 500
}

function isNeverSent({ code, cause }: PercoliteError): boolean {
  if (code !== 'connection_failed') return false
  for (let reason = cause; reason instanceof Error; reason = reason.cause) {
    const { code: name = '' } = reason as NodeJS.ErrnoException
    if (NEVER_SENT.has(name) || /CERT|SELF_SIGNED/.test(name)) return true
    // `fetch` asks nobody at the ports of other protocols.
    if (reason.message === 'bad port') return true
  }
  return false
}

/** Whether there is more in the text than one statement that reads. */
export function mayWrite(sql: string): boolean {
  return !/^\s*(?:get|scan|show|describe)\b[^;]*;?\s*$/i.test(sql)
}
