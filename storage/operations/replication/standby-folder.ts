// SPDX-License-Identifier: Apache-2.0
import { existsSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { SqliteDataDirectory } from '../../cells/sqlite/file/data-directory.ts'
import { StorageError } from '../../errors.ts'
import { markPromoted } from '../../transactions/history/promotion-mark.ts'
import { STANDBY_MARK } from '../../transactions/history/standby-mark.ts'

const STORE_FILE = 'cells.db'
const COPY_FILE = 'cells.db.copy'
/** What belongs to the store that a copy replaces. */
const OF_STORE = [`${STORE_FILE}-wal`, `${STORE_FILE}-shm`, 'groups']

/**
 * The folder of a store that follows another. A copy of that one is received into a file beside the store, and then
 * takes its place:
 *
 *     standby.json                           from before there is a store, so that no copy is taken for a primary
 *     cells.db, lock.db, …                   the store that is read meanwhile, if there is one
 *     cells.db.copy                          what has come so far; of no use after a restart
 */
export class StandbyFolder {
  readonly path: string
  readonly #primary: string

  constructor(path: string, primary: string) {
    this.path = path
    this.#primary = primary
  }

  /** Where a copy is received; see `place`. */
  get copyFile(): string {
    return join(this.path, COPY_FILE)
  }

  /**
   * Whether there is a store that can be read, and follow. Throws StorageError `data_directory_unusable` where there is
   * one that follows nobody: it may have what the primary has not.
   */
  hasStore(): boolean {
    if (!existsSync(join(this.path, STORE_FILE))) return false
    const mark = STANDBY_MARK.read(this.path)
    if (mark === undefined) {
      throw new StorageError(
        'data_directory_unusable',
        `The store in ${this.path} is no copy of ${this.#primary}, and may have what that one has not. Move the folder away, or give --data an empty one: the store is copied then. Where it was the primary, a start with --peer ${this.#primary} and without --follow finds out whether it was replaced.`,
      )
    }
    if (mark.primary !== this.#primary) {
      STANDBY_MARK.write(this.path, { ...mark, primary: this.#primary })
    }
    return mark.replacedBy === undefined
  }

  /** The history of which a copy may replace the store that is here; undefined where any may. */
  get replacedBy(): string | undefined {
    return STANDBY_MARK.read(this.path)?.replacedBy
  }

  /** What is done while no other process can use the folder, which is made where it is missing. */
  async locked<T>(work: () => Promise<T>): Promise<T> {
    const lock = new SqliteDataDirectory(this.path)
    try {
      return await work()
    } finally {
      lock.release()
    }
  }

  async removeCopy(): Promise<void> {
    await rm(this.copyFile, { force: true })
  }

  /**
   * Puts the copy, which is whole and on the disk, in the place of the store, which nobody has open. Killed in between,
   * the next start finds the former store, or none.
   */
  async place(): Promise<void> {
    // That the former store is not to be read stays there until that is gone.
    const { replacedBy } = this
    STANDBY_MARK.write(this.path, { primary: this.#primary, replacedBy })
    // The log of the former store would be taken for that of the copy. A closed store has nothing in it.
    for (const name of OF_STORE) await rm(join(this.path, name), { recursive: true, force: true })
    await rename(this.copyFile, join(this.path, STORE_FILE))
    STANDBY_MARK.write(this.path, { primary: this.#primary })
  }

  /** It follows nobody from now on, and its next start is that of a primary. */
  promote(): void {
    markPromoted(this.path)
    STANDBY_MARK.remove(this.path)
  }
}

/** The server that has taken the place of a primary: where it is, and what its history is called. */
export type Successor = { readonly url: string; readonly history: string }

/** Of the folder of a primary whose place another server has taken: its next start is that of a standby. */
export function markReplaced(dataDirectory: string, { url, history }: Successor): void {
  STANDBY_MARK.write(dataDirectory, { primary: url, replacedBy: history })
}

/** Of such a folder; undefined of all others. Throws StorageError `data_directory_unusable`. */
export function successorOf(dataDirectory: string): Successor | undefined {
  const { primary, replacedBy } = STANDBY_MARK.read(dataDirectory) ?? {}
  if (primary === undefined || replacedBy === undefined) return undefined
  return { url: primary, history: replacedBy }
}

/** Makes a standby that no server runs a primary, and returns whom it followed. Throws StorageError. */
export async function promoteDirectory(dataDirectory: string): Promise<string> {
  const mark = STANDBY_MARK.read(dataDirectory)
  if (mark === undefined || !existsSync(join(dataDirectory, STORE_FILE))) {
    throw new StorageError(
      'data_directory_unusable',
      `There is no standby in ${dataDirectory}, so nothing is to be promoted.`,
    )
  }
  const folder = new StandbyFolder(dataDirectory, mark.primary)
  await folder.locked(async () => folder.promote())
  return mark.primary
}
