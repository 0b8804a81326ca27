// SPDX-License-Identifier: Apache-2.0
import { setTimeout as sleep } from 'node:timers/promises'
import { type Database, PercoliteError } from '../../client-sdk/client.ts'
import type { MigrationFile } from './migration-file.ts'
import { type MigrationRow, migrationRow, NOTE, noteRestGone, stateOf } from './migration-table.ts'

/** How often the same statement is tried again after a conflict, or where no more is done afterwards. */
const TRIES_MAX = 20
const WAIT_MS = 100

/** A file that was changed after it was run, or while another run was at it. */
export class MigrationChanged extends Error {
  override readonly name = 'MigrationChanged'
}

/**
 * Runs what is not done of a file. Resolves to how many statements that were, of which others may have been done by
 * another run at the same time. Rejects with PercoliteError, whose fields tell how far it came, and MigrationChanged.
 */
export async function runMigration(db: Database, file: MigrationFile): Promise<number> {
  const { name, text } = file
  const first = await migrationRow(db, name)
  let row: MigrationRow = first
  let { done } = first
  for (let tries = 1; tries <= TRIES_MAX; tries += 1) {
    const state = stateOf(file, row)
    if (state === 'changed')
      throw new MigrationChanged(`${file.path} has changed since it was run.`)
    if (state === 'done') return Number(row.done - first.done)
    try {
      const note = { sql: NOTE, params: { name } }
      const { total } = await db.script(text, { from: Number(row.done), note })
      if (Number(row.done) === total) await noteRestGone(db, file, row.done)
    } catch (error) {
      if (!isWorthAnotherLook(error) || tries === TRIES_MAX) throw error
      await sleep(Math.random() * WAIT_MS)
    }
    row = await migrationRow(db, name)
    if (row.done > done) {
      done = row.done
      tries = 0
    }
  }
  throw new Error(`The row of ${name} in percoliteMigration is changed by others all the time.`)
}

/** Another run has done the same statement, or both met: the row says what is left. */
function isWorthAnotherLook(error: unknown): boolean {
  if (!(error instanceof PercoliteError)) return false
  return error.retryable || (error.code === 'check_failed' && error.fields.note === true)
}
