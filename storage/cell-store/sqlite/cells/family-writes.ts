// SPDX-License-Identifier: Apache-2.0
import type { Database, Statement } from 'better-sqlite3'
import { FAMILIES, type Family } from '../../cell.ts'
import { statementTexts } from '../statements.ts'
import { SqliteCellInserts } from './cell-inserts.ts'

/** The statements that change the cells of one family. Parameters of the deletion: row, qualifier, from, until. */
export type FamilyWrites = {
  readonly inserts: SqliteCellInserts
  readonly deleteFromColumn: Statement<unknown[]>
}

export type WritesByFamily = Readonly<Record<Family, FamilyWrites>>

export function prepareWrites(database: Database): WritesByFamily {
  const entries = FAMILIES.map((family): [Family, FamilyWrites] => {
    const deleteFromColumn = database.prepare(statementTexts(family).deleteFromColumn)
    return [family, { inserts: new SqliteCellInserts(database, family), deleteFromColumn }]
  })
  return Object.fromEntries(entries) as WritesByFamily
}
