// SPDX-License-Identifier: Apache-2.0
import { type TokenClient, TokenServer } from '../server/token-server.ts'

/** A server with the tables `note` and `secret`, and clients whose roles have been granted what is said. */
export async function rolesServer(...start: Parameters<typeof TokenServer.start>) {
  const tokens = await TokenServer.start(...start)
  const { readTimestamp: before } = (await tokens.query('SHOW TABLES')).body
  const admin = tokens.as(tokens.token)
  const run = (sql: string) => admin.run(sql)
  await run('CREATE TABLE note (id INTEGER PRIMARY KEY, text TEXT)')
  await run('CREATE TABLE secret (id INTEGER PRIMARY KEY, text TEXT)')
  await run("INSERT INTO note (id, text) VALUES (1, 'a'), (2, 'b'), (3, 'c')")
  await run("INSERT INTO secret (id, text) VALUES (1, 'hidden')")
  /** The client of a new role. */
  const client = async (role: string, ...grants: readonly string[]): Promise<TokenClient> => {
    await run(`CREATE ROLE ${role}`)
    for (const grant of grants) await run(`GRANT ${grant} TO ${role}`)
    return tokens.as(await tokens.made(`CREATE TOKEN ${role} ROLE ${role} EXPIRES IN 1 DAY`))
  }
  return { tokens, admin, run, client, before }
}
