// SPDX-License-Identifier: Apache-2.0
import { after } from 'node:test'
import { connect, type Database } from '../../client-sdk/client.ts'
import { ServerProcess } from '../server/server-process.ts'
import { testFolder } from '../test-folder.ts'

/**
 * The real server in a process of its own, and a client of it, until all tests of the file have run. The
 * tests of the SDK run on other versions of Node.js as well, and the server only on that of this project.
 */
export async function startRealServer(
  ...flags: readonly string[]
): Promise<{ readonly url: string; readonly db: Database }> {
  const data = await testFolder({ after }, 'client')
  const server = await ServerProcess.start(data, flags)
  const { url } = server
  const db = connect({ url })
  after(async () => {
    db.close()
    await server.stop()
  })
  return { url, db }
}
