// SPDX-License-Identifier: Apache-2.0
import { readFile } from 'node:fs/promises'
import type { Database } from '@percolite/client'

/** Makes the tables, indexes and observers of `schema.sql` that are not there yet. */
export async function createSchema(db: Database): Promise<void> {
  await db.execute(await readFile(new URL('./schema.sql', import.meta.url), 'utf8'))
}
