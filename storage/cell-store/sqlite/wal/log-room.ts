// SPDX-License-Identifier: Apache-2.0
import { truncateSync } from 'node:fs'
import { fileBytes, fileSystemOf } from '../disk-use.ts'

/** In bytes: what the file system has left, and what SQLite's log and file have of it. */
export type DiskSpace = {
  readonly free: number
  readonly log: number
  readonly store: number
}

/**
 * A log of some length asks for as much room again when it is moved, because each of its pages may be a new one of the
 * file. As much once more is left to a transaction that is larger than the others, and to what is not SQLite's.
 */
const ROOM_FOR_EACH_BYTE = 3

/** After so many pages of the log the disk is looked at again, which takes 20 microseconds. */
const LOOK_PAGES = 1_000

/** The log is restarted for each few groups then. Less would help nobody. */
const SHARE_MIN = 1 / 1024

/** The disk that a store and its log lie on. */
export interface StoreDisk {
  space(): DiskSpace
  /** Cuts off what is behind so many bytes of the log. */
  cutLog(bytes: number): void
}

/** How long the log may become on this disk, which is looked at now and then. */
export class SqliteLogRoom {
  readonly #bytesWanted: number
  readonly #disk: StoreDisk
  #share = 1
  #lookedAt = Number.POSITIVE_INFINITY

  /** `logBytesMax` is what the log may take of a disk with room. */
  constructor(logBytesMax: number, disk: StoreDisk) {
    this.#bytesWanted = ROOM_FOR_EACH_BYTE * logBytesMax
    this.#disk = disk
  }

  /** The share of all its usual lengths that the log may have: 1 unless the disk has little room. */
  shareFor(pages: number): number {
    // While somebody else moves the log its length is not known.
    if (pages < 0) return this.#share
    // A log that has become shorter was restarted.
    const isNew = pages < this.#lookedAt || pages >= this.#lookedAt + LOOK_PAGES * this.#share
    if (!isNew) return this.#share
    const { free, log } = this.#disk.space()
    this.#lookedAt = pages
    this.#share = Math.max(SHARE_MIN, Math.min(1, (free + log) / this.#bytesWanted))
    return this.#share
  }

  /** The next one who asks is told what the disk has then. */
  lookAgain(): void {
    this.#lookedAt = Number.POSITIVE_INFINITY
  }
}

export class FileDisk implements StoreDisk {
  readonly #path: string

  constructor(storePath: string) {
    this.#path = storePath
  }

  space(): DiskSpace {
    return {
      free: freeBytesBeside(this.#path),
      log: fileBytes(this.#logPath),
      store: fileBytes(this.#path),
    }
  }

  /**
   * As SQLite does when its `journal_size_limit` says so: nobody reads frames behind the last that was committed, and
   * nobody but the thread that writes, whose call this is, makes new ones.
   */
  cutLog(bytes: number): void {
    try {
      if (fileBytes(this.#logPath) > bytes) truncateSync(this.#logPath, bytes)
    } catch {
      // It stays, and is written over.
    }
  }

  get #logPath(): string {
    return `${this.#path}-wal`
  }
}

/** An unknown amount of free space counts as unlimited. */
function freeBytesBeside(path: string): number {
  return fileSystemOf(path)?.freeBytes ?? Number.POSITIVE_INFINITY
}
