// SPDX-License-Identifier: Apache-2.0
import { type Database, PercoliteError } from '../../client-sdk/client.ts'
import { ANSWER_CHARACTERS_MAX, countWithin } from './answer-bounds.ts'
import { askWithin, type Described, described } from './statements.ts'
import { ToolError } from './tool-error.ts'

export type Preview = {
  /** What each does, in their order, as far as an answer holds them. */
  readonly statements: ReadonlyArray<Readonly<Record<string, unknown>>>
  /** Where the text is one statement: what is known of it. */
  readonly only?: Described
  readonly text: string
}

const EXPLAINED: ReadonlySet<string> = new Set([
  ...['get', 'scan', 'set', 'insert', 'delete', 'check', 'notify'],
])
const DEFINING = /^(?:CREATE|ALTER|DROP|GRANT|REVOKE|ROTATE)$/i

/** What a text would do, without doing it. Rejects with PercoliteError and ToolError. */
export async function preview(db: Database, sql: string, signal: AbortSignal): Promise<Preview> {
  const only = await described(db, sql, signal)
  if (only !== undefined && !EXPLAINED.has(only.kind)) {
    return { statements: [only], only, text: `${sql.trim()}\n  ${wordsOf(only)}` }
  }
  const { results } = await explained(db, sql, signal)
  const plans = results.flatMap(({ rows }) => rows)
  const statements = plans.slice(0, countWithin(plans, ANSWER_CHARACTERS_MAX))
  const left = plans.length - statements.length
  const text = [
    ...statements.map((plan) => String(plan.text)),
    ...(left > 0 ? [`${left} more statements are not shown: explain parts of the text.`] : []),
  ].join('\n\n')
  return {
    statements: left > 0 ? [...statements, { statementsLeftOut: left }] : statements,
    ...(only && { only }),
    text,
  }
}

async function explained(db: Database, sql: string, signal: AbortSignal) {
  try {
    return await askWithin(db, { before: 'EXPLAIN SCRIPT', statements: 0 }, { sql }, signal)
  } catch (error) {
    if (!(error instanceof PercoliteError) || error.code !== 'syntax_error') throw error
    const { token, line, column, statement } = error.fields
    if (typeof token !== 'string' || !DEFINING.test(token)) throw error
    const message = `${token.toUpperCase()} stands alone: give each definition in a call of its own.`
    throw new ToolError('invalid_arguments', message, { line, column, statement })
  }
}

function wordsOf({ kind, writes, defines }: Described): string {
  const names = Object.entries(defines ?? {}).map(([of, name]) => ` ${of} ${name}`)
  return `${kind}:${names.join('')}, ${writes ? 'committed as soon as it runs' : 'writes nothing'}`
}
