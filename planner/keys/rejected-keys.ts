// SPDX-License-Identifier: Apache-2.0
import type { IndexDefinition, TableDefinition } from '../../storage/tables/tables.ts'
import type { AccessPath, AccessQuestion, Candidate } from './access-path.ts'
import { keyOfIndex, keyText } from './candidate-key.ts'
import { boundsNothing } from './key-range.ts'

/** A key that a statement does not take, and why, for EXPLAIN. */
export type RejectedKey = { readonly key: string; readonly reason: string }

/** Every key of the table but the one of the path, in their order; those that cannot be read last. */
export function rejectedKeys(question: AccessQuestion, path: AccessPath): readonly RejectedKey[] {
  const { candidates, table } = question
  const winner = candidates.find(({ key }) => key === path.bounds.key) as Candidate
  const others = candidates.filter((candidate) => candidate !== winner)
  return [
    ...others.map((candidate) => ({
      key: keyText(candidate.key),
      reason: reasonAgainst(candidate, winner, path.rule),
    })),
    ...unreadableKeys(table),
  ]
}

/** The indexes that no statement may read. */
export function unreadableKeys(table: TableDefinition): readonly RejectedKey[] {
  const unreadable = table.indexes.filter(({ state }) => state !== 'ready')
  return unreadable.map((index) => ({
    key: keyText(keyOfIndex(table, index)),
    reason: whyUnreadable(index),
  }))
}

function whyUnreadable({ state }: IndexDefinition): string {
  return state === 'building' ? 'it is still being built' : 'it could not be built'
}

function reasonAgainst(candidate: Candidate, winner: Candidate, rule: string): string {
  if (rule === 'hint') return 'the hint names another key'
  const { bounds, misses, covering } = candidate
  if (misses === 'member') {
    const isOfWords = candidate.key.parts.some(({ each }) => each === 'words')
    return isOfWords ? 'no MATCH asks for its words' : 'no condition asks for one member'
  }
  if (misses === 'order') return 'it does not give the ORDER BY'
  if (misses === 'groups') return 'it does not give the GROUP BY'
  if (rule === 'full primary key' || rule === 'full unique index') {
    return `the ${rule.slice('full '.length)} leads to the rows without a scan`
  }
  if (rule === 'key prefix' && boundsNothing(bounds)) return 'no condition bounds its first column'
  const [fixed, needed] = [bounds.points.length, winner.bounds.points.length]
  if (fixed < needed) {
    return `${fixed === 0 ? 'none' : `only ${fixed}`} of its columns fixed by = or IN, and ${needed} of the other key's`
  }
  if (bounds.range.length === 0 && winner.bounds.range.length > 0) {
    return 'no range bounds the column after its fixed ones'
  }
  if (!covering && winner.covering) return 'it does not cover what is read'
  return 'it is no better, and comes after the other'
}
