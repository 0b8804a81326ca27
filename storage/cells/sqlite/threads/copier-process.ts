// SPDX-License-Identifier: Apache-2.0
import { closeSync, fsyncSync, openSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { isMainThread, Worker } from 'node:worker_threads'
import type { Database } from 'better-sqlite3'
import { openCopierConnection } from '../file/connection.ts'
import { FILE_MODE } from '../file/folder-check.ts'
import { findFileProblems, findPageProblems } from '../file/integrity.ts'
import { COPY_INTO } from '../statements.ts'
import { serveThread, type ThreadService } from './thread-server.ts'

/**
 * Main module of the process that copies the file, and looks at pages as SQLite knows them. A statement of SQLite
 * cannot be cut off from within its process, and a process can be killed; it only reads the store, so at any moment. A
 * thread in it does the work, so that the process hears at once when the one that asked is gone.
 */

export type CopierRequest =
  | { readonly kind: 'copy'; readonly file: string }
  | { readonly kind: 'checkPages' }
  | { readonly kind: 'check'; readonly dataDirectory: string }

class CopierService implements ThreadService<CopierRequest> {
  readonly opened = null
  readonly #database: Database

  constructor(database: Database) {
    this.#database = database
  }

  answer(request: CopierRequest): number | string[] {
    switch (request.kind) {
      case 'copy':
        return this.#copyTo(request.file)
      case 'checkPages':
        return findPageProblems(this.#database)
      case 'check':
        return findFileProblems(request.dataDirectory)
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

function passOn(thread: Worker): void {
  thread.on('message', (message) => process.send?.(message))
  process.on('message', (request) => thread.postMessage(request))
  // An ordinary exit would wait for the thread.
  const end = () => process.kill(process.pid, 'SIGKILL')
  if (!process.connected) end()
  process.on('disconnect', end)
  // A terminal or a process manager sends these to all processes; what they mean is for the one that asked.
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => {})
}

if (isMainThread) {
  // A thread begins with the priority of the one that starts it.
  if (process.argv[3] === 'background') setPriority(constants.priority.PRIORITY_LOW)
  passOn(new Worker(new URL(import.meta.url), { workerData: process.argv[2] }))
} else serveThread((path) => new CopierService(openCopierConnection(path)))
