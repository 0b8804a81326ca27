// SPDX-License-Identifier: Apache-2.0
import assert from 'node:assert/strict'
import type { Chooser } from '../../differential/random/random-table.ts'
import { RuledTable } from './ruled-table.ts'
import { anotherGrant, conditionFor, type RandomGrant, type Right, randomGrants } from './rules.ts'
import { run, type TwoServers } from './two-servers.ts'

const RIGHTS: readonly Right[] = ['READ', 'WRITE', 'OBSERVE']

/** Makes a table on both, as it is granted. */
export async function makeTable(
  servers: TwoServers,
  choose: Chooser,
  name: string,
): Promise<RuledTable> {
  const table = new RuledTable(choose, name, servers.everywhere)
  for (const sql of table.ddl) {
    await run(servers.full.admin, sql)
    await run(servers.own.admin, sql)
  }
  await built(servers, table)
  await grant(servers, choose, table)
  return table
}

/** Other grants in place of those that there are; the other server has no table that the role has no right on. */
export async function grant(
  servers: TwoServers,
  choose: Chooser,
  table: RuledTable,
): Promise<void> {
  if (table.granted.length > 0) {
    await run(servers.full.admin, `REVOKE ALL ON ${table.name} FROM member`)
    table.granted = []
  }
  if (!choose.percent(8)) {
    // What a unique index of the table refuses leaves the role without rights, where nothing is compared.
    for (let triesLeft = 5; table.granted.length === 0 && triesLeft > 0; triesLeft -= 1) {
      for (const each of randomGrants(choose, table.table)) await add(servers, table, each)
    }
  }
  await take(servers, table)
}

/** Other rights ON ALL TABLES; on the other server the role has them on each of the tables that there are. */
export async function grantEverywhere(
  servers: TwoServers,
  choose: Chooser,
  tables: readonly RuledTable[],
): Promise<void> {
  const { admin } = servers.full
  if (servers.everywhere.rights.length > 0) {
    await run(admin, 'REVOKE ALL ON ALL TABLES FROM member')
  }
  // With READ all rows are seen of all tables, so it is taken back sooner than it comes.
  const isGiven = choose.percent(servers.everywhere.rights.length > 0 ? 20 : 60)
  const rights = isGiven ? choose.some(RIGHTS, 1 + choose.below(RIGHTS.length)) : []
  if (rights.length > 0) await run(admin, `GRANT ${rights.join(', ')} ON ALL TABLES TO member`)
  servers.everywhere.rights = rights
  for (const table of tables) await take(servers, table)
}

/** One grant more. Returns whether other rows are seen since. */
export async function extend(
  servers: TwoServers,
  choose: Chooser,
  table: RuledTable,
): Promise<boolean> {
  const seen = () => conditionFor(table.grants, 'READ', {})
  const before = seen()
  const count = table.granted.length
  await add(servers, table, anotherGrant(choose, table.table))
  if (table.granted.length === count) return false
  await run(servers.own.admin, `GRANT READ, WRITE ON ${table.name} TO member`)
  if (isRuled(table)) await run(servers.own.admin, `REVOKE OBSERVE ON ${table.name} FROM member`)
  await classify(servers, table)
  await servers.align(table)
  return seen() !== before
}

/** Whether READ is there, of some rows only. */
function isRuled({ grants }: RuledTable): boolean {
  return Boolean(conditionFor(grants, 'READ', {}))
}

/** Refused only where a unique index would tell of what the rule hides. */
async function add(servers: TwoServers, table: RuledTable, each: RandomGrant): Promise<void> {
  const { rights, rule } = each
  if (table.granted.some((held) => held.rule !== undefined && held.rule.text === rule?.text)) return
  const where = rule === undefined ? '' : ` WHERE ${rule.text}`
  const sql = `GRANT ${rights.join(', ')} ON ${table.name} TO member${where}`
  const { status, body, text } = await servers.full.admin.query(sql)
  if (status === 200) table.granted = [...table.granted, each]
  else assert.match(body.detail, /unique index/, `${sql}: ${text}`)
}

/** On the other server the role has the same rights, of all rows that there are. */
async function take(servers: TwoServers, table: RuledTable): Promise<void> {
  const { admin } = servers.own
  const { name, grants } = table
  if (grants.length === 0 && table.isThere) await run(admin, `DROP TABLE ${name}`)
  if (grants.length > 0 && !table.isThere) {
    for (const sql of table.ddl) await run(admin, sql)
  }
  table.isThere = grants.length > 0
  await classify(servers, table)
  if (!table.isThere) return
  await run(admin, `REVOKE ALL ON ${name} FROM member`)
  const rights = new Set(grants.flatMap((each) => each.rights))
  if (isRuled(table)) rights.delete('OBSERVE')
  if (rights.size > 0) await run(admin, `GRANT ${[...rights].join(', ')} ON ${name} TO member`)
  await built(servers, table)
  await servers.align(table)
}

/** By row, a rule leaves more open than by key. */
async function classify({ full }: TwoServers, table: RuledTable): Promise<void> {
  const rows = await full.admin.rows('SHOW GRANTS FOR member')
  if (conditionFor(table.grants, 'READ', {}) === '') {
    table.exactness = 'all'
    return
  }
  const own = rows.filter((row) => row.table === table.name && row.rule !== null)
  const isByKey = own.every(({ by }) => by === 'key')
  table.exactness = own.length === 0 ? 'all' : isByKey ? 'key' : 'row'
}

/** A column or an index comes or goes, where the full server lets it. */
export async function redefine(
  servers: TwoServers,
  choose: Chooser,
  table: RuledTable,
): Promise<void> {
  const { sql, done } = table.change(choose)
  const { status, body } = await servers.full.admin.query(sql)
  if (status !== 200) {
    assert.equal(body.code, 'invalid_request', `${sql}: ${body.code}`)
    return
  }
  if (table.isThere) await run(servers.own.admin, sql)
  done()
  await built(servers, table)
  await servers.align(table)
}

/** A table of the same name in its place, which nobody may do anything with before it is granted. */
export async function replace(
  servers: TwoServers,
  choose: Chooser,
  { name, isThere, granted, grants }: RuledTable,
): Promise<RuledTable> {
  await run(servers.full.admin, `DROP TABLE ${name}`)
  if (isThere) await run(servers.own.admin, `DROP TABLE ${name}`)
  const [made] = new RuledTable(choose, name, servers.everywhere).ddl
  await run(servers.full.admin, made as string)
  if (grants.length > granted.length) {
    assert.equal((await servers.a.client.query(`DESCRIBE ${name}`)).status, 200, 'ON ALL TABLES')
  } else {
    await servers.same(`GET ${name} before it is granted`, (client) =>
      client.query(`DESCRIBE ${name}`),
    )
  }
  await run(servers.full.admin, `DROP TABLE ${name}`)
  return await makeTable(servers, choose, name)
}

/** Waits for the indexes; one that the rows of one server do not allow goes from both. */
async function built({ full, own }: TwoServers, table: RuledTable): Promise<void> {
  const failed = new Set<string>()
  const sides = table.isThere ? [full, own] : [full]
  for (const { admin } of sides) {
    for (;;) {
      const rows = await admin.rows(`SHOW INDEXES FROM ${table.name}`)
      for (const { name, state } of rows) if (state === 'failed') failed.add(name)
      if (!rows.some(({ state }) => state === 'building')) break
      await new Promise((resolve) => setTimeout(resolve, 1))
    }
  }
  for (const name of failed) {
    const sql = table.without(name)
    for (const { admin } of sides) await run(admin, sql)
  }
}
