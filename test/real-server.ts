// SPDX-License-Identifier: Apache-2.0
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after } from 'node:test'
import { connect, type Database } from '../client-sdk/client.ts'
import { readConfig } from '../server/config.ts'
import { createServer } from '../server/server.ts'

/** The real server and a client of it, until all tests of the file have run. */
export async function startRealServer(
  engine: 'memory' | 'sqlite',
): Promise<{ readonly url: string; readonly db: Database }> {
  const data = await mkdtemp(join(tmpdir(), 'percolite-client-'))
  const server = await createServer(readConfig({ engine, data, port: '0', 'log-level': 'silent' }))
  const { url } = await server.listen()
  const db = connect({ url })
  after(async () => {
    db.close()
    await server.close()
    await rm(data, { recursive: true, force: true })
  })
  return { url, db }
}
