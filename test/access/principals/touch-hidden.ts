// SPDX-License-Identifier: Apache-2.0
import type { Chooser } from '../../differential/random/random-table.ts'
import { knownValue } from '../../differential/random/two-texts.ts'
import { literalOf } from './claims.ts'
import type { RuledTable } from './ruled-table.ts'
import { type About, type JsonRow, rowOf } from './statements.ts'
import { run, type TwoServers } from './two-servers.ts'

/** Somebody inserts rows, most of which the first principal does not see, and those that it sees are gone again. */
export async function hideAnother(
  servers: TwoServers,
  table: RuledTable,
  about: About,
): Promise<void> {
  const { admin } = servers.full
  const seen = new Set((await servers.visible(table, servers.a.claims)).map(textOf))
  for (let n = 0; n < 3; n += 1) {
    const path = `/v1/tables/${table.name}/rows`
    await admin.send({ method: 'POST', path, json: rowOf({ ...about, claims: servers.b.claims }) })
  }
  const come = (await servers.visible(table, servers.a.claims)).filter(
    (row) => !seen.has(textOf(row)),
  )
  for (const row of come) {
    const key = table.table.primaryKey.map(({ column }) => {
      return `${column.name} = ${literalOf(column.type, row[column.name])}`
    })
    await run(admin, `DELETE FROM ${table.name} WHERE ${key.join(' AND ')}`)
  }
}

/** An administrator adds rows as both principals write them, so that rows that are seen stand beside hidden ones. */
export async function mixRows(servers: TwoServers, table: RuledTable, about: About): Promise<void> {
  const path = `/v1/tables/${table.name}/rows?mode=skip`
  for (const { claims } of [servers.a, servers.b]) {
    // One that breaks a rule of the table would keep the others from being written.
    for (let n = 0; n < 2; n += 1) {
      await servers.full.admin.send({ method: 'POST', path, json: [rowOf({ ...about, claims })] })
    }
  }
  await servers.align(table)
}

const textOf = (row: JsonRow) => JSON.stringify(row)

/** An administrator writes a row that the first principal does not see, and which stays out of sight. */
export async function touchHidden(
  servers: TwoServers,
  table: RuledTable,
  choose: Chooser,
): Promise<void> {
  const hidden = await servers.hidden(table)
  const { columns, primaryKey, indexes } = table.table
  const held = new Set([
    ...table.checked.map(({ name }) => name),
    ...primaryKey.map(({ column }) => column.name),
    ...indexes
      .filter(({ unique }) => unique)
      .flatMap(({ parts }) => parts.map(({ column }) => column.name)),
    ...table.ruled,
  ])
  const [column] = choose.some(
    columns.filter(({ name }) => !held.has(name)),
    1,
  )
  const [text] = choose.some(hidden, 1)
  if (text === undefined || column === undefined) return
  const row = JSON.parse(text)
  const key = primaryKey.map((part) => {
    const { name, type } = part.column
    return `${name} = ${literalOf(type, row[name])}`
  })
  const setting = `${column.name} = ${knownValue(choose, column.type).ours}`
  await run(servers.full.admin, `SET ${setting} ON ${table.name} WHERE ${key.join(' AND ')}`)
}
