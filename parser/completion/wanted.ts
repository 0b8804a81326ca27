// SPDX-License-Identifier: Apache-2.0
import type { IToken, TokenType } from 'chevrotain'
import { TYPE_NAMES } from '../builders/type-names.ts'
import * as keyword from '../grammar/keywords.ts'
import { IntervalMark } from '../grammar/tokens.ts'
import type { Expectation, ExpectedToken } from '../syntax-error/expected-tokens.ts'
import { keywordOf } from '../syntax-error/expected-words.ts'

/** Words of the dialect, or a name of something that the catalog has. */
export type Wanted =
  | { readonly kind: 'keyword' | 'type'; readonly text: string }
  | { readonly kind: 'table' | 'column' | 'index' | 'observer' | 'schedule' | 'function' }

/** What rules of names ask for. Names of roles and tokens are not for all to know, and labels are new. */
const NAMES: Readonly<Record<string, ReadonlyArray<Wanted['kind']>>> = {
  tableName: ['table'],
  columnName: ['column'],
  columnOrCall: ['column', 'function'],
  indexName: ['index'],
  observerName: ['observer'],
  scheduleName: ['schedule'],
}

const CONSTANTS = ['NULL', 'TRUE', 'FALSE']
/** The only calls that a default may be. */
const DEFAULT_CALLS = ['now()', 'uuid()']

/** Each once, in the order of the grammar. */
export function wantedAfter(
  written: readonly IToken[],
  { expected }: Expectation,
): readonly Wanted[] {
  const types = written.map(({ tokenType }) => tokenType)
  const wanted = expected.flatMap((each) => wantedAs(each, types))
  return [...new Map(wanted.map((each) => [JSON.stringify(each), each])).values()]
}

function wantedAs(expected: ExpectedToken, written: readonly TokenType[]): readonly Wanted[] {
  const { type, rule } = expected
  if (type === keyword.Literal) return keywords(CONSTANTS)
  if (type === IntervalMark) return keywords(['INTERVAL'])
  if (type === keyword.Name) {
    if (rule === 'defaultValue') return keywords(DEFAULT_CALLS)
    if (rule === 'typeName') return TYPE_NAMES.map((text) => ({ kind: 'type', text }))
    const kinds = NAMES[rule] ?? []
    return kinds.filter((kind) => !isNew(kind, written)).map((kind) => ({ kind }) as Wanted)
  }
  const text = keywordOf(expected)
  return text === undefined ? [] : [{ kind: 'keyword', text }]
}

function keywords(texts: readonly string[]): readonly Wanted[] {
  return texts.map((text) => ({ kind: 'keyword', text }))
}

/** Whether a name of this kind is given here, and not looked up, or cannot stand here. */
function isNew(kind: Wanted['kind'], written: readonly TokenType[]): boolean {
  const [first, second] = written
  if (kind === 'column' && written.at(-1) === keyword.Column) return written.at(-2) === keyword.Add
  if (kind === 'column' && isInValues(written)) return true
  if (first !== keyword.Create) return false
  if (kind === 'index' || kind === 'schedule') return true
  // A schedule runs one that is there.
  if (kind === 'observer') return written.at(-1) !== keyword.Run
  return second === keyword.Table && (kind === 'table' || kind === 'column')
}

/** There is no row yet. */
function isInValues(written: readonly TokenType[]): boolean {
  const isAfter = written.includes(keyword.Returning) || written.includes(keyword.Conflict)
  return written.includes(keyword.Values) && !isAfter
}
