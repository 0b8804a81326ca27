// SPDX-License-Identifier: Apache-2.0
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname, resolve } from 'node:path'
import { syncFolder } from '../../../storage/operations/operations.ts'
import { reasonOf } from '../../errors/server-error.ts'
import { UsageError } from '../../usage-error.ts'

const OWNER_ONLY = 0o600
const GROUP_WRITES = 0o020
const OTHERS_WRITE = 0o002
const STICKY = 0o1000
const GROUP_AND_OTHERS = 0o077
const GROUP_READS = 0o040
const ROOT = 0

/** A token is much shorter. */
const BYTES_MAX = 1_024

const { O_CREAT, O_EXCL, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_RDONLY, O_WRONLY } = constants

/** The file of a first token, which nobody but the owner of this process (or root) may read or replace. */
export class TokenFile {
  readonly path: string

  /** Throws UsageError where others may replace files in its folder, or there is no such folder. */
  constructor(path: string) {
    this.path = resolve(path)
    this.#requireOwnFolder()
  }

  /**
   * Returns what is in it, without blanks around it: `''` where that is nothing, undefined where there is no file.
   * Throws UsageError where it is a link or others may read or write it.
   */
  read(): string | undefined {
    // A pipe is not waited for.
    const file = this.#open(O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 'ENOENT')
    if (file === undefined) return undefined
    const bytes = Buffer.alloc(BYTES_MAX)
    try {
      this.#requireOwn(fstatSync(file))
      return bytes.toString('latin1', 0, readSync(file, bytes)).trim()
    } finally {
      bytes.fill(0)
      closeSync(file)
    }
  }

  /**
   * Makes it with this text, on the disk when it resolves; to false where there is one already, which stays as it is.
   * Rejects with UsageError, and then there is none.
   */
  async create(text: string): Promise<boolean> {
    const file = this.#open(O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 'EEXIST')
    if (file === undefined) return false
    const bytes = Buffer.from(`${text}\n`, 'latin1')
    try {
      writeSync(file, bytes)
      fsyncSync(file)
      // So that its name is there after a power failure, as the token in the store is.
      await syncFolder(dirname(this.path))
      return true
    } catch (error) {
      this.remove()
      throw this.#unusable(error)
    } finally {
      bytes.fill(0)
      closeSync(file)
    }
  }

  remove(): void {
    rmSync(this.path, { force: true })
  }

  refusal(reason: string): UsageError {
    return new UsageError(`--admin-token-file ${this.path}: ${reason}.`)
  }

  /** Undefined for the error of this code. */
  #open(flags: number, expected: 'ENOENT' | 'EEXIST'): number | undefined {
    try {
      return openSync(this.path, flags, OWNER_ONLY)
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (code === expected) return undefined
      // Opened through no link, so the loop is the link itself.
      if (code === 'ELOOP') throw this.refusal('it is a symbolic link, and a file is wanted')
      throw this.#unusable(error)
    }
  }

  #unusable(error: unknown): UsageError {
    return this.refusal(`it cannot be used: ${reasonOf(error)}`)
  }

  /** Who can put a file there could put a token of his own there, and be an administrator. */
  #requireOwnFolder(): void {
    const folder = dirname(this.path)
    const found = statSync(folder, { throwIfNoEntry: false })
    if (found?.isDirectory() !== true) throw this.refusal(`there is no folder ${folder}`)
    const own = process.getuid?.()
    // In a sticky folder nobody can replace the files of others, and those of others are not taken.
    if (own === undefined || (found.mode & STICKY) !== 0) return
    const isOfOthers = (found.mode & GROUP_WRITES) !== 0 && found.uid !== own
    if ((found.mode & OTHERS_WRITE) === 0 && !isOfOthers) return
    throw this.refusal(`other users can put files in its folder (chmod go-w ${folder})`)
  }

  /** Root may hand a file to a group that the server is in, as containers do with their secrets. */
  #requireOwn({ mode, uid }: Stats): void {
    const own = process.getuid?.()
    if ((mode & constants.S_IFMT) !== constants.S_IFREG) throw this.refusal('it is no file')
    if (own === undefined) return
    if (uid !== own && uid !== ROOT) throw this.refusal('it belongs to another user')
    const allowed = uid === ROOT && own !== ROOT ? GROUP_READS : 0
    if ((mode & GROUP_AND_OTHERS & ~allowed) === 0) return
    throw this.refusal(`other users can read or write it (chmod 600 ${this.path})`)
  }
}
