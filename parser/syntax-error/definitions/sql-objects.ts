// SPDX-License-Identifier: Apache-2.0

import * as keyword from '../../grammar/keywords.ts'
import { type Advice, piece, type WrongStatement } from '../wrong-statement.ts'

// What other databases create, alter, drop and show besides tables and indexes.

export const ROW_RULE =
  'which rows a role may read or write is said by its rights: GRANT READ ON table TO role WHERE condition'
const ONE_DATABASE = 'there is one database, and it is there already: CREATE TABLE'
const NO_VIEW = 'there are no views: keep the text of the SCAN, or let an observer fill a table'
const NO_ROUTINE = 'there are no functions of your own: observers run code when rows change'
const TOKENS =
  'who may do what is said of a role, which a token has: CREATE TOKEN … ROLE … EXPIRES IN …'
const SERVER =
  'what the server is and does is shown by GET /v1/status, GET /v1/running and GET /metrics'

const OBJECTS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    DATABASE: ONE_DATABASE,
    SCHEMA: ONE_DATABASE,
    VIEW: NO_VIEW,
    MATERIALIZED: NO_VIEW,
    SEQUENCE:
      'keys that nobody chooses are made by DEFAULT uuid(), of the type TEXT; a row counts: SET n = coalesce(n, 0) + 1 ON counter WHERE … RETURNING n',
    FUNCTION: NO_ROUTINE,
    PROCEDURE: NO_ROUTINE,
    AGGREGATE: NO_ROUTINE,
    RULE: NO_ROUTINE,
    EVENT:
      'nothing runs by the clock: an observer runs when rows change, a job of the system sends requests',
    TYPE: 'there are no types of your own: a CHECK of the table says what a column may hold',
    DOMAIN: 'there are no types of your own: a CHECK of the table says what a column may hold',
    EXTENSION: 'there are no extensions: what the server can is in it, such as uuid() and JSON',
    VIRTUAL: 'there are no virtual tables, and no full-text search',
    COLLATION: 'texts are compared by their characters: lower(…) on both sides ignores case',
    STATISTICS:
      'there is no planner that guesses: a statement shows its cost, and EXPLAIN tells it',
    SERVER: 'there are no other servers behind this one: percolite import takes their rows',
    PUBLICATION: 'changes are pushed to whoever subscribes: GET /v1/changes, or /v1/socket',
    SUBSCRIPTION: 'changes are pushed to whoever subscribes: GET /v1/changes, or /v1/socket',
    USER: TOKENS,
    LOGIN: TOKENS,
    POLICY: ROW_RULE,
    SYSTEM: 'the server is set up by its flags, when it starts',
  }),
)

/** CREATE VIEW, DROP SEQUENCE, ALTER USER, SHOW CREATE VIEW … */
export function foreignObject(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  const first = tokens[0]?.tokenType
  const at1 = first === keyword.Show ? 2 : 1
  if (at !== at1) return undefined
  const word = tokens[at]?.image.toUpperCase() ?? ''
  if (first === keyword.Create && /^(TEMP|TEMPORARY|UNLOGGED)$/.test(word)) {
    return { advice: 'every table stays', rewritten: `CREATE ${piece(wrong, 2)}` }
  }
  if (first === keyword.Alter && word === 'INDEX') {
    return { advice: 'an index keeps its name: create another one, and drop this one' }
  }
  const advice = OBJECTS.get(word)
  return advice === undefined ? undefined : { advice }
}

const SHOWN: ReadonlyArray<readonly [words: RegExp, advice: string, rewritten?: string]> = [
  [/^(DATABASES|SCHEMAS|TABLE STATUS|TABLES \S.*)$/, 'tables are shown by', 'SHOW TABLES'],
  [/^USERS$/, 'tokens are shown by', 'SHOW TOKENS'],
  [/^(VIEWS|MATERIALIZED .*)$/, NO_VIEW],
  [/^(FUNCTIONS?|PROCEDURES?)\b/, NO_ROUTINE],
  [/^SEQUENCES$/, 'there are no sequences: DEFAULT uuid() makes keys, and a row counts'],
  [/^(WARNINGS|ERRORS)\b/, 'an error is the answer of its request, and there are no warnings'],
]

export function foreignShow(wrong: WrongStatement): Advice | undefined {
  const { tokens } = wrong
  const words = piece(wrong, 1).toUpperCase()
  const last = tokens.at(-1)?.image
  if (/^(FULL|EXTENDED)\b/.test(words)) {
    return { advice: 'SHOW shows all there is', rewritten: `SHOW ${piece(wrong, 2)}` }
  }
  const known = SHOWN.find(([pattern]) => pattern.test(words))
  if (known !== undefined) return { advice: known[1], rewritten: known[2] }
  if (/^(INDEX|INDEXES|INDICES|KEYS)\b/.test(words) && tokens.length > 2) {
    return { advice: 'indexes are shown of a table', rewritten: `SHOW INDEXES FROM ${last}` }
  }
  if (/^(COLUMNS|FIELDS) (FROM|IN)\b/.test(words)) {
    return { advice: 'a table is shown by', rewritten: `DESCRIBE ${last}` }
  }
  return wrong.at === 1 ? { advice: SERVER } : undefined
}
