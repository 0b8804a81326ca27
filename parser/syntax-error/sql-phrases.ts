// SPDX-License-Identifier: Apache-2.0

import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import { type Advice, type Habit, rewrite, type WrongStatement } from './wrong-statement.ts'

// Words of other databases around the mistake, and what stands there instead.

/**
 * Tokens in capitals: `_` is any of them, `'` a text and `0` an integer, which the words instead have as $1, $2 and so
 * on. The words instead are null where there are none: then the advice says what to do.
 */
type Phrases = {
  readonly advice: string
  readonly words: Readonly<Record<string, string | null>>
}

const BY_WORDS =
  "a text with all of some words is text MATCH 'words', and words that begin so end in *"

const ANYWHERE: readonly Phrases[] = [
  {
    advice: 'IS is followed by NULL or NOT NULL, and = by TRUE or FALSE',
    words: {
      'IS TRUE': '= TRUE',
      'IS FALSE': '= FALSE',
      'IS UNKNOWN': 'IS NULL',
      'IS NOT UNKNOWN': 'IS NOT NULL',
      ISNULL: 'IS NULL',
      NOTNULL: 'IS NOT NULL',
      'NOT NULL': 'IS NOT NULL',
    },
  },
  {
    advice: 'say what NULL counts for: coalesce(a, FALSE) = FALSE',
    words: { 'IS NOT TRUE': null, 'IS NOT FALSE': null },
  },
  {
    advice: 'a comparison with NULL is unknown: write a = b OR (a IS NULL AND b IS NULL)',
    words: { 'IS DISTINCT FROM': null, 'IS NOT DISTINCT FROM': null, '<= >': null },
  },
  {
    advice: BY_WORDS,
    words: {
      "MATCH ( _ ) AGAINST ( ' )": '$1 MATCH $2',
      "MATCH ( _ ) AGAINST ( ' IN BOOLEAN MODE )": '$1 MATCH $2',
      "MATCH ( _ ) AGAINST ( ' IN NATURAL LANGUAGE MODE )": '$1 MATCH $2',
      "TO_TSVECTOR ( ' , _ ) @ @ _ ( ' , ' )": '$2 MATCH $5',
      "TO_TSVECTOR ( _ ) @ @ _ ( ' )": '$1 MATCH $3',
      "_ @ @ _ ( ' )": '$1 MATCH $3',
      AGAINST: null,
      '@ @ _': null,
    },
  },
  {
    advice:
      'a pattern is LIKE with % and _, words are found by MATCH, and there are no regular expressions',
    words: { SIMILAR: null, REGEXP: null, RLIKE: null, GLOB: null, '! ~': null, '_ ~': null },
  },
  {
    advice: "LIKE has no escape: position('%', a) > 0 finds the character itself",
    words: { ESCAPE: null },
  },
  { advice: 'LIKE minds the case', words: { "LIKE BINARY '": 'LIKE $1' } },
  {
    advice: 'texts are compared as they are: lower(…) on both sides ignores case',
    words: { COLLATE: null },
  },
  {
    advice: 'conditions are joined by AND and OR, and turned round by NOT',
    words: { '& &': 'AND', '!': 'NOT' },
  },
  { advice: 'one of two and not both is (a OR b) AND NOT (a AND b)', words: { XOR: null } },
  { advice: 'INTEGERs are divided by / and %', words: { DIV: '/', MOD: '%' } },
  {
    advice: 'there are no powers, and no operators on bits',
    words: { '^': null, '* *': null, '&': null, '|': null, '< <': null, '> >': null, '~': null },
  },
  {
    advice: 'FOR UPDATE guards rows, and nothing waits',
    words: {
      'FOR SHARE': 'FOR UPDATE',
      'FOR NO KEY UPDATE': 'FOR UPDATE',
      'LOCK IN SHARE MODE': 'FOR UPDATE',
      'SKIP LOCKED': '',
      NOWAIT: '',
      'WITH ( NOLOCK )': '',
    },
  },
  { advice: 'all rows need no word', words: { 'LIMIT ALL': '', 'SCAN ALL _': 'SCAN $1' } },
  {
    advice: 'a key is chosen by USE INDEX name or USE PRIMARY KEY',
    words: {
      'FORCE INDEX ( _ )': 'USE INDEX $1',
      'INDEXED BY _': 'USE INDEX $1',
      'NOT INDEXED': 'USE PRIMARY KEY',
    },
  },
  { advice: 'a number of rows is given by LIMIT', words: { 'FETCH FIRST ROW ONLY': 'LIMIT 1' } },
  { advice: 'a table has no others below it', words: { 'FROM ONLY _': 'FROM $1' } },
  {
    advice: 'the past is read AS OF a time',
    words: { 'AS OF SYSTEM TIME': null, 'FOR SYSTEM_TIME AS OF': 'AS OF' },
  },
  {
    advice: 'there are no samples: LIMIT takes the first rows of a key',
    words: { TABLESAMPLE: null },
  },
  {
    advice: 'each grouping is a statement of its own',
    words: { 'WITH ROLLUP': null, 'GROUPING SETS': null },
  },
  { advice: 'a time is in UTC: add the offset as an INTERVAL', words: { 'AT TIME ZONE': null } },
  {
    advice: 'rows are written to files by percolite export',
    words: { 'INTO OUTFILE': null, 'INTO DUMPFILE': null },
  },
  {
    advice:
      'there are no variables of a session: INTO :name at the end gives values to later statements',
    words: { 'INTO _': null, '@': null },
  },
  {
    advice: 'a value gets another type by a cast',
    words: {
      "DATE '": '$1::DATE',
      "TIMESTAMP '": '$1::TIMESTAMP',
      "DATETIME '": '$1::TIMESTAMP',
      "TIMESTAMPTZ '": '$1::TIMESTAMP',
      "JSON '": '$1::JSON',
      "JSONB '": '$1::JSON',
    },
  },
  { advice: 'a text has no prefix', words: { "N '": '$1' } },
  {
    advice:
      'a text has no escapes by backslash: write the character itself, or send it as a parameter',
    words: { "E '": null, "U & '": null },
  },
  { advice: "bytes are pairs of hexadecimal digits, x'0aff'", words: { "B '": null } },
  { advice: 'texts are joined by ||', words: { "' '": '$1 || $2' } },
  { advice: 'a text stands in single quotes', words: { '$ $': null } },
  { advice: 'a parameter is $1, $2, … or :name', words: { '{ _ }': ':$1', '% S': null } },
  { advice: 'a value is assigned by =', words: { ': =': '=' } },
  {
    advice: 'an assignment names the column on both sides',
    words: { '_ + =': '$1 = $1 +', '_ - =': '$1 = $1 -', '_ * =': '$1 = $1 *' },
  },
  { advice: 'VALUES stands alone', words: { 'VALUES ROW': 'VALUES' } },
  { advice: 'a list is a parameter, IN :values, or JSON', words: { 'ARRAY [': null } },
  {
    advice: 'a member of a JSON is read by ->',
    words: { "_ [ ' ]": '$1 -> $2', '_ [ 0 ]': '$1 -> $2' },
  },
  {
    advice: 'the smaller bound comes first',
    words: { 'BETWEEN SYMMETRIC _ AND _': 'BETWEEN least($1, $2) AND greatest($1, $2)' },
  },
  {
    advice: 'what is stored is looked through by GET /v1/check, or percolite check',
    words: { 'CHECK TABLE _': null },
  },
  {
    advice: 'a part of a JSON is asked by -> and @>',
    words: { '@ ?': null, "? '": null, '< @': null, '<@': null, '# -': null },
  },
]

const IN_DEFINITIONS: readonly Phrases[] = [
  { advice: 'texts are compared as they are', words: { 'COLLATE _': '' } },
  { advice: 'a comment is written as -- or /* */, and not kept', words: { "COMMENT '": '' } },
  { advice: 'a column may be NULL where NOT NULL does not forbid it', words: { NULL: '' } },
  {
    advice: 'a SET names the time that it changes: SET …, changed = now() ON …',
    words: { 'ON UPDATE NOW ( )': '' },
  },
  { advice: 'what becomes of a duplicate is said by the INSERT', words: { 'ON CONFLICT _': '' } },
  { advice: 'a column of several values is JSON', words: { '_ [ ]': 'JSON', '_ ARRAY': 'JSON' } },
  {
    advice: 'UNIQUE is a constraint',
    words: { 'UNIQUE KEY _': 'CONSTRAINT $1 UNIQUE', 'UNIQUE INDEX _': 'CONSTRAINT $1 UNIQUE' },
  },
  {
    advice: 'only CHECK and UNIQUE have a name',
    words: { 'CONSTRAINT _ PRIMARY KEY (': 'PRIMARY KEY (' },
  },
  {
    advice: 'what is there already, or not there, is an error',
    words: {
      'ADD COLUMN IF NOT EXISTS': 'ADD COLUMN',
      'DROP COLUMN IF EXISTS': 'DROP COLUMN',
      'ALTER TABLE IF EXISTS': 'ALTER TABLE',
      'OR REPLACE': '',
    },
  },
  { advice: 'columns are read by name, in whatever order', words: { 'AFTER _': '', FIRST: '' } },
  {
    advice: 'ALTER TABLE says COLUMN',
    words: {
      'ALTER _ SET': 'ALTER COLUMN $1 SET',
      'ALTER _ DROP': 'ALTER COLUMN $1 DROP',
      'RENAME _ TO': 'RENAME COLUMN $1 TO',
    },
  },
  { advice: 'a new name follows TO', words: { 'RENAME AS': 'RENAME TO' } },
  { advice: 'a column that something needs is not dropped', words: { CASCADE: '', RESTRICT: '' } },
  {
    advice: 'a table keeps its primary key: create another one with the new key, and copy the rows',
    words: { 'ADD PRIMARY KEY': null, 'DROP PRIMARY KEY': null },
  },
  {
    advice: 'ALTER TABLE changes columns, checks and names, and there is nothing else to set',
    words: { OWNER: null, 'SET SCHEMA': null, ENGINE: null },
  },
  {
    advice: 'an index of the words of a text has WORDS',
    words: {
      'FULLTEXT INDEX _ ON _ ( _ )': 'INDEX $1 ON $2 (WORDS $3)',
    },
  },
  { advice: 'there is no other kind of index', words: { FULLTEXT: '', SPATIAL: '' } },
  {
    advice: 'a default is a literal, now() or uuid()',
    words: { 'DEFAULT ( _ )': 'DEFAULT $1', 'DEFAULT _ ( )': null },
  },
  {
    advice: 'a default is a literal, now() or uuid()',
    words: { 'DEFAULT ( NOW ( ) )': 'DEFAULT now()', 'DEFAULT ( UUID ( ) )': 'DEFAULT uuid()' },
  },
  {
    advice: 'a default is a literal, now() or uuid()',
    words: { 'DEFAULT (': null, "DEFAULT _ ( '": null },
  },
]

/** The first phrase that the mistake is in. */
export const foreignPhrase: Habit = (wrong) => {
  const first = wrong.tokens[0]?.tokenType
  const isDefinition = first === keyword.Create || first === keyword.Alter
  return (isDefinition ? found(wrong, IN_DEFINITIONS) : undefined) ?? found(wrong, ANYWHERE)
}

function found(wrong: WrongStatement, table: readonly Phrases[]): Advice | undefined {
  for (const { advice, words } of table) {
    for (const [phrase, instead] of Object.entries(words)) {
      const parts = phrase.split(' ')
      const start = startOf(wrong, parts)
      if (start === undefined) continue
      if (instead === null) return { advice }
      const rewritten = rewrite(wrong, replacing(wrong, { start, parts, instead }))
      // A word alone may as well be a name.
      return { advice, rewritten, onlyRewritten: /^\w+$/.test(phrase) }
    }
  }
  return undefined
}

/** The number of the token where the words begin that the mistake is one of. */
function startOf(wrong: WrongStatement, parts: readonly string[]): number | undefined {
  for (let start = wrong.at; start > wrong.at - parts.length && start >= 0; start -= 1) {
    const from = start
    if (parts.every((part, index) => isPart(wrong, from + index, part))) return start
  }
  return undefined
}

function isPart({ tokens }: WrongStatement, index: number, part: string): boolean {
  const found = tokens[index]
  if (found === undefined) return false
  if (part === '_') return true
  if (part === "'") return found.tokenType === token.Text
  if (part === '0') return found.tokenType === token.Integer
  return found.image.toUpperCase() === part
}

type Replacement = {
  readonly start: number
  readonly parts: readonly string[]
  readonly instead: string
}

function replacing(
  { tokens }: WrongStatement,
  { start, parts, instead }: Replacement,
): Map<number, string> {
  const wild = parts.flatMap((part, index) =>
    WILD.has(part) ? [tokens[start + index]?.image ?? ''] : [],
  )
  const text = instead.replace(/\$(\d)/g, (_, number) => wild[Number(number) - 1] ?? '')
  return new Map(parts.map((_, index) => [start + index, index === 0 ? text : '']))
}

const WILD: ReadonlySet<string> = new Set(['_', "'", '0'])
