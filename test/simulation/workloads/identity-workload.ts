// SPDX-License-Identifier: Apache-2.0
import {
  createTable,
  type NewTable,
  requireTable,
  restartIdentity,
} from '../../../storage/tables/tables.ts'
import { execute } from './run-statement.ts'
import type { Work } from './work.ts'

/** The number is in no key, so that nothing but the blocks keeps two rows from having one. */
export const TICKET: NewTable = {
  name: 'ticket',
  columns: [
    { name: 'place', type: 'INTEGER', notNull: true },
    {
      name: 'number',
      type: 'INTEGER',
      notNull: true,
      default: { kind: 'identity', isAlways: true, series: 1 },
    },
  ],
  primaryKey: [{ column: 'place', descending: false }],
}
const PLACES_OF_ONE = 100n
/** More than the first block has: what is left over of it, and others, are taken then. */
const BURNT_MAX = 40
const RESTART_RATE = 0.06
/** The numbers of an older series may come again. */
const RESTARTS = [1n, 1n, 20n, 1_000n, -30n]

/**
 * Tickets, numbered by their table. Some numbers are taken and not used, as by a statement that fails, so that each
 * process needs block after block while it and others die; and now and then the numbers are restarted.
 */
export async function identitiesTransaction(work: Work): Promise<void> {
  const { transaction, random, think } = work
  if (transaction.recorded.readOnly || (await makeTable(work))) return
  if (random.fraction() < RESTART_RATE) return await restart(work)
  const first = BigInt(transaction.recorded.number) * PLACES_OF_ONE
  for (let statement = 0n, last = BigInt(random.below(3)); statement <= last; statement += 1n) {
    await think()
    if (random.fraction() < 0.5) await burn(work)
    await insert(work, first + statement * 10n)
  }
}

async function makeTable({ transaction }: Work): Promise<boolean> {
  return await transaction.onTables(async (writes, catalog) => {
    if (catalog.table(TICKET.name) !== undefined) return false
    await createTable(writes, catalog, TICKET, { ifNotExists: false })
    return true
  })
}

async function restart({ transaction, random }: Work): Promise<void> {
  const next = RESTARTS[random.below(RESTARTS.length)] as bigint
  await transaction.onTables((writes, catalog) =>
    restartIdentity(writes, catalog, TICKET.name, { name: 'number', next }),
  )
}

async function burn({ transaction, random }: Work): Promise<void> {
  const count = 1 + random.below(BURNT_MAX)
  await transaction.onTables(async ({ nextNumbers }, catalog) => {
    await nextNumbers(requireTable(catalog, TICKET.name), count)
  })
}

async function insert({ transaction, random, violations }: Work, first: bigint): Promise<void> {
  const places = Array.from({ length: 1 + random.below(3) }, (_, at) => `(${first + BigInt(at)})`)
  const sql = `INSERT INTO ticket (place) VALUES ${places.join(', ')} RETURNING number`
  await transaction.onTables(async (writes, catalog) => {
    const { rows } = await execute(writes, catalog, sql)
    const numbers = rows.map(([number]) => number as bigint)
    if (numbers.some((number, at) => at > 0 && number <= (numbers[at - 1] as bigint)))
      violations.add('identity', `${transaction.recorded} was given ${numbers}`)
  })
}
