// SPDX-License-Identifier: Apache-2.0
import { Database } from './database.ts'
import type { Key } from './key-path.ts'
import { Inspection, type InspectOptions } from './subscriptions/inspection.ts'

// The door of `@percolite/client/inspect`.

export type { Inspection, InspectionEvent, InspectOptions } from './subscriptions/inspection.ts'

/**
 * `for await (const event of inspect(db, 'account', ['bob', 'joe']))`: what lies below these rows, at most 20 on one
 * server, and then each step of the protocol that changes them. It needs the right INSPECT. Throws TypeError for what
 * is no database of `connect`.
 */
export function inspect(
  database: object,
  table: string,
  keys: readonly Key[],
  options: InspectOptions = {},
): Inspection {
  return new Inspection(Database.socketOf(database), { table, keys }, options)
}
