// SPDX-License-Identifier: Apache-2.0
import type { Work } from './work.ts'

const DEFINITION = '\u0001definition'
/** Of no table that the catalog has. */
const TABLE_ID = 1_000_000

/**
 * Rows that are written by the definition of their table, and changes of that definition. Whoever
 * wrote by one definition must not commit after the next has (the schema fence).
 */
export function definitionSetup({ transaction }: Work): void {
  transaction.put(DEFINITION, '0', '0')
}

export async function definitionsTransaction(work: Work): Promise<void> {
  const { transaction, random, swarm, think } = work
  const definition = await transaction.readValue(DEFINITION, '0')
  if (transaction.recorded.readOnly) return
  await think()
  if (random.fraction() < 0.2) {
    transaction.put(DEFINITION, '0', String(Number(definition) + 1))
    transaction.changeSchema(TABLE_ID)
    return
  }
  transaction.dependOnSchema(TABLE_ID)
  const row = `\u0001defined/${String(random.below(swarm.keys)).padStart(2, '0')}`
  transaction.put(row, '0', `${definition}.${transaction.recorded.number}`)
}
