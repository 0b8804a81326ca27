// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { Sending } from '../../server/test-server.ts'
import type { RuledTable } from './ruled-table.ts'
import { type About, JSON_COLUMN, randomWriting } from './statements.ts'
import { bodyOf, type TwoServers } from './two-servers.ts'

/** What has begun before the rights or the columns of a table became others. */
type Moment = {
  readonly stamp: number
  readonly columns: readonly string[]
  readonly transaction: string
  /** What was written with a key, and is asked for again. */
  readonly written: Written | undefined
  /** After the first row, where there were more. */
  readonly cursor: string | undefined
}

type Written = { readonly sending: Sending; readonly text: string }

const MOMENTS_MAX = 5

/** Moments of each table. */
export class Past {
  #keys = 0
  readonly #moments = new Map<RuledTable, Moment[]>()

  /** Begins a transaction and a SCAN in pages, which are gone on with later. */
  async note(servers: TwoServers, table: RuledTable, about: About): Promise<void> {
    const { a } = servers
    const written = await this.#write(servers, table, about)
    const path = '/v1/transactions'
    const { body } = await a.client.send({ method: 'POST', path, json: {} })
    const asOf = body.readTimestamp
    const page = await a.client.query(scanOf(table), { asOf, pageSize: 1 })
    const columns = [...table.table.columns.map(({ name }) => name), JSON_COLUMN]
    const { transaction } = body
    const moments = this.of(table)
    const { cursor } = page.body
    this.#moments.set(table, [...moments, { stamp: asOf, columns, transaction, written, cursor }])
    if (moments.length < MOMENTS_MAX) return
    const [oldest] = this.#moments.get(table)?.splice(0, 1) ?? []
    await a.client.send({ method: 'DELETE', path: `${path}/${oldest?.transaction}` })
  }

  /** Writes with an Idempotency-Key; undefined where the first principal may not. */
  async #write(servers: TwoServers, table: RuledTable, about: About): Promise<Written | undefined> {
    this.#keys += 1
    const json = bodyOf(randomWriting(about))
    if (!/^(INSERT|SET|DELETE)/.test(json.sql)) return undefined
    const headers = { 'idempotency-key': `past${this.#keys}` }
    const sending = { method: 'POST', path: '/v1/query', json, headers } as const
    const { text, body } = await servers.a.client.send(sending)
    await servers.align(table)
    // Nothing is kept of what has changed nothing.
    return body.commitTimestamp === undefined ? undefined : { sending, text }
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
  const { stamp, columns, transaction, cursor, written } = moment
  if (written !== undefined) await compareReplay(servers, table, written)
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
  const dated = `SCAN * FROM ${table.name} AS OF ${stamp} USE PRIMARY KEY`
  assert.deepEqual(await client.rows(dated), wanted, label)
  if (cursor === undefined) return
  const { body } = await client.query(sql, { cursor })
  const rest: unknown[] = body.results?.[0].rows ?? []
  assert.deepEqual(rest, rest.length === 0 ? [] : wanted.slice(-rest.length), `a page of ${label}`)
}

/** What was answered once is answered again only while the role may still do it, and never done again. */
async function compareReplay(
  { a }: TwoServers,
  table: RuledTable,
  { sending, text }: Written,
): Promise<void> {
  const again = await a.client.send(sending)
  const label = `again: ${JSON.stringify(sending.json)}: ${again.text}`
  if (again.status === 200) assert.equal(again.text, text, label)
  if (table.may('WRITE')) return
  assert.notEqual(again.status, 200, label)
  assert.equal(again.headers['idempotent-replayed'], undefined, label)
  if (table.grants.length === 0) assert.equal(again.body.code, 'unknown_table', label)
}
