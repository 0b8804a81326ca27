// SPDX-License-Identifier: Apache-2.0
import { PlanError, type StatementResult, valueToJson } from '../../planner/planner.ts'
import { StorageError } from '../../storage/storage.ts'
import { SqlSession } from '../sql-session.ts'

/** Each statement of the page, with what is printed below it. */
const BLOCK = /```sql\n([\s\S]*?)```\n\n```text\n[\s\S]*?```/g

/** The page with the output of each of its statements, run one after the other, made anew. */
export async function withOutputs(page: string): Promise<{ page: string; statements: number }> {
  const session = await SqlSession.open()
  try {
    const outputs: string[] = []
    for (const [, statement = ''] of page.matchAll(BLOCK)) {
      const output = await outputOf(session, statement)
      outputs.push(`\`\`\`sql\n${statement}\`\`\`\n\n\`\`\`text\n${output}\n\`\`\``)
    }
    const statements = outputs.length
    return { page: page.replace(BLOCK, () => outputs.shift() as string), statements }
  } finally {
    await session.close()
  }
}

async function outputOf(session: SqlSession, text: string): Promise<string> {
  try {
    // Each run is a transaction already.
    const result = await session.run(text.replaceAll(/^(BEGIN|COMMIT);\n/gm, ''))
    return /^(CREATE|ALTER)/.test(text) ? 'defined' : resultText(result)
  } catch (error) {
    if (!(error instanceof PlanError || error instanceof StorageError)) throw error
    const hint = error instanceof PlanError && error.hint !== undefined ? `\n${error.hint}` : ''
    return `${error.code}: ${error.message}${hint}`
  }
}

function resultText(result: StatementResult): string {
  const { columns, rows, rowsAffected, unmet } = result
  if (columns[0]?.name === 'text' && columns[1]?.name === 'plan') return String(rows[0]?.[0])
  const written = unmet === undefined ? '' : `, unmet: ${unmet}`
  if (columns.length === 0) return `${counted(rowsAffected)} written${written}`
  const cells = [
    columns.map(({ name }) => name),
    ...rows.map((row) => row.map((value, place) => cellText(result, place, value))),
  ]
  const widths = columns.map((_, place) => Math.max(...cells.map((row) => row[place]?.length ?? 0)))
  const lines = cells.map((row) =>
    row
      .map((cell, place) => cell.padEnd(widths[place] ?? 0))
      .join(' | ')
      .trimEnd(),
  )
  const rule = widths.map((width) => '-'.repeat(width)).join('-+-')
  return [lines[0], rule, ...lines.slice(1), `(${counted(rows.length)}${written})`].join('\n')
}

function cellText({ columns }: StatementResult, place: number, value: unknown): string {
  const { type } = columns[place] as StatementResult['columns'][number]
  const json = valueToJson(type, value as Parameters<typeof valueToJson>[1])
  return typeof json === 'string' ? json : json === null ? 'NULL' : JSON.stringify(json)
}

function counted(count: number): string {
  return count === 1 ? '1 row' : `${count} rows`
}
