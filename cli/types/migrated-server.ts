// SPDX-License-Identifier: Apache-2.0
import { connect, PercoliteError } from '../../client-sdk/client.ts'
import { placeIn } from '../connection/run-script.ts'
import { migrationFiles } from '../migrate/migration-file.ts'
import { failureView } from '../results/failure-view.ts'

/** A migration that a server refuses. Its message has the file, the place in it and the reason. */
export class MigrationRefused extends Error {}

/**
 * A client of an empty server in this process in which the files of a folder were run, and which ends with it. Throws
 * UsageError, and rejects with MigrationRefused.
 */
export async function migratedServer(folder: string) {
  const files = migrationFiles(folder, '--migrations')
  // Half of what the program consists of.
  const { startServer } = await import('../../server/testing.ts')
  const server = await startServer()
  const db = connect({ url: server.url, integers: 'bigint', json: 'text' })
  try {
    for (const { path, text } of files) {
      await db.script(text).catch((error: unknown) => {
        if (!(error instanceof PercoliteError)) throw error
        throw new MigrationRefused(
          `percolite: ${placeIn(path, error)}\n${failureView(error, text)}`,
        )
      })
    }
    return { db, [Symbol.asyncDispose]: () => server.close() }
  } catch (error) {
    await server.close()
    throw error
  }
}
