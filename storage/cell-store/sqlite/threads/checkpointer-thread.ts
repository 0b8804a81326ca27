// SPDX-License-Identifier: Apache-2.0
import type { Database } from 'better-sqlite3'
import { isDiskError, isFull } from '../error.ts'
import { openCheckpointerConnection } from '../file/connection.ts'
import { MOVE_LOG } from '../statements.ts'
import { serveThread, type ThreadService } from './thread-server.ts'

/** Main module of the thread that moves the log into the file, beside reads and writes. */

export type CheckpointerRequest =
  | { readonly kind: 'checkpoint'; readonly catchesUp: boolean }
  | { readonly kind: 'close' }

/** Whether the file had no room for what is in the log, which then stays there. */
export type Checkpointed = { readonly foundNoRoom: boolean }

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

  /** PASSIVE moves what nobody reads any more, and waits for nobody. False on a full disk; throws when it failed. */
  #checkpoint(): boolean {
    try {
      this.#database.exec(MOVE_LOG)
    } catch (error) {
      // While the writer does the same, too, the log stays until the next time.
      if (isDiskError(error)) throw error
      return !isFull(error)
    }
    return true
  }
}

serveThread((path) => new CheckpointerService(openCheckpointerConnection(path)))
