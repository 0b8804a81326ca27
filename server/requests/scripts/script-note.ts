// SPDX-License-Identifier: Apache-2.0
import type { Statement } from '../../../parser/ast.ts'
import type { Parser } from '../../../parser/parser.ts'
import type { Parameters } from '../../../planner/planner.ts'
import type { Transaction } from '../../../storage/storage.ts'
import type { Catalog } from '../../../storage/tables/tables.ts'
import { NoteFailure, requireWithin, ServerError } from '../../errors/server-error.ts'
import type { Turns } from '../../guard/budgets/turns.ts'
import { parsedText } from '../prepared/query-request.ts'
import {
  type IndexedStatement,
  type RowStatement,
  type ScriptStatement,
  standsAlone,
} from '../prepared/script.ts'

/** What the client has noted of its script in the same transaction as each part. */
export type NoteRequest = {
  readonly sql: string
  readonly params?: Readonly<Record<string, unknown>>
}

/** What a note knows of the part that it is written with, as parameters. */
export type NotePlace = {
  /** Statements of the text that are done before the part, and after it. */
  readonly before: number
  readonly done: number
  readonly total: number
  /** Characters of the text up to the end of the part without blanks, and their SHA-256, in hexadecimal digits. */
  readonly length: number
  readonly checksum: string
}

const GIVEN = ['before', 'done', 'total', 'length', 'checksum'] as const satisfies ReadonlyArray<
  keyof NotePlace
>

/** Statements that run first in the transaction of each part: CHECK that nobody else was there, SET how far it is. */
export class ScriptNote {
  readonly #statements: readonly RowStatement[]
  readonly #params: Readonly<Record<string, unknown>>

  private constructor(
    statements: readonly RowStatement[],
    params: Readonly<Record<string, unknown>>,
  ) {
    this.#statements = statements
    this.#params = params
  }

  /**
   * Rejects with NoteFailure, and with ServerError `invalid_request` and `limit_exceeded` for what cannot be a note.
   */
  static async of(
    parser: Parser,
    { sql, params = {} }: NoteRequest,
    turns: Turns,
  ): Promise<ScriptNote> {
    const statements = await parsed(parser, sql, turns)
    if (statements.length === 0) throw refused('The note has no statement.')
    const what = 'Statements of the note, which run with each part'
    requireWithin('scriptNoteStatementsMax', statements.length, what)
    for (const name of GIVEN) {
      if (Object.hasOwn(params, name)) {
        throw refused(`The parameter :${name} of the note is given by the server.`)
      }
    }
    return new ScriptNote(statements.map(rowStatement), params)
  }

  /** Its statements for one part. */
  at(place: NotePlace): readonly IndexedStatement[] {
    const parameters: Parameters = { ...this.#params, ...place }
    return this.#statements.map((statement, index) => ({ statement, parameters, index }))
  }

  /**
   * A row is written by the definition of its table that was there before: the same transaction must not change that
   * one. Throws ServerError `script_mixture`.
   */
  requireUnchanged(
    { statement }: ScriptStatement,
    transaction: Pick<Transaction, 'changesSchemaOf'>,
    catalog: Catalog,
  ): void {
    for (const noted of this.#statements) {
      const table = 'table' in noted ? catalog.table(noted.table.text) : undefined
      if (table === undefined || !transaction.changesSchemaOf(table.id)) continue
      const { line, column } = statement.position
      throw new ServerError(
        'script_mixture',
        `The table ${table.name} is the one of the note, and not changed by a script that has it.`,
        { line, column },
      )
    }
  }
}

async function parsed(parser: Parser, sql: string, turns: Turns): Promise<readonly Statement[]> {
  try {
    return await parsedText(parser, sql, turns)
  } catch (cause) {
    throw new NoteFailure(cause)
  }
}

function rowStatement(statement: Statement): RowStatement {
  const { kind } = statement
  if (standsAlone(statement) || kind === 'begin' || kind === 'commit' || kind === 'rollback') {
    throw refused('A note has only statements that run inside of a transaction.')
  }
  return statement as RowStatement
}

function refused(detail: string): ServerError {
  return new ServerError('invalid_request', detail, { parameter: 'note', in: 'body' })
}
