// SPDX-License-Identifier: Apache-2.0
import type { Database } from 'better-sqlite3'
import { isDiskError, isFull } from '../error.ts'
import { openCheckpointerConnection } from '../file/connection.ts'
import { MOVE_LOG } from '../statements.ts'
import { serveThread, type ThreadService } from './thread-server.ts'

/** Main module of the checkpointer thread, which moves the log into the file while others read and write. */

export type CheckpointerRequest =
  | { readonly kind: 'checkpoint'; readonly catchesUp: boolean }
  | { readonly kind: 'close' }

/** Whether the disk had no space for what is in the log, which then stays there. */
export type Checkpointed = { readonly foundNoRoom: boolean }

/**
 * SQLite syncs the file only after a checkpoint that has moved all of the log, and otherwise leaves the sync to the one
 * that does: the writer's, for which all commits wait. Each of several successive checkpoints only has to move what was
 * written during the last one, so one of them finds that nothing was.
 */
const CHECKPOINTS_TO_CATCH_UP = 4

class CheckpointerService implements ThreadService<CheckpointerRequest> {
  readonly opened = null
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  answer(request: CheckpointerRequest): Checkpointed | null {
    if (request.kind === 'checkpoint') return this.#checkpoints(request.catchesUp)
    this.#database.close()
    return null
  }

  isOpen(): boolean {
    return this.#database.open
  }

  #checkpoints(catchesUp: boolean): Checkpointed {
    const times = catchesUp ? CHECKPOINTS_TO_CATCH_UP : 1
    for (let time = 0; time < times; time++) {
      if (!this.#checkpoint()) return { foundNoRoom: true }
    }
    return { foundNoRoom: false }
  }

  /**
   * Runs a PASSIVE checkpoint, which moves what is no longer read, without waiting. False on a full disk; throws on
   * failure.
   */
  #checkpoint(): boolean {
    try {
      this.#database.exec(MOVE_LOG)
    } catch (error) {
      // If the writer runs one at the same time, the log stays until the next time.
      if (isDiskError(error)) throw error
      return !isFull(error)
    }
    return true
  }
}

serveThread((path) => new CheckpointerService(openCheckpointerConnection(path)))
