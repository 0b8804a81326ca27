// SPDX-License-Identifier: Apache-2.0

import * as keyword from '../grammar/keywords.ts'
import * as token from '../grammar/tokens.ts'
import { foreignObject, foreignShow, ROW_RULE } from './definitions/sql-objects.ts'
import { foreignTableClause } from './definitions/sql-table-clauses.ts'
import {
  type Advice,
  indexOf,
  listAt,
  partsOf,
  piece,
  rewrite,
  type WrongStatement,
} from './wrong-statement.ts'

/** How other databases define tables and indexes, and show what they have. */
export function foreignDefinition(wrong: WrongStatement): Advice | undefined {
  const object = foreignObject(wrong)
  if (object !== undefined) return object
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
      return foreignShow(wrong)
    case keyword.Describe:
      return wrong.at === 2 && wrong.tokens[1]?.tokenType === keyword.Table
        ? { advice: 'DESCRIBE stands alone', rewritten: `DESCRIBE ${piece(wrong, 2)}` }
        : {
            advice: 'DESCRIBE names a table, and shows all its columns',
            rewritten: piece(wrong, 0, 2),
          }
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
      return ofComputedPart(wrong)
    default:
      return undefined
  }
}

/** Other databases write `((meta->>'city'))`, and `(lower(name))`. */
function ofComputedPart(wrong: WrongStatement): Advice {
  const { tokens, at } = wrong
  const [part = ''] = listAt(wrong, at)
  const before = tokens[at - 1]?.tokenType
  if ((before === token.LeftParenthesis || before === token.Comma) && PATH.test(part)) {
    const close = tokens.findIndex(
      ({ tokenType }, index) => index > at && tokenType === token.RightParenthesis,
    )
    const rewritten = rewrite(wrong, new Map([at, close].map((each) => [each, ''])))
    return { advice: 'a path into JSON stands in an index without parentheses', rewritten }
  }
  return {
    advice:
      'an index is over columns, paths into JSON ones, and WORDS of a text: keep what is computed in a column of its own',
  }
}

/** A column, and at least one arrow after it. */
const PATH = /^[^'(]*(?:->|#>)/

function ofCreateTable(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  const word = tokens[at]?.image.toUpperCase() ?? ''
  const clause = foreignTableClause(wrong)
  if (clause !== undefined) return clause
  if (GENERATES.has(word)) return ofGeneratedKey(wrong)
  const generated = ofIdentity(wrong)
  if (generated !== undefined) return generated
  if (word !== '(') return CONSTRAINTS.get(word)
  // FOREIGN KEY (a) in the list of columns looks like a column of a strange type.
  const before = piece(wrong, at - 2, at).toUpperCase()
  return before === 'FOREIGN KEY' ? CONSTRAINTS.get('REFERENCES') : undefined
}

const CONSTRAINTS: ReadonlyMap<string, Advice> = new Map(
  Object.entries({
    REFERENCES:
      'there are no foreign keys; GET … FOR UPDATE guards the other row, or CHECK tests it, in the same transaction',
    FOREIGN:
      'there are no foreign keys; GET … FOR UPDATE guards the other row, or CHECK tests it, in the same transaction',
    CONSTRAINT: 'only CHECK and UNIQUE have a name',
  }).map(([word, advice]) => [word, { advice }] as const),
)

const GENERATES: ReadonlySet<string> = new Set(['AUTOINCREMENT', 'AUTO_INCREMENT', 'IDENTITY'])

/** GENERATED … AS IDENTITY (INCREMENT BY 10) */
function ofIdentity({ tokens, at }: WrongStatement): Advice | undefined {
  const isOption = tokens.slice(at - 2, at).some(({ tokenType }) => tokenType === keyword.Identity)
  return isOption ? { advice: 'an identity counts by one, and begins (START WITH n)' } : undefined
}

const GENERATED_KEY = 'numbers that nobody chooses are made by GENERATED BY DEFAULT AS IDENTITY'

/** id INTEGER PRIMARY KEY AUTOINCREMENT, id SERIAL -> id INTEGER GENERATED BY DEFAULT AS IDENTITY [PRIMARY KEY] */
export function ofGeneratedKey(
  wrong: Pick<WrongStatement, 'text' | 'tokens' | 'at'>,
  others: ReadonlyMap<number, string> = new Map(),
): Advice & { readonly rewritten: string } {
  const { tokens, at } = wrong
  const isEnd = (index: number) => {
    const type = tokens[index]?.tokenType
    return type === token.Comma || type === token.RightParenthesis
  }
  const isEdge = (index: number) =>
    isEnd(index) || tokens[index]?.tokenType === token.LeftParenthesis
  let name = at
  while (name > 0 && !isEdge(name - 1)) name -= 1
  let end = at
  for (let depth = 0; end < tokens.length && (depth > 0 || !isEnd(end)); end += 1) {
    if (tokens[end]?.tokenType === token.LeftParenthesis) depth += 1
    if (tokens[end]?.tokenType === token.RightParenthesis) depth -= 1
  }
  const isKey = tokens.slice(name, end).some(({ tokenType }) => tokenType === keyword.Primary)
  const made = `${tokens[name]?.image} INTEGER GENERATED BY DEFAULT AS IDENTITY`
  const column = isKey ? `${made} PRIMARY KEY` : made
  const replaced = new Map([...others, [name, column]])
  for (let index = name + 1; index < end; index += 1) replaced.set(index, '')
  return { advice: GENERATED_KEY, rewritten: rewrite(wrong, replaced) }
}

function ofAlter(wrong: WrongStatement): Advice | undefined {
  const { tokens, at } = wrong
  const word = tokens[at]?.image.toUpperCase() ?? ''
  const before = tokens[at - 1]?.tokenType
  const isAdded = before === keyword.Add || tokens[at - 2]?.tokenType === keyword.Constraint
  if (isAdded && ['INDEX', 'UNIQUE', 'KEY'].includes(word)) return ofAddedIndex(wrong)
  if (at === 4 && before === keyword.Drop && (word === 'INDEX' || word === 'KEY')) {
    return { advice: 'an index is dropped by its name', rewritten: `DROP INDEX ${piece(wrong, 5)}` }
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

/** ALTER TABLE t ADD [CONSTRAINT u] UNIQUE (a), ADD INDEX i (a) -> CREATE [UNIQUE] INDEX … ON t (a) */
function ofAddedIndex(wrong: WrongStatement): Advice {
  const { tokens } = wrong
  const advice = 'an index is added by CREATE [UNIQUE] INDEX name ON table (column, …)'
  const open = indexOf(wrong, token.LeftParenthesis)
  const isUnique = tokens.some(({ tokenType }) => tokenType === keyword.Unique)
  if (open < 0) return { advice }
  const before = tokens[open - 1]
  const constraint = indexOf(wrong, keyword.Constraint)
  const isNamed = before !== undefined && !/^(INDEX|UNIQUE|KEY)$/i.test(before.image)
  const made = [tokens[2]?.image, ...listAt(wrong, open), 'key'].join('_')
  const name = isNamed ? before.image : (tokens[constraint + 1]?.image ?? made)
  const index = `CREATE ${isUnique ? 'UNIQUE ' : ''}INDEX ${constraint < 0 && !isNamed ? made : name}`
  return { advice, rewritten: `${index} ON ${tokens[2]?.image} ${piece(wrong, open)}` }
}

/** DROP TABLE a, b -> DROP TABLE a; DROP TABLE b */
function ofDroppedList(wrong: WrongStatement): Advice {
  const first = piece(wrong, 0, wrong.at - 1)
  const names = [piece(wrong, wrong.at - 1, wrong.at), ...partsOf(wrong, wrong.at + 1)]
  return {
    advice: 'each is dropped by a statement',
    rewritten: names.map((name) => `${first} ${name}`).join('; '),
  }
}

function ofDrop(wrong: WrongStatement): Advice | undefined {
  const word = wrong.tokens[wrong.at]?.image.toUpperCase()
  const rewritten = piece(wrong, 0, wrong.at)
  if (word === 'ON') {
    const what = indexOf(wrong, keyword.Observer) === 1 ? 'an observer' : 'an index'
    return { advice: `the name of ${what} is enough`, rewritten }
  }
  if (word === ',') return ofDroppedList(wrong)
  if (word !== 'CASCADE' && word !== 'RESTRICT') return undefined
  return {
    advice: 'nothing depends on a table but its indexes and observers, which go with it',
    rewritten,
  }
}
