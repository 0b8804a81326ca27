// SPDX-License-Identifier: Apache-2.0
import { PercoliteError } from '../../../client-sdk/client.ts'
import { EXIT } from '../../command.ts'
import { exitCodeOfServer } from '../../connection/server-failure.ts'
import { cutResults } from '../answer-bounds.ts'
import type { Confirmations } from '../confirmations.ts'
import { preview } from '../preview.ts'
import { ask, type Described } from '../statements.ts'
import {
  PARAMETERS_SCHEMA,
  ROWS_SCHEMA,
  rowsMaxOf,
  SQL_SCHEMA,
  type Tool,
  type ToolAnswer,
  type ToolCall,
} from '../tool.ts'
import { ToolError } from '../tool-error.ts'

export function writeTool(confirmations: Confirmations): Tool {
  return {
    name: 'write',
    title: 'Change rows or tables',
    description:
      'Runs a text that writes, as one transaction, or one definition, in two calls. The first shows what it would do, by EXPLAIN, and writes nothing; its answer has a confirmation. The second, with exactly the same sql and params and that confirmation, does it. A confirmation counts once.',
    schema: {
      type: 'object',
      additionalProperties: false,
      required: ['sql'],
      properties: {
        sql: { ...SQL_SCHEMA, description: 'Statements, separated by ;' },
        params: PARAMETERS_SCHEMA,
        confirmation: { type: 'string', description: 'What the first call has given.' },
        rows: ROWS_SCHEMA,
      },
    },
    writes: true,
    run: (call) =>
      call.given.confirmation === undefined
        ? show(call, confirmations)
        : write(call, confirmations),
  }
}

async function show(call: ToolCall, confirmations: Confirmations): Promise<ToolAnswer> {
  const { db, given, signal } = call
  const sql = given.sql as string
  const { statements, only, text } = await preview(db, sql, signal)
  if (only !== undefined) requireWrite(only)
  const confirmation = confirmations.give({ sql, params: given.params })
  const content = {
    written: false,
    statements,
    confirmation,
    confirmWithinMs: confirmations.withinMs,
  }
  const next = `Nothing is written yet. To do it, call write with the same sql and params, and confirmation ${confirmation}.`
  return { content, text: `${text}\n\n${next}` }
}

/** Throws `invalid_arguments`. */
function requireWrite({ kind, writes }: Described): void {
  if (kind === 'begin' || kind === 'commit' || kind === 'rollback') {
    const message = 'A transaction is one text: it begins with BEGIN and ends with COMMIT.'
    throw new ToolError('invalid_arguments', message)
  }
  // They fail or hint, and guard a row.
  if (writes || kind === 'check' || kind === 'notify') return
  const message = `${kind} writes nothing: call query, or explain.`
  throw new ToolError('invalid_arguments', message)
}

async function write(call: ToolCall, confirmations: Confirmations): Promise<ToolAnswer> {
  const { db, given, signal } = call
  const sql = given.sql as string
  confirmations.use(given.confirmation as string, { sql, params: given.params })
  const { results, commitTimestamp } = await asked(() =>
    ask(db, { sql, params: given.params }, signal),
  )
  return {
    content: {
      written: commitTimestamp !== undefined,
      results: cutResults(results, rowsMaxOf(call)),
      rowsAffected: results.reduce((sum, { rowsAffected }) => sum + rowsAffected, 0),
      ...(commitTimestamp !== undefined && { commitTimestamp }),
    },
  }
}

/** Whoever may have written has to know that nobody knows. */
async function asked<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (exitCodeOfServer(error, { mayWrite: true }) !== EXIT.unknownOutcome) throw error
    if (!(error instanceof PercoliteError)) throw error
    throw new PercoliteError({
      code: error.code,
      message: `${error.message} It may have been written, or not.`,
      httpStatus: error.httpStatus,
      fields: { ...error.fields, outcome: 'unknown', hint: 'read before you write it again' },
      cause: error,
    })
  }
}
