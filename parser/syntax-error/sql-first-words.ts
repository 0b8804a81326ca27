// SPDX-License-Identifier: Apache-2.0

import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import { NO_SUBQUERY, NO_TABLE_FUNCTION } from './sql-expressions.ts'
import { foreignUpsert, UPSERT } from './sql-inserts.ts'
import { type Advice, indexOf, piece, type WrongStatement } from './wrong-statement.ts'

// First words that no statement of this dialect has.

type AdviceMaker = (wrong: WrongStatement) => Advice | undefined

/** What is written instead of a statement that begins with a word of another database. */
export function foreignFirstWord(wrong: WrongStatement): Advice | undefined {
  const found = FIRST_WORDS.get(wrong.tokens[0]?.image.toUpperCase() ?? '')
  return typeof found === 'function' ? found(wrong) : found
}

export const NO_SAVEPOINT =
  'there are no savepoints: a statement that fails leaves the transaction as it was before it'
export const NO_SESSION =
  'there is no session to set up: what a request needs goes along with it, and the server has flags'
const TABLES = 'SHOW TABLES'

/** START TRANSACTION [READ ONLY] */
const ofStart: AdviceMaker = ({ tokens }) => {
  const reads = tokens.some(({ image }, at) => {
    return image.toUpperCase() === 'READ' && tokens[at + 1]?.image.toUpperCase() === 'ONLY'
  })
  return { advice: 'a transaction begins with', rewritten: reads ? 'BEGIN READ ONLY' : 'BEGIN' }
}

/** COUNT(*) FROM t, COUNT t */
const ofAggregate: AdviceMaker = (wrong) => {
  const advice = 'groups of rows are read by SCAN'
  if (wrong.tokens[1]?.tokenType === token.LeftParenthesis) {
    return { advice, rewritten: `SCAN ${piece(wrong, 0)}` }
  }
  const table = wrong.tokens[1]?.tokenType === keyword.From ? 2 : 1
  const name = wrong.tokens[0]?.image.toUpperCase()
  if (name !== 'COUNT') return { advice }
  return { advice, rewritten: `SCAN COUNT(*) FROM ${piece(wrong, table)}` }
}

/** TABLE t, FROM t */
const ofWholeTable: AdviceMaker = (wrong) => ({
  advice: 'rows are read by SCAN',
  rewritten: `SCAN * FROM ${piece(wrong, 1)}`,
})

/** \d, \dt and \d t of psql */
const ofBackslash: AdviceMaker = (wrong) => {
  const command = wrong.tokens[1]?.image ?? ''
  const advice = 'what begins with \\ is for psql itself'
  if (!/^(d\w*|l)$/.test(command)) return { advice: `${advice}: the shell here is percolite shell` }
  const named = wrong.tokens.length > 2
  return { advice, rewritten: named ? `DESCRIBE ${piece(wrong, 2)}` : TABLES }
}

/** .tables and .schema t of the shell of SQLite */
const ofDot: AdviceMaker = (wrong) => {
  const advice = 'what begins with a dot is for the shell of SQLite'
  const command = wrong.tokens[1]?.image.toLowerCase()
  if (command === 'tables') return { advice, rewritten: TABLES }
  if (command !== 'schema') return { advice: `${advice}: the shell here is percolite shell` }
  const named = wrong.tokens.length > 2
  return { advice, rewritten: named ? `SHOW CREATE TABLE ${piece(wrong, 2)}` : TABLES }
}

/** PRAGMA table_info(t), PRAGMA index_list(t) */
const ofPragma: AdviceMaker = ({ tokens }) => {
  const [, what, , table] = tokens
  const advice = 'what there is is shown by'
  switch (what?.image.toLowerCase()) {
    case 'table_info':
    case 'table_xinfo':
      return { advice, rewritten: `DESCRIBE ${table?.image}` }
    case 'index_list':
      return { advice, rewritten: `SHOW INDEXES FROM ${table?.image}` }
    case 'table_list':
      return { advice, rewritten: TABLES }
    default:
      return { advice: NO_SESSION }
  }
}

/** (SELECT …) */
const ofParenthesis: AdviceMaker = (wrong) => {
  const isWhole = wrong.tokens.at(-1)?.tokenType === token.RightParenthesis
  const advice = 'a statement stands without parentheses'
  return { advice, rewritten: isWhole ? piece(wrong, 1, wrong.tokens.length - 1) : undefined }
}

/** RENAME TABLE a TO b */
const ofRename: AdviceMaker = (wrong) => ({
  advice: 'a table is renamed by',
  rewritten: `ALTER TABLE ${piece(wrong, 2, 3)} RENAME ${piece(wrong, 3)}`,
})

const ofDesc: AdviceMaker = (wrong) => ({
  advice: 'DESC is written out',
  rewritten: `DESCRIBE ${piece(wrong, 1)}`,
})

/** TRUNCATE TABLE t CASCADE */
const ofTruncate: AdviceMaker = (wrong) => {
  const table = wrong.tokens[1]?.tokenType === keyword.Table ? 2 : 1
  const rewritten = `DELETE FROM ${piece(wrong, table, table + 1)} USE PRIMARY KEY`
  return { advice: 'all rows are deleted with', rewritten }
}

/** COPY t FROM …, COPY t TO … */
const ofCopy: AdviceMaker = (wrong) =>
  indexOf(wrong, keyword.To) < 0
    ? { advice: 'rows come in by percolite import, or POST /v1/tables/{table}/rows' }
    : { advice: 'rows go out by percolite export, or GET /v1/tables/{table}/rows?format=csv' }

function all(words: string, advice: Advice | AdviceMaker): Array<readonly [string, typeof advice]> {
  return words.split(' ').map((word) => [word, advice] as const)
}

const FIRST_WORDS: ReadonlyMap<string, Advice | AdviceMaker> = new Map([
  ...all('START', ofStart),
  ...all('END', { advice: 'a transaction ends with', rewritten: 'COMMIT' }),
  ...all('ABORT', { advice: 'a transaction is given up with', rewritten: 'ROLLBACK' }),
  ...all('SAVEPOINT RELEASE', { advice: NO_SAVEPOINT }),
  ...all('XA', { advice: 'a transaction commits in one step: COMMIT' }),
  ...all('DESC', ofDesc),
  ...all('TRUNCATE', ofTruncate),
  ...all('RENAME', ofRename),
  ...all('COUNT SUM MIN MAX AVG', ofAggregate),
  ...all('TABLE FROM', ofWholeTable),
  ...all('(', ofParenthesis),
  ...all('VALUES', { advice: NO_TABLE_FUNCTION }),
  ...all('WITH', { advice: `there is no WITH: ${NO_SUBQUERY}` }),
  ...all('\\', ofBackslash),
  ...all('.', ofDot),
  ...all('/', { advice: 'a comment begins with --' }),
  ...all('USE ATTACH DETACH', {
    advice: 'there is one database: its tables are shown by',
    rewritten: TABLES,
  }),
  ...all('PRAGMA', ofPragma),
  ...all('RESET DISCARD', { advice: NO_SESSION }),
  ...all('HELP EXIT QUIT SOURCE DELIMITER', {
    advice:
      'this is for a shell, such as percolite shell; a statement begins with GET, SCAN, SET, INSERT, DELETE, CREATE …',
  }),
  ...all('KILL', {
    advice: 'a request is ended by DELETE /v1/running/{id}; GET /v1/running lists them',
  }),
  ...all('LOCK UNLOCK', {
    advice: 'nothing is locked ahead: GET … FOR UPDATE guards the rows that a decision rests on',
  }),
  ...all('VACUUM ANALYZE REINDEX OPTIMIZE CLUSTER CHECKPOINT', {
    advice: 'there is nothing to tidy up: old versions are collected by the server',
  }),
  ...all('REPAIR', {
    advice: 'what is stored is looked through by GET /v1/check, or percolite check',
  }),
  ...all('REFRESH', {
    advice: 'there are no views: keep the text of the SCAN, or let an observer fill a table',
  }),
  ...all('COMMENT', {
    advice: 'comments are written as -- or /* */, and not kept: a table of your own can hold them',
  }),
  ...all('CALL EXEC DO', {
    advice: 'there are no procedures: send the statements in one request, which is a transaction',
  }),
  ...all('COPY LOAD IMPORT', ofCopy),
  ...all('PREPARE EXECUTE DEALLOCATE', {
    advice: 'a text with parameters is prepared by itself: send it again with others',
  }),
  ...all('DECLARE FETCH CLOSE OPEN HANDLER', {
    advice: 'a SCAN is answered by the page: follow its cursor',
  }),
  ...all('REPLACE UPSERT', foreignUpsert),
  ...all('MERGE', { advice: UPSERT }),
])
