// SPDX-License-Identifier: Apache-2.0
import type { IndexDefinition, TableDefinition } from '../../storage/tables/tables.ts'
import { nameText } from '../expressions/expression-text.ts'
import { type CandidateKey, candidateKeys } from './candidate-key.ts'
import type { KeyTerm } from './key-term.ts'

/** The primary key, and the unique indexes that are ready. */
export function uniqueKeys(table: TableDefinition): readonly CandidateKey[] {
  return candidateKeys(table).filter(({ unique }) => unique)
}

/** The one of exactly these parts, in whatever order. */
export function uniqueKeyOf(
  table: TableDefinition,
  terms: ReadonlySet<KeyTerm>,
): CandidateKey | undefined {
  return uniqueKeys(table).find(
    ({ parts }) => parts.length === terms.size && parts.every(({ term }) => terms.has(term)),
  )
}

/** An index that is on its way may be the one that is missed. */
export function buildingHint(indexes: readonly IndexDefinition[]): string {
  const building = indexes.filter(({ state }) => state === 'building')
  if (building.length === 0) return ''
  return ` Still being built: ${building.map(({ name }) => nameText(name)).join(', ')}.`
}

/** The same of unique ones alone. */
export function uniqueBuildingHint({ indexes }: TableDefinition): string {
  return buildingHint(indexes.filter(({ unique }) => unique))
}
