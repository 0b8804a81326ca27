// SPDX-License-Identifier: Apache-2.0
import { connect } from '../../client-sdk/client.ts'
import { JwtIssuer } from '../access/jwt-issuer.ts'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'

/**
 * A server in a process of its own that takes the JWTs of an issuer, whose role `member` sees and writes its own notes,
 * and that can be stopped and started again in its place; with the token of its administrator.
 */
export async function startJwtProcess(t: Parameters<typeof testFolder>[0]) {
  const issuer = await JwtIssuer.create(t)
  const data = await testFolder(t, 'jwt-process')
  const flags = ['--drain', '0s']
  // The first token is made before it is guarded.
  let server = await ServerProcess.start(data, flags)
  t.after(async () => void (await server.stop()))
  const open = connect({ url: server.url })
  const { rows } = await open.query('CREATE TOKEN root ROLE admin EXPIRES IN 1 DAY')
  const token = rows[0]?.token as string
  const admin = connect({ url: server.url, token })
  for (const sql of [
    'CREATE TABLE note (owner TEXT, id INTEGER, PRIMARY KEY (owner, id))',
    'CREATE ROLE member FOR JWT',
    'GRANT READ, WRITE ON note TO member WHERE owner = token.sub',
  ]) {
    await admin.query(sql)
  }
  const { url } = server
  const { port } = new URL(url)
  const jwtFlags = Object.entries(issuer.flags).flatMap(([name, value]) => [`--${name}`, value])
  const stop = () => server.stop()
  const start = async (...more: readonly string[]) => {
    server = await ServerProcess.start(data, ['--port', port, ...flags, ...jwtFlags, ...more])
  }
  await stop()
  await start()
  return {
    ...{ url, issuer, admin, stop, start },
    /** A new key in place of the last one, which the server is told of. */
    rotate: async () => {
      await issuer.rotate()
      server.signal('SIGHUP')
    },
  }
}
