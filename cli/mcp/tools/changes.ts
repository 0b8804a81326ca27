// SPDX-License-Identifier: Apache-2.0
import { quotedName } from '../../connection/quoted-name.ts'
import { ANSWER_CHARACTERS_MAX } from '../answer-bounds.ts'
import { type Bookmark, type Feed, feedOf } from '../change-feed.ts'
import {
  PARAMETERS_SCHEMA,
  SQL_SCHEMA,
  type Tool,
  type ToolAnswer,
  type ToolCall,
} from '../tool.ts'
import { ToolError } from '../tool-error.ts'

const TABLES_MAX = 8
const CHANGES_DEFAULT = 100
const CHANGES_MAX = 1_000
const WAIT_MS_DEFAULT = 1_000
const WAIT_MS_MAX = 30_000
/** Of one text, with its names in base64. */
const BOOKMARK_CHARACTERS_MAX = 20_000

export const CHANGES: Tool = {
  name: 'changes',
  title: 'What commits have changed',
  description:
    'What commits have changed of the rows of tables, or of one GET or SCAN, since a bookmark or a stamp: whole commits in their order. Without either, from now on. Its answer has a bookmark, with which the next call goes on and leaves nothing out.',
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: {
      tables: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: TABLES_MAX },
      sql: { ...SQL_SCHEMA, description: 'A GET or a SCAN, in place of tables.' },
      params: PARAMETERS_SCHEMA,
      bookmark: {
        type: 'string',
        maxLength: BOOKMARK_CHARACTERS_MAX,
        description: 'Of the answer before, to the same tables or text.',
      },
      since: {
        type: 'integer',
        minimum: 0,
        description: 'A stamp such as a readTimestamp, in place of a bookmark.',
      },
      changes: {
        type: 'integer',
        minimum: 1,
        maximum: CHANGES_MAX,
        description: `Changes of the answer, ${CHANGES_DEFAULT} if not given.`,
      },
      waitMs: {
        type: 'integer',
        minimum: 0,
        maximum: WAIT_MS_MAX,
        description: `How long a first change is waited for, ${WAIT_MS_DEFAULT} if not given.`,
      },
    },
  },
  writes: false,
  run,
}

async function run(call: ToolCall): Promise<ToolAnswer> {
  const { db, given, signal } = call
  const statements = statementsOf(call)
  const bookmarks = bookmarksOf(given.bookmark as string | undefined)
  const bounds = {
    changesMax: Math.ceil(
      ((given.changes as number | undefined) ?? CHANGES_DEFAULT) / statements.length,
    ),
    charactersMax: Math.floor(ANSWER_CHARACTERS_MAX / statements.length),
    waitMs: (given.waitMs as number | undefined) ?? WAIT_MS_DEFAULT,
  }
  const feeds = await Promise.all(
    statements.map(async ({ name, sql }) => {
      const from = bookmarks.get(name) ?? { since: given.since as number | undefined }
      return { name, ...(await feedOf(db, { sql, params: given.params, from }, bounds, signal)) }
    }),
  )
  return { content: contentOf(feeds) }
}

type Named = Feed & { readonly name: string }

function contentOf(feeds: readonly Named[]) {
  const isCut = feeds.some(({ hasMore }) => hasMore)
  const next = Object.fromEntries(feeds.map(({ name, bookmark }) => [name, bookmark]))
  return {
    feeds: feeds.map(({ name, commits }) => ({ of: name, commits })),
    bookmark: Buffer.from(JSON.stringify(next)).toString('base64url'),
    ...(isCut && { cut: 'There are more changes: call changes again with this bookmark.' }),
  }
}

/** By the name that each has in the bookmark. Throws `invalid_arguments`. */
function statementsOf({
  given,
}: ToolCall): ReadonlyArray<{ readonly name: string; readonly sql: string }> {
  const { tables, sql, params } = given as {
    readonly tables?: readonly string[]
    readonly sql?: string
    readonly params?: unknown
  }
  if ((tables === undefined) === (sql === undefined)) {
    throw new ToolError('invalid_arguments', 'Give either tables, or sql.')
  }
  if (sql !== undefined) return [{ name: 'sql', sql }]
  if (params !== undefined) throw new ToolError('invalid_arguments', 'params are for sql.')
  return [...new Set(tables)].map((name) => ({ name, sql: `SCAN * FROM ${quotedName(name)}` }))
}

/** Throws `invalid_arguments`. */
function bookmarksOf(text: string | undefined): ReadonlyMap<string, Bookmark> {
  if (text === undefined) return new Map()
  try {
    const bookmarks: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    if (typeof bookmarks === 'object' && bookmarks !== null) {
      return new Map(Object.entries(bookmarks as Readonly<Record<string, Bookmark>>))
    }
  } catch {
    // It is none, as below.
  }
  throw new ToolError('invalid_arguments', 'The bookmark is none that changes has given.')
}
