// SPDX-License-Identifier: Apache-2.0
import type { Database } from 'better-sqlite3'
import { openCheckpointerConnection } from './sqlite-connection.ts'
import { isDiskError } from './sqlite-error.ts'
import { serveThread, type ThreadService } from './sqlite-thread-server.ts'

/** Main module of the thread that moves the log into the file, beside reads and writes. */

export type CheckpointerRequest =
  | { readonly kind: 'checkpoint'; readonly catchesUp: boolean }
  | { readonly kind: 'close' }

/**
 * SQLite syncs the file only after a checkpoint that has moved all of the log, and else leaves that to the one
 * that does: the writer's, for which everybody waits. Each of several checkpoints behind each other has only
 * to move what was written during the last one, so one of these finds that nothing was.
 */
const CHECKPOINTS_TO_CATCH_UP = 4

class CheckpointerService implements ThreadService<CheckpointerRequest> {
  readonly opened = null
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  answer(request: CheckpointerRequest): null {
    if (request.kind === 'close') this.#database.close()
    else {
      const times = request.catchesUp ? CHECKPOINTS_TO_CATCH_UP : 1
      for (let time = 0; time < times; time++) this.#checkpoint()
    }
    return null
  }

  isOpen(): boolean {
    return this.#database.open
  }

  /** PASSIVE moves what nobody reads any more, and waits for nobody. Throws when the disk failed. */
  #checkpoint(): void {
    try {
      this.#database.pragma('wal_checkpoint(PASSIVE)')
    } catch (error) {
      // On a full disk, or while the writer does the same, the log stays until the next time.
      if (isDiskError(error)) throw error
    }
  }
}

serveThread((path) => new CheckpointerService(openCheckpointerConnection(path)))
