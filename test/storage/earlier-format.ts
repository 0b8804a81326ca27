// SPDX-License-Identifier: Apache-2.0
import type { Database } from 'better-sqlite3'

/** Takes away what formats 6 and 7 of a store's file have more than format 5; its long values are lost. */
export function makeFormat5(database: Database): void {
  database.exec(
    'DROP TRIGGER cell_deleted; DROP TRIGGER cell_shortened; DROP TABLE value; ALTER TABLE cell_data DROP COLUMN value_id',
  )
  database.exec('DROP TABLE stream')
  database.pragma('user_version = 5')
}
