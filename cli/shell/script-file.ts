// SPDX-License-Identifier: Apache-2.0
import type { Page, PercoliteError, ScriptAnswer } from '../../client-sdk/client.ts'
import { doneText, moreRowsText, placeIn, runScript } from '../connection/run-script.ts'
import type { Screen } from './screen.ts'
import type { Session } from './session.ts'

/** What running a script needs of a shell. */
type ShellForScripts = {
  readonly session: Session
  readonly screen: Screen
  readonly signal: AbortSignal
  /** Set to the text that was sent. */
  sent: string
  show(pages: AsyncIterable<Pick<Page, 'results' | 'hasMore'>>): Promise<void>
}

/** A line that begins as a command of the shell does; it may stand in a string as well. */
const COMMAND = /^[^\S\n\r\u2028\u2029]*\\/m

/** Refusals of a text as a whole that do not hold for its statements one by one: it is too long, or empty. */
const OF_SCRIPTS: ReadonlySet<string> = new Set(['limit_exceeded', 'invalid_request'])

/** A name without a value is wrong alone, too: what is before it is not run. */
function isOfWhole({ code, statement }: PercoliteError): boolean {
  return OF_SCRIPTS.has(code) && (code !== 'invalid_request' || statement === undefined)
}

/** What went wrong in it has been shown, and is the cause. */
export class FileFailed extends Error {
  constructor(path: string, cause: unknown) {
    super(`${path} was not run to its end.`, {
      cause: cause instanceof FileFailed ? cause.cause : cause,
    })
  }
}

/** Whether a text needs nothing of the shell that a script lacks: its commands, values, transaction and past. */
export function mayBeScript(text: string, { state, asOf, variables }: Session): boolean {
  if (state.kind !== 'none' || asOf !== undefined || COMMAND.test(text)) return false
  return ![...variables.keys()].some((name) => text.includes(`:${name}`))
}

/**
 * Has the server run a file, and shows what its statements came to, also when it stops at one of them. Resolves to
 * false where the server takes it for no script, and nothing was run. Rejects with FileFailed for what was shown, and
 * with the reason of the shell's signal.
 */
export async function runScriptFile(
  shell: ShellForScripts,
  path: string,
  text: string,
): Promise<boolean> {
  const { session, screen, signal } = shell
  let failure: PercoliteError | undefined
  let ran: ScriptAnswer | undefined
  async function* pages(): AsyncGenerator<Pick<Page, 'results' | 'hasMore'>, void, undefined> {
    ;({ ran, failure } = await runScript(session.db, text, signal))
    if (ran !== undefined && ran.results.length > 0) yield { ...ran, hasMore: false }
  }
  shell.sent = text
  await shell.show(pages())
  if (ran !== undefined) screen.errors.write(moreRowsText(ran, path))
  if (failure === undefined) return true
  if (ran === undefined && isOfWhole(failure)) return false
  screen.fail(failure, text, `${placeIn(path, failure)}: `)
  if (ran !== undefined) screen.errors.write(`${doneText(ran)}\n`)
  throw new FileFailed(path, failure)
}
