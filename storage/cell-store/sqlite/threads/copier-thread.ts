// SPDX-License-Identifier: Apache-2.0
import { closeSync, fsyncSync, openSync } from 'node:fs'
import type { Database } from 'better-sqlite3'
import { openCopierConnection } from '../file/connection.ts'
import { FILE_MODE } from '../file/folder-check.ts'
import { findFileProblems } from '../file/integrity.ts'
import { COPY_INTO } from '../statements.ts'
import { serveThread, type ThreadService } from './thread-server.ts'

/** Main module of the thread that copies the file, and looks at the copy as SQLite knows it. */

export type CopierRequest =
  | { readonly kind: 'copy'; readonly file: string }
  | { readonly kind: 'check'; readonly dataDirectory: string }
  | { readonly kind: 'close' }

class CopierService implements ThreadService<CopierRequest> {
  readonly opened = null
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  answer(request: CopierRequest): number | string[] | null {
    switch (request.kind) {
      case 'copy':
        return this.#copyTo(request.file)
      case 'check':
        return findFileProblems(request.dataDirectory)
      case 'close':
        this.#database.close()
        return null
    }
  }

  isOpen(): boolean {
    return this.#database.open
  }

  /** One statement is one read transaction, so the copy is of one moment. SQLite does not sync it. */
  #copyTo(file: string): number {
    // It takes an empty file, and would give a new one the usual mode.
    const copy = openSync(file, 'wx', FILE_MODE)
    try {
      this.#database.prepare(COPY_INTO).run(file)
      fsyncSync(copy)
    } finally {
      closeSync(copy)
    }
    return this.#database.pragma('user_version', { simple: true }) as number
  }
}

serveThread((path) => new CopierService(openCopierConnection(path)))
