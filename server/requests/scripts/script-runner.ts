// SPDX-License-Identifier: Apache-2.0

import { createHash } from 'node:crypto'
import type { Statement } from '../../../parser/ast.ts'
import { type IntegerForm, type StatementResult, sourceOf } from '../../../planner/planner.ts'
import { andThen, type Timestamp } from '../../../storage/storage.ts'
import {
  ClientDisconnected,
  NoteFailure,
  ScriptStopped,
  ServerError,
  StatementFailure,
} from '../../errors/server-error.ts'
import { COUNTED_BYTES_MIN } from '../../guard/budgets/hold.ts'
import { SERVER_LIMITS } from '../../limits.ts'
import { AnswerBudget, EMPTY_RESULT } from '../answers/query-answer.ts'
import { parsedText } from '../prepared/query-request.ts'
import { snapshotOf } from '../prepared/request-snapshot.ts'
import type { RunningRequest } from '../prepared/running-request.ts'
import type { IndexedStatement } from '../prepared/script.ts'
import { type BesideDefinition, DefinitionRunner } from '../statements/definition-runner.ts'
import { withRunnableSuggestion } from '../statements/runnable-suggestion.ts'
import type { StatementDependencies } from '../statements/statement-execution.ts'
import { type Attempt, commitWritten } from '../transactions/attempt.ts'
import { type NotePlace, type NoteRequest, ScriptNote } from './script-note.ts'
import { inScript, partsOf, type ScriptPart } from './script-parts.ts'
import { type ScriptResult, ScriptResults } from './script-results.ts'

/** `ScriptRequest` of `openapi.yaml`. */
export type ScriptRequest = {
  readonly sql: string
  /** How many statements are done already. */
  readonly from?: number
  readonly note?: NoteRequest
  readonly integers?: IntegerForm
  readonly timeoutMs?: number
}

/** `ScriptAnswer` of `openapi.yaml`. */
export type ScriptAnswer = {
  readonly done: number
  readonly total: number
  readonly results: readonly ScriptResult[]
}

/** What the parts of one script share. */
type ScriptRun = {
  readonly total: number
  readonly lengths: TextLengths
  readonly request: ScriptRequest
  readonly running: RunningRequest
  readonly note: ScriptNote | undefined
  readonly results: ScriptResults
}

type PartOutcome = {
  /** One for each statement of the part. */
  readonly results: readonly StatementResult[]
  readonly commitTimestamp: Timestamp | null
}

/** Runs a text of definitions and other statements, part by part, each a transaction of its own. */
export class ScriptRunner {
  readonly #deps: StatementDependencies
  readonly #definitions: DefinitionRunner

  constructor(deps: StatementDependencies) {
    this.#deps = deps
    this.#definitions = new DefinitionRunner(deps)
  }

  /**
   * Runs what is not done of a script. The whole text is parsed first. Rejects with ScriptStopped at the first part
   * that fails, and with what is wrong with the request before anything runs.
   */
  async run(request: ScriptRequest, running: RunningRequest): Promise<ScriptAnswer> {
    sourceOf(request)?.requireNamesOnce()
    const statements = await this.#parsed(request.sql, running)
    const total = statements.length
    const parts = partsOf(statements, request.from ?? 0)
    const note =
      request.note && (await ScriptNote.of(this.#deps.parser, request.note, running.turns))
    const results = new ScriptResults(request.integers ?? 'number')
    const lengths = new TextLengths(request.sql)
    const run: ScriptRun = { request, running, note, results, total, lengths }
    let done = request.from ?? 0
    for (const part of partsFrom(parts, done, total)) {
      try {
        if (running.turns.isDue) await running.turns.pause()
        running.signal.throwIfAborted()
        this.#deps.access.requireHeld(running.principal)
        addResults(results, part, await this.#runPart(part, run))
        done = part.first + part.statements.length
      } catch (error) {
        const { reason } = running.signal
        if (reason instanceof ClientDisconnected) throw reason
        throw stopped(error, part, { done, total, results: results.list })
      }
    }
    return { done, total, results: results.list }
  }

  async #parsed(sql: string, { turns, principal }: RunningRequest): Promise<readonly Statement[]> {
    if (!turns.mayBegin) await turns.begin()
    try {
      const statements = await parsedText(this.#deps.parser, sql, turns)
      if (statements.length === 0)
        throw new ServerError('invalid_request', 'There is no statement.')
      return statements
    } catch (error) {
      throw await withRunnableSuggestion(error, this.#deps, principal)
    }
  }

  async #runPart(part: ScriptPart, run: ScriptRun): Promise<PartOutcome> {
    const { script } = part
    const { running, note } = run
    const noted = note?.at(placeOf(part, run)) ?? []
    if (script.kind === 'definitions') {
      const beside = note && this.#besideDefinition(note, noted, run)
      return await this.#definitions.run(script.statements, running, beside)
    }
    const snapshot = snapshotOf(script, { readTimestamp: undefined }, {})
    // Nothing can be noted where nothing is written.
    const isKept = script.end === 'commit' && !snapshot.readOnly
    const work = (own: Attempt) =>
      andThen(this.#executed(own, isKept ? noted : [], run, true), () =>
        andThen(this.#executed(own, script.statements, run), (results) =>
          andThen(isKept ? commitWritten(own.transaction, running) : null, (commitTimestamp) => ({
            results,
            commitTimestamp,
          })),
        ),
      )
    const outcome = await this.#deps.attempts.run({
      snapshot,
      running,
      work,
      commitTsOf: ({ commitTimestamp }) => (script.end === 'commit' ? commitTimestamp : undefined),
    })
    if (!isKept && noted.length > 0) await this.#noteAlone(noted, run)
    return outcome
  }

  #besideDefinition(
    note: ScriptNote,
    noted: readonly IndexedStatement[],
    run: ScriptRun,
  ): BesideDefinition {
    return {
      before: async (own) => {
        await this.#executed(own, noted, run, true)
      },
      after: ({ transaction, catalog }, entry) =>
        note.requireUnchanged(entry, transaction, catalog),
    }
  }

  async #noteAlone(noted: readonly IndexedStatement[], run: ScriptRun): Promise<void> {
    const { running } = run
    const work = (own: Attempt) =>
      andThen(this.#executed(own, noted, run, true), () => commitWritten(own.transaction, running))
    await this.#deps.attempts.run({
      snapshot: { readOnly: false },
      running,
      work,
      commitTsOf: (commitTimestamp) => commitTimestamp,
    })
  }

  /** Statements of the script or of its note in one transaction. Of a SCAN no more is read than is kept. */
  #executed(
    { transaction, catalog }: Attempt,
    statements: readonly IndexedStatement[],
    { request, running, results }: ScriptRun,
    isNote = false,
  ) {
    const { scriptRowsMax: rows, pageBytesMax: bytes } = SERVER_LIMITS
    const paging = { page: { rows, bytes }, check: () => undefined }
    const answer = new AnswerBudget(heldBeside(running, results.bytes))
    const { timeoutMs } = request
    const options = timeoutMs === undefined ? {} : { timeoutMs }
    const run = { request: options, transaction, catalog, paging, answer, running }
    if (!isNote) return this.#deps.execution.run(statements, run)
    return this.#noted(statements, run)
  }

  async #noted(
    statements: readonly IndexedStatement[],
    run: Parameters<StatementDependencies['execution']['run']>[1],
  ): Promise<StatementResult[]> {
    try {
      return await this.#deps.execution.run(statements, run)
    } catch (error) {
      if (run.running.signal.aborted) throw error
      throw new NoteFailure(error)
    }
  }
}

function placeOf({ first, statements, end }: ScriptPart, run: ScriptRun): NotePlace {
  const { total, request, lengths } = run
  const upTo = lengths.upTo(end ?? request.sql.length)
  return { before: first, done: first + statements.length, total, ...upTo }
}

/** Parts that are not done. Throws `invalid_request` where that many statements are no whole parts. */
function partsFrom(
  parts: readonly ScriptPart[],
  from: number,
  total: number,
): readonly ScriptPart[] {
  const rest = parts.filter(({ first }) => first >= from)
  if (from <= total && (rest[0]?.first ?? total) === from) return rest
  const detail =
    from > total
      ? `The script has ${total} statements, and from is ${from}.`
      : `Statement ${from} stands between a BEGIN and its COMMIT, which are run as a whole.`
  throw new ServerError('invalid_request', detail, { parameter: 'from', in: 'body' })
}

function addResults(
  results: ScriptResults,
  { first, statements, script }: ScriptPart,
  outcome: PartOutcome,
): void {
  const hasEnds = script.kind === 'transaction' && script.begin !== undefined
  const each = hasEnds ? [EMPTY_RESULT, ...outcome.results, EMPTY_RESULT] : outcome.results
  for (const [index, statement] of statements.entries()) {
    const result = each[index] ?? EMPTY_RESULT
    results.add(first + index, statement, result, outcome.commitTimestamp)
  }
}

/** The answer of one part is held beside what is kept of those before it. */
function heldBeside(running: RunningRequest, keptBytes: number) {
  const hold = (bytes: number) => {
    if (bytes + keptBytes >= COUNTED_BYTES_MIN) running.holdUnsent(bytes + keptBytes)
  }
  return { holdUnsent: hold, releaseUnsent: () => hold(0) }
}

function stopped(
  error: unknown,
  part: ScriptPart,
  progress: Pick<ScriptStopped['fields'], 'done' | 'total' | 'results'>,
): ScriptStopped {
  const { first, statements } = part
  // What ends the whole part, such as a conflict, is told of its first statement.
  const placed = inScript(error, first)
  const failure = placed instanceof StatementFailure ? placed : new StatementFailure(first, error)
  const statement = statements[failure.statement - first] ?? statements[0]
  const { line, column } = (statement as Statement).position
  return new ScriptStopped({ line, column, ...progress }, failure)
}

/** How much of a text is done with, and its hash: all of it costs no more than to hash the text once. */
class TextLengths {
  readonly #text: string
  readonly #hash = createHash('sha256')
  #length = 0

  constructor(text: string) {
    this.#text = text
  }

  /** Up to here, which is not before where it was the last time, without blanks at the end. */
  upTo(length: number): Pick<NotePlace, 'length' | 'checksum'> {
    const piece = this.#text.slice(this.#length, length).trimEnd()
    this.#hash.update(piece)
    this.#length += piece.length
    return { length: this.#length, checksum: this.#hash.copy().digest('hex') }
  }
}
