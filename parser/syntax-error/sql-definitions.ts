// SPDX-License-Identifier: Apache-2.0

import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import {
  type Advice,
  indexOf,
  listAt,
  piece,
  rewrite,
  type WrongStatement,
} from './wrong-statement.ts'

/** How other databases define tables and indexes, and show what they have. */
export function foreignDefinition(wrong: WrongStatement): Advice | undefined {
  switch (wrong.tokens[0]?.tokenType) {
    case keyword.Create:
      return indexOf(wrong, keyword.Index) === 1 || wrong.tokens[1]?.tokenType === keyword.Unique
        ? ofCreateIndex(wrong)
        : ofCreateTable(wrong)
    case keyword.Alter:
      return ofAlter(wrong)
    case keyword.Drop:
      return ofDrop(wrong)
    case keyword.Show:
      return ofShow(wrong)
    case keyword.Describe:
      return wrong.at === 2 && wrong.tokens[1]?.tokenType === keyword.Table
        ? { advice: 'DESCRIBE stands alone', rewritten: `DESCRIBE ${piece(wrong, 2)}` }
        : undefined
    default:
      return undefined
  }
}

function ofCreateIndex(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  const index = indexOf(wrong, keyword.Index)
  if (index < 0) {
    const rewritten = `CREATE UNIQUE INDEX ${piece(wrong, 2)}`
    return { advice: 'UNIQUE is said of an index', rewritten, onlyRewritten: true }
  }
  const without = (from: number, count: number) =>
    rewrite(wrong, new Map(Array.from({ length: count }, (_, each) => [from + each, ''])))
  const before = tokens[at - 1]?.image.toUpperCase()
  if (before === 'CONCURRENTLY') {
    const advice = 'an index is always built while others read and write'
    return { advice, rewritten: without(at - 1, 1) }
  }
  if (tokens[at]?.tokenType === keyword.On && at === index + 1) {
    const name = [tokens[at + 1]?.image, ...listAt(wrong, at + 2)].join('_')
    const rewritten = rewrite(wrong, new Map([[at, `${name.replace(/ (ASC|DESC)\b/gi, '')} ON`]]))
    return { advice: 'an index has a name', rewritten }
  }
  switch (tokens[at]?.image.toUpperCase()) {
    case 'USING':
      return { advice: 'there is one kind of index, and it is ordered', rewritten: without(at, 2) }
    case 'INCLUDE':
      return {
        advice: 'INCLUDE is written STORING',
        rewritten: rewrite(wrong, new Map([[at, 'STORING']])),
      }
    case 'WHERE':
      return { advice: 'an index holds every row of its table', rewritten: piece(wrong, 0, at) }
    case '(':
    case '->':
    case '->>':
    case '#>>':
      return { advice: 'an index is over columns: keep what is computed in a column of its own' }
    default:
      return undefined
  }
}

function ofCreateTable(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  const word = tokens[at]?.image.toUpperCase() ?? ''
  if (GENERATES.has(word)) return ofGeneratedKey(wrong)
  const other = ofOtherObject(wrong)
  if (other !== undefined) return other
  if (word !== '(') return CONSTRAINTS.get(word)
  // FOREIGN KEY (a) in the list of columns looks like a column of a strange type.
  const before = piece(wrong, at - 2, at).toUpperCase()
  return before === 'FOREIGN KEY' ? CONSTRAINTS.get('REFERENCES') : undefined
}

const CONSTRAINTS: ReadonlyMap<string, Advice> = new Map(
  Object.entries({
    REFERENCES:
      'there are no foreign keys; GET … FOR UPDATE guards the other row, or CHECK tests it, in the same transaction',
    CHECK: 'the condition of a CHECK stands in parentheses',
    CONSTRAINT: 'only CHECK and UNIQUE have a name',
    NULL: 'a column may be NULL where NOT NULL does not forbid it',
  }).map(([word, advice]) => [word, { advice }] as const),
)

const GENERATES: ReadonlySet<string> = new Set(['AUTOINCREMENT', 'AUTO_INCREMENT', 'GENERATED'])

const GENERATED_KEY = 'keys that nobody chooses are made by DEFAULT uuid(), of the type TEXT'

/** id INTEGER PRIMARY KEY AUTOINCREMENT, id SERIAL PRIMARY KEY -> id TEXT PRIMARY KEY DEFAULT uuid() */
export function ofGeneratedKey(
  wrong: Pick<WrongStatement, 'text' | 'tokens' | 'at'>,
  others: ReadonlyMap<number, string> = new Map(),
): Advice & { readonly rewritten: string } {
  const { tokens, at } = wrong
  const isEdge = (index: number) => {
    const type = tokens[index]?.tokenType
    return type === token.Comma || type === token.LeftParenthesis || type === token.RightParenthesis
  }
  let name = at
  while (name > 0 && !isEdge(name - 1)) name -= 1
  let end = at
  while (end < tokens.length && !isEdge(end)) end += 1
  const isKey = tokens.slice(name, end).some(({ tokenType }) => tokenType === keyword.Primary)
  const column = `${tokens[name]?.image} TEXT${isKey ? ' PRIMARY KEY' : ''} DEFAULT uuid()`
  const replaced = new Map([...others, [name, column]])
  for (let index = name + 1; index < end; index += 1) replaced.set(index, '')
  return { advice: GENERATED_KEY, rewritten: rewrite(wrong, replaced) }
}

/** CREATE DATABASE, CREATE VIEW, CREATE TEMP TABLE … */
function ofOtherObject(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  const word = tokens[1]?.image.toUpperCase() ?? ''
  if (at === 3 && tokens[1]?.tokenType === keyword.Table && tokens[3]?.tokenType === keyword.As) {
    return { advice: 'a table is created with its columns, and filled by INSERT' }
  }
  if (at !== 1) return undefined
  switch (word) {
    case 'DATABASE':
    case 'SCHEMA':
      return { advice: 'there is one database, and it is there already: CREATE TABLE' }
    case 'TEMP':
    case 'TEMPORARY':
    case 'UNLOGGED':
      return { advice: 'every table stays', rewritten: `CREATE ${piece(wrong, 2)}` }
    case 'VIEW':
    case 'MATERIALIZED':
      return {
        advice: 'there are no views: keep the text of the SCAN, or let an observer fill a table',
      }
    case 'SEQUENCE':
      return { advice: GENERATED_KEY }
    case 'FUNCTION':
    case 'PROCEDURE':
      return { advice: 'there are no functions of your own: observers run code when rows change' }
    case 'TYPE':
    case 'DOMAIN':
      return {
        advice: 'there are no types of your own: a CHECK of the table says what a column may hold',
      }
    case 'USER':
    case 'LOGIN':
      return {
        advice:
          'who may do what is said of a role, which a token has: CREATE TOKEN … ROLE … EXPIRES IN …',
      }
    case 'POLICY':
      return { advice: ROW_RULE }
    default:
      return undefined
  }
}

const ROW_RULE =
  'which rows a role may read or write is said by its rights: GRANT READ ON table TO role WHERE condition'

function ofAlter(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  const word = tokens[at]?.image.toUpperCase() ?? ''
  const before = tokens[at - 1]?.tokenType
  const isAdded = before === keyword.Add || tokens[at - 2]?.tokenType === keyword.Constraint
  if (isAdded && ['INDEX', 'UNIQUE', 'KEY'].includes(word)) {
    return { advice: 'an index is added by CREATE [UNIQUE] INDEX name ON table (column, …)' }
  }
  if (isAdded && word === 'FOREIGN') return CONSTRAINTS.get('REFERENCES')
  if (at === 4 && (before === keyword.Add || before === keyword.Drop)) {
    const rewritten = `${piece(wrong, 0, at)} COLUMN ${piece(wrong, at)}`
    return { advice: 'ALTER TABLE says COLUMN', rewritten, onlyRewritten: true }
  }
  switch (word) {
    case 'ENABLE':
    case 'FORCE':
      return piece(wrong, at).toUpperCase().includes('ROW LEVEL') ? { advice: ROW_RULE } : undefined
    case 'TYPE':
    case 'MODIFY':
    case 'CHANGE':
      return { advice: 'a column keeps its type: add another one, fill it, and drop this one' }
    case ',':
      return { advice: 'ALTER TABLE changes one column: write a statement for each' }
    default:
      return undefined
  }
}

function ofDrop(wrong: WrongStatement): Advice | undefined {
  const word = wrong.tokens[wrong.at]?.image.toUpperCase()
  const rewritten = piece(wrong, 0, wrong.at)
  if (word === 'ON') {
    const what = indexOf(wrong, keyword.Observer) === 1 ? 'an observer' : 'an index'
    return { advice: `the name of ${what} is enough`, rewritten }
  }
  if (word !== 'CASCADE' && word !== 'RESTRICT') return undefined
  return {
    advice: 'nothing depends on a table but its indexes and observers, which go with it',
    rewritten,
  }
}

function ofShow(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  const words = piece(wrong, 1).toUpperCase()
  const last = tokens.at(-1)?.image
  if (/^(DATABASES|SCHEMAS)\b/.test(words) || /^TABLES \S/.test(words)) {
    return { advice: 'tables are shown by', rewritten: 'SHOW TABLES' }
  }
  if (/^(INDEX|INDEXES|INDICES|KEYS)\b/.test(words) && tokens.length > 2) {
    return { advice: 'indexes are shown of a table', rewritten: `SHOW INDEXES FROM ${last}` }
  }
  if (at === 1 && /^COLUMNS (FROM|IN)\b/.test(words)) {
    return { advice: 'a table is shown by', rewritten: `DESCRIBE ${last}` }
  }
  return undefined
}
