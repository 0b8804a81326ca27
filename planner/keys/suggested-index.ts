// SPDX-License-Identifier: Apache-2.0

import type { Expression } from '../../parser/ast.ts'
import { STORAGE_LIMITS } from '../../storage/storage.ts'
import { columnPosition, freeName, type TableDefinition } from '../../storage/tables/tables.ts'
import { expressionText, nameText } from '../expressions/expression-text.ts'
import { isMatch } from '../expressions/match-pattern.ts'
import { rowOf } from '../row-parts.ts'
import type { AccessQuestion } from './access-path.ts'
import { keyOfIndex, partText } from './candidate-key.ts'
import { termsOf } from './key-condition.ts'
import { columnOfTerm, type KeyTerm, termOf, termText, wordsIn } from './key-term.ts'

type Part = { readonly term: KeyTerm; readonly descending: boolean }

/**
 * The CREATE INDEX statement of an index by which the statement could run: columns fixed by = first,
 * then those of the order or the groups, or else one with a range. Undefined when none would do.
 */
export function suggestedIndex(question: AccessQuestion): string | undefined {
  const { hasWhere, conditions } = question
  const [first] = partsOf(question)
  const bounded = conditions.some(({ term }) => term === first?.term)
  return hasWhere && !bounded ? undefined : creationOf(question)?.text
}

/** Which index gives the order or the groups, also where the WHERE does not bound it: that has to be said then. */
export function orderIndexText(question: AccessQuestion): string {
  const index = creationOf(question)
  if (index === undefined) return ''
  if (suggestedIndex(question) !== undefined) return ` An index gives it: ${index.text}.`
  return ` ${index.text} gives it, where USE INDEX ${nameText(index.name)} says that all of it may be walked.`
}

function partsOf(question: AccessQuestion): readonly Part[] {
  const wanted = distinct([...fixedParts(question), ...followingParts(question)])
  return withoutKeyAtEnd(wanted, question.table)
}

function creationOf(
  question: AccessQuestion,
): { readonly name: string; readonly text: string } | undefined {
  const { table } = question
  const parts = partsOf(question)
  if (parts.length === 0) return undefined
  const terms = parts.map(({ term }) => term)
  if (!terms.every((term) => mayBePart(table, term))) return undefined
  const list = parts.map(({ term, descending }) => {
    return partText({ text: termText(table, term), descending })
  })
  const name = nameOf(table, terms)
  const text = `CREATE INDEX ${nameText(name)} ON ${nameText(table.name)} (${list.join(', ')})`
  return { name, text }
}

/** The same of a unique index on these. */
export function suggestedUniqueIndex(
  table: TableDefinition,
  terms: readonly KeyTerm[],
): string | undefined {
  if (!terms.every((term) => mayBePart(table, term))) return undefined
  const list = terms.map((term) => termText(table, term)).join(', ')
  const name = nameText(nameOf(table, terms))
  return `CREATE UNIQUE INDEX ${name} ON ${nameText(table.name)} (${list})`
}

/** Which index would find the rows that a MATCH filters; undefined where there is one, or no MATCH of a column. */
export function wordsHint(
  table: TableDefinition,
  conjuncts: readonly Expression[],
): string | undefined {
  for (const condition of conjuncts) {
    if (condition.kind !== 'binary' || !isMatch(condition)) continue
    const on = termOf(rowOf(table), condition.first)
    if (on?.type !== 'TEXT') continue
    const term = wordsIn(on.term)
    const parts = table.indexes.flatMap((index) => keyOfIndex(table, index).parts)
    if (parts.some((part) => part.term === term)) continue
    const name = nameText(nameOf(table, [term]))
    const create = `CREATE INDEX ${name} ON ${nameText(table.name)} (${termText(table, term)})`
    return `${create} bounds ${expressionText(condition)}`
  }
  return undefined
}

/** Columns of tables that are looked up stand after those of the table, and JSON, without an order, is in no key. */
function mayBePart(table: TableDefinition, term: KeyTerm): boolean {
  const column = table.columns[columnOfTerm(term)]
  if (column === undefined) return false
  if (typeof term === 'number') return column.type !== 'JSON'
  return Buffer.byteLength(term) <= STORAGE_LIMITS.nameBytesMax
}

function fixedParts({ conditions, table }: AccessQuestion): readonly Part[] {
  return conditions
    .filter((condition) => condition.kind === 'points' && !condition.several)
    .filter(({ term }) => mayBePart(table, term))
    .map(({ term }) => ({ term, descending: false }))
}

function followingParts({ orderBy, groupBy, conditions }: AccessQuestion): readonly Part[] {
  const ordered = [...orderBy, ...(groupBy ?? []).map((term) => ({ term, descending: false }))]
  if (ordered.length > 0) return ordered
  const several = conditions.find(({ kind }) => kind === 'points')
  const range = conditions.find(({ kind }) => kind !== 'points')
  return [several, range].flatMap((condition) =>
    condition === undefined ? [] : termsOf(condition).map((term) => ({ term, descending: false })),
  )
}

/** After its columns, an index is in the order of the primary key in any case. */
function withoutKeyAtEnd(parts: readonly Part[], table: TableDefinition): readonly Part[] {
  const key = table.primaryKey.map(({ columnId, descending }) => ({
    term: columnPosition(table, columnId),
    descending,
  }))
  for (let count = 1; count < parts.length; count += 1) {
    const rest = parts.slice(count)
    const isKey = rest.every(({ term, descending }, position) => {
      return key[position]?.term === term && key[position].descending === descending
    })
    if (isKey) return parts.slice(0, count)
  }
  return parts
}

/** A column that is fixed orders nothing any more. */
function distinct(parts: readonly Part[]): readonly Part[] {
  const first = new Map<KeyTerm, Part>()
  for (const part of parts) if (!first.has(part.term)) first.set(part.term, part)
  return [...first.values()]
}

/** For example tradeBySymbolTime, with a number after it when the table has an index of that name. */
function nameOf(table: TableDefinition, terms: readonly KeyTerm[]): string {
  const words = terms.flatMap((term) => wordsOf(table, term))
  const capitalized = words.map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
  return freeName(`${table.name}By${capitalized.join('')}`, table.indexes)
}

/** The name of the column, and of a path what it has of names and numbers. */
function wordsOf(table: TableDefinition, term: KeyTerm): readonly string[] {
  const name = table.columns[columnOfTerm(term)]?.name ?? ''
  if (typeof term === 'number') return [name]
  return [name, ...term.replace(/^\d+/, '').split(/[^\p{L}\p{N}]+/u)]
}
