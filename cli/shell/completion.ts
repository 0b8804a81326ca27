// SPDX-License-Identifier: Apache-2.0
import type { Database, Schemas } from '../../client-sdk/client.ts'
import type { BackslashCommand } from './commands/backslash-command.ts'

/** Who presses Tab does not wait longer. */
const ANSWER_MS_MAX = 2_000

/** What may follow, and which text before the cursor it stands for; as `readline` takes it. */
export type Hits = [hits: string[], typed: string]

/** Of a statement, by the server: nothing where it does not answer. `before` and `after` stand around the cursor. */
export async function completeStatement(
  db: Database,
  before: string,
  after: string,
): Promise<Hits> {
  try {
    const request = { sql: before + after, offset: before.length }
    const { from, items } = await db.request<Schemas['Completions']>(
      'POST',
      '/v1/completions',
      request,
      { timeoutMs: ANSWER_MS_MAX },
    )
    return [spaced(items.map(({ text }) => text)), before.slice(from)]
  } catch {
    return [[], before]
  }
}

/** Of a command that begins with a backslash, by the names of all; a table behind it by the server. */
export async function completeCommand(
  db: Database,
  commands: ReadonlyArray<Pick<BackslashCommand, 'name' | 'tableAt'>>,
  line: string,
): Promise<Hits> {
  const [name = '', ...words] = line.split(/\s+/)
  const word = words.at(-1)
  if (word === undefined) {
    const names = commands.map((command) => command.name)
    return [spaced(names.filter((each) => each.startsWith(name))), name]
  }
  const command = commands.find((each) => each.name === name)
  if (command?.tableAt !== words.length) return [[], line]
  const [tables] = await completeStatement(db, `DESCRIBE ${word}`, '')
  return [tables, word]
}

/** The only one is followed by a blank, unless it goes on. */
function spaced(texts: string[]): string[] {
  const [only = ''] = texts
  return texts.length === 1 && !only.endsWith('(') ? [`${only} `] : texts
}
