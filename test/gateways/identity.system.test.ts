// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { ENGINES, missingEngine, startEngine } from '../../bench/engines/shared-engine.ts'
import { connect, type Database } from '../../client-sdk/client.ts'
import { SeededRandomness } from '../seeded-randomness.ts'
import { GatewaySet } from './gateway-set.ts'

const CLIENTS = 4
const INSERTS = 4
/** Of one statement: a gateway needs several blocks, of 32 numbers, of 64 and so on. */
const ROWS = 20

type Ticket = { readonly place: string; readonly number: number }

for (const name of ENGINES) {
  test(`gateways over ${name} give each row a number of its own, also after one was killed`, {
    skip: missingEngine(name),
  }, async (t) => {
    const engine = await startEngine(name)
    t.after(() => engine.close())
    const gateways = new GatewaySet(engine, { random: new SeededRandomness(7) })
    t.after(() => gateways.close())
    await gateways.start(2)
    const [first] = gateways.urls as [string]
    await withClient(first, (db) =>
      db.query(
        'CREATE TABLE ticket (place TEXT PRIMARY KEY, number INTEGER GENERATED ALWAYS AS IDENTITY)',
      ),
    )
    const told = await insertedByAll(gateways.urls, 'before')
    await gateways.kill(0)
    await gateways.add()
    told.push(...(await insertedByAll(gateways.urls, 'after')))

    const [, last] = gateways.urls as [string, string]
    const { rows } = await withClient(last, (db) =>
      db.query<Ticket>('SCAN place, number FROM ticket USE PRIMARY KEY'),
    )
    assert.equal(rows.length, 2 * 2 * CLIENTS * INSERTS * ROWS)
    assert.equal(new Set(rows.map(({ number }) => number)).size, rows.length)
    assert.deepEqual(byPlace(rows), byPlace(told), 'each client was told the numbers of its rows')
  })
}

/** All clients of all gateways at once. */
async function insertedByAll(urls: readonly string[], when: string): Promise<Ticket[]> {
  const clients = urls.flatMap((url, gateway) =>
    Array.from({ length: CLIENTS }, (_, client) =>
      withClient(url, async (db) => {
        const told: Ticket[] = []
        for (let insert = 0; insert < INSERTS; insert++) {
          const place = `${when}/${gateway}/${client}/${insert}`
          const values = Array.from({ length: ROWS }, (_, row) => `('${place}/${row}')`)
          const sql = `INSERT INTO ticket (place) VALUES ${values.join()} RETURNING place, number`
          told.push(...(await db.query<Ticket>(sql)).rows)
        }
        return told
      }),
    ),
  )
  return (await Promise.all(clients)).flat()
}

async function withClient<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = connect({ url })
  try {
    return await work(db)
  } finally {
    db.close()
  }
}

function byPlace(tickets: readonly Ticket[]): Ticket[] {
  return tickets.toSorted((a, b) => (a.place < b.place ? -1 : 1))
}
