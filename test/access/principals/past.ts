// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { RuledTable } from './ruled-table.ts'
import type { About } from './statements.ts'
import type { TwoServers } from './two-servers.ts'

/** What has begun before the rights or the columns of a table became others. */
type Moment = {
  readonly stamp: number
  readonly columns: readonly string[]
  readonly transaction: string
  /** After the first row, where there were more. */
  readonly cursor: string | undefined
}

const MOMENTS_MAX = 5

/** Moments of each table. */
export class Past {
  readonly #moments = new Map<RuledTable, Moment[]>()

  /** Begins a transaction and a SCAN in pages, which are gone on with later. */
  async note({ a }: TwoServers, table: RuledTable): Promise<void> {
    const path = '/v1/transactions'
    const { body } = await a.client.send({ method: 'POST', path, json: {} })
    const asOf = body.readTimestamp
    const page = await a.client.query(scanOf(table), { asOf, pageSize: 1 })
    const columns = table.table.columns.map(({ name }) => name)
    const { transaction } = body
    const moments = this.of(table)
    const { cursor } = page.body
    this.#moments.set(table, [...moments, { stamp: asOf, columns, transaction, cursor }])
    if (moments.length < MOMENTS_MAX) return
    const [oldest] = this.#moments.get(table)?.splice(0, 1) ?? []
    await a.client.send({ method: 'DELETE', path: `${path}/${oldest?.transaction}` })
  }

  forget(table: RuledTable): void {
    this.#moments.delete(table)
  }

  of(table: RuledTable): readonly Moment[] {
    return this.#moments.get(table) ?? []
  }
}

const scanOf = ({ name }: RuledTable) => `SCAN * FROM ${name} USE PRIMARY KEY`

/** The rows of the past are those that the rule of now shows of them; before one of its columns was there, none. */
export async function comparePast(
  servers: TwoServers,
  table: RuledTable,
  { about: { choose }, past }: { readonly about: About; readonly past: Past },
): Promise<void> {
  const [moment] = choose.some(past.of(table), 1)
  if (moment === undefined) return
  const { stamp, columns, transaction, cursor } = moment
  const { client, claims } = servers.a
  const sql = scanOf(table)
  const label = `${sql} at ${stamp}`
  if (!table.may('READ')) {
    for (const more of [{ asOf: stamp }, { transaction }, ...(cursor ? [{ cursor }] : [])]) {
      const { code } = (await client.query(sql, more)).body
      const isRefused = code === 'unknown_table' || code === 'not_permitted'
      assert.ok(isRefused, `${label}: ${code} with ${Object.keys(more)}`)
    }
    return
  }
  const named = table.grants.flatMap(({ rule }) => rule?.columns ?? [])
  const isKnown = named.every((name) => columns.includes(name))
  // Of several grants, some may have been known.
  if (!isKnown && table.grants.length > 1) return
  const wanted = isKnown ? await servers.visible(table, claims, stamp) : []
  assert.deepEqual(await client.rows(sql, { asOf: stamp }), wanted, label)
  assert.deepEqual(await client.rows(sql, { transaction }), wanted, `in a transaction: ${label}`)
  const written = `SCAN * FROM ${table.name} AS OF ${stamp} USE PRIMARY KEY`
  assert.deepEqual(await client.rows(written), wanted, label)
  if (cursor === undefined) return
  const { body } = await client.query(sql, { cursor })
  const rest: unknown[] = body.results?.[0].rows ?? []
  assert.deepEqual(rest, rest.length === 0 ? [] : wanted.slice(-rest.length), `a page of ${label}`)
}
