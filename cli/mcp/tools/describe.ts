// SPDX-License-Identifier: Apache-2.0
import type { Database, Schemas } from '../../../client-sdk/client.ts'
import { ANSWER_CHARACTERS_MAX, countWithin } from '../answer-bounds.ts'
import { ask } from '../statements.ts'
import type { Tool, ToolAnswer, ToolCall } from '../tool.ts'

export const DESCRIBE: Tool = {
  name: 'describe',
  title: 'Tables and rights',
  description:
    'The tables with their columns, keys, indexes and checks, and what the token of this connection may do. With `table` one of them. With `language` how statements are written: read it before you write any.',
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      table: { type: 'string', description: 'Its name, as it is written in CREATE TABLE.' },
      language: {
        type: 'boolean',
        description: 'The page that tells how statements are written, in place of tables.',
      },
    },
  },
  writes: false,
  run,
}

async function run(call: ToolCall): Promise<ToolAnswer> {
  const { db, given, signal } = call
  if (given.language === true) {
    const answer = await db.open('GET', '/llms.txt', undefined, { signal })
    const language = await answer.text()
    return { content: { language }, text: language }
  }
  if (typeof given.table === 'string') {
    const path = `/v1/tables/${encodeURIComponent(given.table)}`
    return {
      content: { table: await db.request<Schemas['Table']>('GET', path, undefined, { signal }) },
    }
  }
  const [{ tables }, principal, grants] = await Promise.all([
    db.request<Schemas['TableList']>('GET', '/v1/tables', undefined, { signal }),
    db.request<Schemas['Principal']>('GET', '/v1/principal', undefined, { signal }),
    grantsOf(db, signal),
  ])
  const count = countWithin(tables, ANSWER_CHARACTERS_MAX)
  const others = tables.slice(count).map(({ name }) => name)
  const named = others.slice(0, countWithin(others, ANSWER_CHARACTERS_MAX))
  return {
    content: {
      tables: tables.slice(0, count),
      ...(others.length > 0 && {
        cut: `There are ${others.length} more tables: describe each by its name.`,
        others: named,
      }),
      token: { ...principal, grants },
    },
  }
}

/** What the role may, table by table; nothing where no token is asked for. */
async function grantsOf(db: Database, signal: AbortSignal) {
  const { results } = await ask(db, { sql: 'SHOW GRANTS' }, signal)
  const rows = results[0]?.rows ?? []
  return rows.slice(0, countWithin(rows, ANSWER_CHARACTERS_MAX))
}
